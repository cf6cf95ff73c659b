import { LineChooser, type Room } from '@jinn/shell/line-chooser';

const MAX_LINE = 400;
/** The most bytes of chosen lines. */
const MAX_CHOSEN = 10_000;

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

/** Makes a function that chooses the lines of a text to show, by the same rules as run_shell. */
export function lineChooserOf(text: string): (room: Room) => string {
  const chooser = new LineChooser(MAX_CHOSEN);
  for (const line of toLines(text)) chooser.push(Buffer.from(`${line}\n`));
  return (room) => chooser.choose(room, '').text;
}

/** Splits a text into lines. Of a line that was overwritten, such as progress, it keeps the last state. */
function toLines(text: string): string[] {
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
