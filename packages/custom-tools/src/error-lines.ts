import { isObject } from './schema-faults.ts';

const MAX_KEPT_BYTES = 1024 * 1024;
/** A line longer than this reports no progress. */
const MAX_LINE_BYTES = 64 * 1024;
const MAX_MESSAGE = 200;

export interface Progress {
  readonly message: string;
  readonly done: number | undefined;
  readonly total: number | undefined;
}

/**
 * Takes the standard error of a tool as it comes. Lines `{"_progress": …}` are progress; all else is kept, up to 1 MiB from
 * the start.
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
    let rest = chunk;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      this.#add(rest.subarray(0, end + 1));
      this.#endLine();
      rest = rest.subarray(end + 1);
    }
    if (rest.length > 0) this.#add(rest);
    if (this.#lineBytes > MAX_LINE_BYTES) this.#keepLine();
  }

  /** Ends the last line, and returns what was kept, without blanks around it. */
  finish(): string {
    this.#endLine();
    const text = Buffer.concat(this.#kept).toString().trim();
    return this.#dropped === 0 ? text : `${text}\n[${this.#dropped} more bytes were left out]`;
  }

  #add(part: Buffer): void {
    this.#line.push(part);
    this.#lineBytes += part.length;
  }

  #endLine(): void {
    if (this.#lineBytes === 0) return;
    const progress = this.#lineBytes <= MAX_LINE_BYTES ? toProgress(Buffer.concat(this.#line)) : undefined;
    if (progress === undefined) this.#keepLine();
    else this.#onProgress(progress);
    this.#line = [];
    this.#lineBytes = 0;
  }

  #keepLine(): void {
    for (const part of this.#line) {
      const fits = part.subarray(0, this.#room);
      if (fits.length > 0) this.#kept.push(Buffer.from(fits));
      this.#room -= fits.length;
      this.#dropped += part.length - fits.length;
    }
    this.#line = [];
    this.#lineBytes = 0;
  }
}

/** Reads `{"_progress": "message"}`, a number, or an object of message, done and total. */
function toProgress(line: Buffer): Progress | undefined {
  if (!line.includes('"_progress"')) return undefined;
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
