import { linesThatFit } from '../fit/fit-json.ts';
import { cutCommand, SHOWN_LINES } from '../text/text-window.ts';

/** A range of lines, from 1, both included. */
export interface LineSection {
  readonly start: number;
  readonly end: number;
}

export interface Navigation {
  readonly by: 'json_path' | 'heading' | 'toml_key';
  readonly to: string;
  readonly path: string;
  /** The most bytes of the JSON of the part, if the host has a limit. */
  readonly room?: number | undefined;
  /** Keeps a text that is not in the file in this form. Returns its reference, or undefined for a query of a buffer. */
  readonly keep?: ((chunks: Iterable<Uint8Array>) => string | undefined) | undefined;
}

/** The most characters of a part that an answer shows. */
export const SHOWN_LENGTH = 100_000;
/** The longest call that a hint spells out. */
const MAX_CALL = 300;

/** A part of a file, just as it is written there, with the lines in which it starts and ends. */
export interface FilePart extends LineSection {
  readonly content: string;
}

/**
 * Shows a part. A part that is too long for an answer is cut after a whole line, and `overflow` names the call that
 * reads on. `narrower` is a hint to ask for less, if the part is one long line.
 */
export function showPart(
  part: FilePart,
  { path, room, narrower }: Pick<Navigation, 'path' | 'room'> & { narrower?: () => string },
): object {
  const { content, start, end } = part;
  const where = { start_line: start, end_line: end };
  const shown = firstLines(content, room);
  if (shown.length === content.length) return { content, ...where };
  const [count, total] = [lineCount(shown), lineCount(content)];
  const next = callOf({ path, start_line: start + count, end_line: end });
  const hint =
    count > 0
      ? `This part has ${total} lines. ${next ?? `Call read_file with start_line: ${start + count}, end_line: ${end}`} to continue`
      : `Line ${start} is too long for an answer: ${narrower?.() ?? `cut it with run_command: ${cutCommand(path, start)}`}`;
  return { content: shown, ...where, overflow: { shown: count, total, hint } };
}

/** Spells out a call of read_file, or undefined if it is too long for a hint. */
export function callOf(args: object): string | undefined {
  const text = JSON.stringify(args);
  return text.length > MAX_CALL ? undefined : `Call read_file with ${text}`;
}

function firstLines(content: string, room: number | undefined): string {
  const short = content.length <= SHOWN_LENGTH ? content : wholeLines(content.slice(0, SHOWN_LENGTH));
  const few = shortened(short, SHOWN_LINES);
  return room === undefined ? few : linesThatFit(few, room);
}

function shortened(text: string, most: number): string {
  let end = 0;
  for (let lines = 0; lines < most; lines++) {
    const feed = text.indexOf('\n', end);
    if (feed < 0) return text;
    end = feed + 1;
  }
  return text.slice(0, end);
}

function wholeLines(text: string): string {
  return text.slice(0, text.lastIndexOf('\n') + 1);
}

function lineCount(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') || text === '' ? 1 : 0);
}
