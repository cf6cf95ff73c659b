import type { ToolContext } from '@jinn/core';

const ESCAPED_BREAK = /\\r?\\n|\\n/g;
const SUSPICIOUS = 3;

/** Warns of a text without line breaks that has `\` and `n` several times. It may be meant, as in a script of one line. */
export function warnOfEscapes(ctx: Pick<ToolContext, 'warn'>, name: string, text: string): void {
  if (text.includes('\n')) return;
  const count = text.match(ESCAPED_BREAK)?.length ?? 0;
  if (count < SUSPICIOUS) return;
  ctx.warn(`${name} has no line break, but ${count} times the two characters \\n, which were written as they are`);
}

/** Returns the text with real line breaks and tabs for escaped ones, or undefined if it has none. */
export function unescaped(text: string): string | undefined {
  const real = text.replace(ESCAPED_BREAK, '\n').replaceAll('\\t', '\t').replaceAll('\\"', '"');
  return real === text ? undefined : real;
}
