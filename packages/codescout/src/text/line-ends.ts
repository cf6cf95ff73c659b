import type { ToolContext } from '@jinn/core';

/** Warns if a change gave a file with one kind of line ends a second kind. */
export function warnOfLineEnds(ctx: Pick<ToolContext, 'warn'>, path: string, before: string, after: string): void {
  const [own, now] = [lineEndsOf(before), lineEndsOf(after)];
  if (!now.hasLf || !now.hasCrlf || own.hasLf === own.hasCrlf) return;
  const kind = own.hasCrlf ? '\\r\\n' : '\\n';
  ctx.warn(
    `${path} has both \\r\\n and \\n as line ends now; before, all were ${kind}: send ${kind} in new_string to keep to it`,
  );
}

function lineEndsOf(text: string) {
  return { hasCrlf: text.includes('\r\n'), hasLf: /(?<!\r)\n/.test(text) };
}
