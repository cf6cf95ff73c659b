const MAX_LINE = 400;

/** Returns the first lines of a text that fit, and how many they are. */
export function firstLines(text: string, { lines: maxLines, bytes }: { lines: number; bytes: number }) {
  const lines = toLines(text);
  const shown: string[] = [];
  let room = bytes;
  for (const line of lines.slice(0, Math.max(0, maxLines))) {
    const fitting = cutLine(line);
    room -= Buffer.byteLength(fitting) + 1;
    if (room < 0) break;
    shown.push(fitting);
  }
  return { text: shown.join('\n'), shown: shown.length };
}

/** Returns the first and the last lines of a text, with a line between them that says how many are left out. */
export function firstAndLast(text: string, { first, last } = { first: 20, last: 10 }): string {
  const lines = toLines(text);
  const missing = lines.length - first - last;
  if (missing <= 0) return lines.map(cutLine).join('\n');
  const [head, tail] = [lines.slice(0, first), lines.slice(-last)];
  return [...head.map(cutLine), `--- ${missing} lines omitted ---`, ...tail.map(cutLine)].join('\n');
}

/** Splits a text into lines. Of a line that was overwritten, such as progress, it keeps the last state. */
export function toLines(text: string): string[] {
  const lines = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  return text === '' ? [] : lines.map(lastState);
}

function lastState(line: string): string {
  const whole = line.endsWith('\r') ? line.slice(0, -1) : line;
  return whole.slice(whole.lastIndexOf('\r') + 1);
}

function cutLine(line: string): string {
  return line.length <= MAX_LINE ? line : `${line.slice(0, MAX_LINE).toWellFormed()}…`;
}
