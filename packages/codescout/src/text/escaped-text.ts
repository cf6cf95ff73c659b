import type { ToolContext } from '@jinn/tool';

const ESCAPED_BREAK = /\\r?\\n|\\n/g;
const SUSPICIOUS = 3;

/**
 * Warns of a text that has no line break but several times the two characters `\` and `n`. It may be meant, as in a script
 * of one line, so it is written all the same.
 */
export function warnOfEscapes(ctx: Pick<ToolContext, 'warn'>, name: string, text: string): void {
  if (text.includes('\n')) return;
  const count = text.match(ESCAPED_BREAK)?.length ?? 0;
  if (count < SUSPICIOUS) return;
  ctx.warn(`${name} has no line break, but ${count} times a backslash and an n, which were written as they are`);
}

/** Returns the text with its escaped line breaks and tabs as real ones; undefined if there are none. */
export function unescaped(text: string): string | undefined {
  const real = text.replace(ESCAPED_BREAK, '\n').replaceAll('\\t', '\t').replaceAll('\\"', '"');
  return real === text ? undefined : real;
}
