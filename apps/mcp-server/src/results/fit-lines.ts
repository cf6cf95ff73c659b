const MORE_BYTES = 24;

/**
 * Returns as many of the first lines as fit into `maxBytes`, and how many are left out. If even the first line is too
 * long, it is cut.
 */
export function fitLines(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const lines = text.split('\n');
  const shown: string[] = [];
  let room = maxBytes - MORE_BYTES;
  for (const line of lines) {
    const size = Buffer.byteLength(line) + 1;
    if (size > room) break;
    shown.push(line);
    room -= size;
  }
  if (shown.length === 0) shown.push(cutLine(lines[0] ?? '', room));
  const left = lines.length - shown.length;
  return left === 0 ? shown.join('\n') : `${shown.join('\n')}\n[${left} more lines]`;
}

function cutLine(line: string, maxBytes: number): string {
  const bytes = Buffer.from(line).subarray(0, Math.max(0, maxBytes - Buffer.byteLength('…')));
  return `${bytes.toString().replace(/\ufffd+$/, '')}…`;
}
