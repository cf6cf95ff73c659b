import { countLineFeeds } from '../text/counted.ts';
import { decodeWithForeign, foreignByte, splitForeign } from './foreign-bytes.ts';

const MAX_PENDING = 65_536;
const LINE_BREAK = /\r?\n/;
const LINE_BREAKS = /\r?\n/g;

export interface Replacement {
  readonly pattern: string;
  readonly flags: string;
  /** Texts and the numbers of groups. 0 is the whole match. A line break becomes the one that the file has there. */
  readonly replacement: readonly (string | number)[];
}

export interface ReplaceTask {
  /** A buffer of its own, which the result may overwrite. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly maxBytes: number;
}

export interface ReplacedText {
  readonly count: number;
  /** From 1: the lines of the first match's start and of the last match's end. */
  readonly firstLine: number;
  readonly lastLine: number;
  /** Longer than its content. Undefined without a match, and if the result would be larger than the limit. */
  readonly buffer: ArrayBuffer | undefined;
  readonly length: number;
}

/**
 * Makes a function that replaces every match in a text. It holds the text, the result as bytes, and little else: native
 * `replace` and lists of matches take many times the memory, and run out of it where V8 can only abort.
 */
export function createReplace({ pattern, flags, replacement }: Replacement): (task: ReplaceTask) => ReplacedText {
  const regex = new RegExp(pattern, flags);
  return (task) => replaceIn(task, regex, replacement);
}

function replaceIn({ bytes, maxBytes }: ReplaceTask, regex: RegExp, parts: Replacement['replacement']): ReplacedText {
  const text = decodeWithForeign(bytes);
  const output = new GrowingBytes(bytes.buffer, maxBytes);
  const breakAt = createBreakFinder(text);
  let [count, start, end] = [0, 0, 0];
  let fits = true;
  regex.lastIndex = 0;
  for (let match = regex.exec(text); match && fits; match = fits ? regex.exec(text) : null) {
    if (count++ === 0) start = match.index;
    const before = text.slice(end, match.index);
    fits = output.add(before) && addReplacement(output, match, inStyle(parts, breakAt(before, match[0])));
    end = match.index + match[0].length;
    if (match[0] === '') regex.lastIndex += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  const lineAt = (offset: number) => 1 + countLineFeeds(text, 0, offset);
  const lines = { firstLine: lineAt(start), lastLine: lineAt(Math.max(start, end - 1)) };
  fits = count > 0 && fits && output.add(text.slice(end)) && output.flush();
  return { count, ...lines, buffer: fits ? output.buffer : undefined, length: output.length };
}

function createBreakFinder(text: string): (before: string, match: string) => string | undefined {
  let near = LINE_BREAK.exec(text)?.[0];
  if (!text.includes('\r\n')) return () => near;
  return (before, match) => {
    near = lastBreak(before) ?? near;
    const inMatch = LINE_BREAK.exec(match)?.[0] ?? near;
    near = lastBreak(match) ?? near;
    return inMatch;
  };
}

function lastBreak(text: string): string | undefined {
  const at = text.lastIndexOf('\n');
  if (at < 0) return undefined;
  return text[at - 1] === '\r' ? '\r\n' : '\n';
}

function inStyle(parts: Replacement['replacement'], lineBreak: string | undefined): Replacement['replacement'] {
  if (lineBreak === undefined) return parts;
  return parts.map((part) => (typeof part === 'string' ? part.replace(LINE_BREAKS, lineBreak) : part));
}

function addReplacement(output: GrowingBytes, match: RegExpExecArray, parts: Replacement['replacement']): boolean {
  return parts.every((part) => output.add(typeof part === 'string' ? part : (match[part] ?? '')));
}

/** Text that is written as bytes, piece by piece, up to a limit. Lone surrogates stand for single bytes. */
export class GrowingBytes {
  readonly #maxBytes: number;
  #buffer: Buffer<ArrayBuffer>;
  #length = 0;
  #pending = '';

  /** Makes an empty text. `buffer` is not needed any more, and is overwritten. */
  constructor(buffer: ArrayBuffer, maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#buffer = Buffer.from(buffer);
  }

  get length(): number {
    return this.#length;
  }

  get buffer(): ArrayBuffer {
    return this.#buffer.buffer;
  }

  add(text: string): boolean {
    if (this.#length + this.#pending.length + text.length > this.#maxBytes + MAX_PENDING) return false;
    for (let at = 0; at < text.length; ) {
      let end = Math.min(text.length, at + MAX_PENDING);
      const last = text.charCodeAt(end - 1);
      // A pair of surrogates stays together.
      if (end < text.length && last >= 0xd800 && last <= 0xdbff) end--;
      this.#pending += text.length === end - at ? text : text.slice(at, end);
      if (this.#pending.length >= MAX_PENDING && !this.flush()) return false;
      at = end;
    }
    return true;
  }

  flush(): boolean {
    const text = this.#pending;
    this.#pending = '';
    for (const part of splitForeign(text)) this.#write(part);
    return this.#length <= this.#maxBytes;
  }

  #write(part: string): void {
    const most = 3 * part.length;
    if (this.#length + most > this.#buffer.length) this.#grow(this.#length + Math.max(most, this.#length >> 3));
    const byte = foreignByte(part);
    if (byte !== undefined) this.#buffer[this.#length++] = byte;
    else this.#length += this.#buffer.write(part, this.#length);
  }

  #grow(size: number): void {
    const larger = Buffer.from(new ArrayBuffer(size));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}
