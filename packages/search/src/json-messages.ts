import { SAMPLE_BYTES } from './limits.ts';
import type { Hit } from './search-query.ts';

/** No line of ripgrep's is kept that is longer than this; nor is a match that stands in one. */
const MAX_LINE = 64 * 1024 * 1024;
const LINE_FEED = 10;

/** Text, or base64 where it is no UTF-8. */
type Data = { readonly text: string } | { readonly bytes: string };

interface MatchMessage {
  readonly path: Data;
  readonly lines: Data;
  readonly line_number: number;
  readonly absolute_offset: number;
  readonly submatches: readonly { readonly match: Data; readonly start: number; readonly end: number }[];
}

type Message =
  | { readonly type: 'match'; readonly data: MatchMessage }
  | { readonly type: 'end'; readonly data: { readonly path: Data; readonly binary_offset: number | null } }
  | { readonly type: 'begin' | 'context' | 'summary' };

export interface MessageHandler {
  onHit(hit: Hit): void;
  /** The file whose hits came before holds a NUL. */
  onBinary(path: string): void;
  /** A match on lines that are too long to be shown. */
  onTooLong(): void;
}

/** Reads what `rg --json` writes, as it comes. */
export class JsonMessages {
  readonly #handler: MessageHandler;
  #parts: Buffer[] = [];
  #length = 0;

  constructor(handler: MessageHandler) {
    this.#handler = handler;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      this.#keep(chunk.subarray(start, end));
      this.#endLine();
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
  }

  #keep(part: Buffer): void {
    this.#length += part.length;
    if (part.length > 0 && this.#length <= MAX_LINE) this.#parts.push(part);
    else if (this.#length > MAX_LINE) this.#parts = [];
  }

  #endLine(): void {
    const [only] = this.#parts;
    const line = this.#parts.length === 1 && only ? only : Buffer.concat(this.#parts);
    if (this.#length > MAX_LINE) this.#handler.onTooLong();
    else this.#read(line);
    this.#parts = [];
    this.#length = 0;
  }

  #read(line: Buffer): void {
    const message: Message = JSON.parse(line.toString());
    if (message.type === 'match') {
      for (const hit of toHits(message.data)) this.#handler.onHit(hit);
    } else if (message.type === 'end' && message.data.binary_offset !== null) {
      const path = pathOf(message.data.path);
      if (path !== undefined) this.#handler.onBinary(path);
    }
  }
}

/**
 * The hits of a message: ripgrep puts matches on lines that follow each other into one. None for a file whose name is
 * no UTF-8: nothing could open it by what we would say.
 */
function toHits({ path, lines, line_number, absolute_offset, submatches }: MatchMessage): Hit[] {
  const name = pathOf(path);
  if (name === undefined) return [];
  const bytes = withoutLineEnd(toBytes(lines));
  const groups = new HitGroups(name, bytes, { line: line_number, offset: absolute_offset });
  for (const { match, start, end } of submatches) groups.add(start, end, toBytes(match));
  // An empty match at the end of the file is not told; but then nothing else is on its line.
  if (groups.through < bytes.length) groups.add(bytes.length, bytes.length, Buffer.alloc(0));
  return groups.hits;
}

/** Puts matches together that share a line. */
class HitGroups {
  readonly hits: Hit[] = [];
  /** Where the line of the last match ends. */
  through = -1;
  readonly #path: string;
  readonly #bytes: Buffer;
  readonly #offset: number;
  #line: number;
  #at = 0;

  constructor(path: string, bytes: Buffer, { line, offset }: { line: number; offset: number }) {
    this.#path = path;
    this.#bytes = bytes;
    this.#line = line;
    this.#offset = offset;
  }

  add(start: number, end: number, match: Buffer): void {
    const bytes = this.#bytes;
    const last = this.hits.at(-1);
    const isSameLine = last && start <= this.through;
    this.through = Math.max(this.through, lineEnd(bytes, Math.max(start, end - 1)));
    if (isSameLine) {
      this.hits[this.hits.length - 1] = { ...last, end: end - this.#at, length: this.through - this.#at };
      return;
    }
    const from = start === 0 ? 0 : bytes.lastIndexOf(LINE_FEED, start - 1) + 1;
    this.#line += countLineFeeds(bytes, this.#at, from);
    this.#at = from;
    this.hits.push({
      path: this.#path,
      line: this.#line,
      offset: this.#offset + from,
      length: this.through - from,
      start: start - from,
      end: end - from,
      sample: match.subarray(0, SAMPLE_BYTES),
    });
  }
}

function lineEnd(bytes: Buffer, at: number): number {
  const end = bytes.indexOf(LINE_FEED, at);
  return end < 0 ? bytes.length : end;
}

function countLineFeeds(bytes: Buffer, start: number, end: number): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED, start); at >= 0 && at < end; at = bytes.indexOf(LINE_FEED, at + 1)) count++;
  return count;
}

function withoutLineEnd(bytes: Buffer): Buffer {
  return bytes.at(-1) === LINE_FEED ? bytes.subarray(0, -1) : bytes;
}

function toBytes(data: Data): Buffer {
  return 'text' in data ? Buffer.from(data.text) : Buffer.from(data.bytes, 'base64');
}

function pathOf(path: Data): string | undefined {
  return 'text' in path ? path.text.replace(/^\.\//, '') : undefined;
}
