import { isObject } from '@jinn/core/text/is-object';

const MAX_KEPT_BYTES = 1024 * 1024;
/** A line longer than this reports no progress. */
const MAX_LINE_BYTES = 64 * 1024;
const MAX_MESSAGE = 200;
const NEWLINE = 10;
/** The word in every line that reports progress. */
const WORD = '"_progress"';

export interface Progress {
  readonly message: string;
  readonly done: number | undefined;
  readonly total: number | undefined;
}

/**
 * Reads the standard error of a tool as it comes. Lines `{"_progress": …}` are progress; all else is kept, up to 1 MiB
 * from the start.
 */
export class ErrorLines {
  readonly #onProgress: (progress: Progress) => void;
  readonly #kept: Buffer[] = [];
  #room = MAX_KEPT_BYTES;
  #dropped = 0;
  #line: Buffer[] = [];
  #lineBytes = 0;

  constructor(onProgress: (progress: Progress) => void) {
    this.#onProgress = onProgress;
  }

  push(chunk: Buffer): void {
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (end > 0) this.#takeLines(Buffer.concat([...this.#line.splice(0), chunk.subarray(0, end)]));
    if (end > 0) this.#lineBytes = 0;
    this.#line.push(Buffer.from(chunk.subarray(end)));
    this.#lineBytes += chunk.length - end;
    if (this.#lineBytes > MAX_LINE_BYTES) this.#keep(Buffer.concat(this.#line.splice(0)));
  }

  /** Ends the last line, and returns what was kept, without blanks around it. */
  finish(): string {
    this.#takeLines(Buffer.concat(this.#line.splice(0)));
    const text = Buffer.concat(this.#kept).toString().trim();
    return this.#dropped === 0 ? text : `${text}\n[${this.#dropped} more bytes were left out]`;
  }

  /** Looks for progress in whole lines. There may be millions of them, so only those with the word are parsed. */
  #takeLines(lines: Buffer): void {
    let from = 0;
    for (let at = lines.indexOf(WORD); at >= 0; at = lines.indexOf(WORD, from)) {
      const start = lines.lastIndexOf(NEWLINE, at) + 1;
      const end = lines.indexOf(NEWLINE, at) + 1 || lines.length;
      const progress = end - start > MAX_LINE_BYTES ? undefined : toProgress(lines.subarray(start, end));
      this.#keep(lines.subarray(from, progress ? start : end));
      if (progress) this.#onProgress(progress);
      from = end;
    }
    this.#keep(lines.subarray(from));
  }

  #keep(part: Buffer): void {
    const fits = part.subarray(0, this.#room);
    if (fits.length > 0) this.#kept.push(Buffer.from(fits));
    this.#room -= fits.length;
    this.#dropped += part.length - fits.length;
  }
}

/** Reads `{"_progress": "message"}`, a number, or an object of message, done and total. */
function toProgress(line: Buffer): Progress | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line.toString());
  } catch {
    return undefined;
  }
  if (!isObject(value) || Object.keys(value).length !== 1) return undefined;
  const given = value['_progress'];
  if (typeof given === 'string') return { message: cut(given), done: undefined, total: undefined };
  if (typeof given === 'number') return { message: '', done: given, total: undefined };
  if (!isObject(given)) return undefined;
  const { message, done, total } = given;
  return {
    message: typeof message === 'string' ? cut(message) : '',
    done: typeof done === 'number' ? done : undefined,
    total: typeof total === 'number' ? total : undefined,
  };
}

function cut(message: string): string {
  return message.slice(0, MAX_MESSAGE).toWellFormed();
}
