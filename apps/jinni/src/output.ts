import { parse } from 'node:path';
import { type Sink, Spool } from '@jinn/context';
import type { TokenCounter } from '@jinn/context/tokens';
import { ToolError } from '@jinn/core/errors';
import { countLineFeeds } from '@jinn/core/text/counted';
import type { Copier } from './copier.ts';
import { MOST_LINES, type Reporter, type WrittenTokens } from './reporter.ts';
import { createOutput, exists, isTerminal, type OutputFile, writeTo } from './start/jinni-system.ts';

/** Of a longer text, tokens are counted only at the start of each piece of this many bytes. */
const PIECE = 16 * 1024;
const SAMPLE = 256;
const NEWLINE = 0x0a;

interface Destination {
  readonly path: string | undefined;
  readonly prints: boolean;
  /** True to print a summary to a terminal instead of a long text. */
  readonly sparesTerminal: boolean;
  readonly isSplit: boolean;
  readonly copier: Copier | undefined;
  /** Counts the tokens of what is written. Undefined for a list. */
  readonly counter: TokenCounter | undefined;
  /** True to count all that is written, and not samples of it. */
  readonly countsAll?: boolean;
}

/** Where the document goes: to standard output and the clipboard, or to files, which are created with the first bytes. */
export class Output implements Sink {
  readonly #destination: Destination;
  readonly #reporter: Reporter;
  /** The text that is to be copied, or perhaps to be printed. */
  readonly #kept: Spool | undefined;
  /** True if the end decides what is printed, because standard output is a terminal. */
  readonly #isHeld: boolean;
  readonly #files: WrittenTokens[] = [];
  readonly #leftOut: string[] = [];
  #lines = 0;
  #file: OutputFile | undefined;
  #part = 1;
  #size = 0;
  #tokens = 0;
  #isSampled = false;
  /** The end of what was written, from its last line on: a line that is counted in two parts has more tokens. */
  #uncounted: Buffer = Buffer.alloc(0);

  constructor(destination: Destination, reporter: Reporter) {
    this.#destination = destination;
    this.#reporter = reporter;
    this.#isHeld = destination.prints && destination.sparesTerminal && isTerminal(1);
    this.#kept = destination.copier || this.#isHeld ? new Spool() : undefined;
  }

  write(bytes: Buffer): void {
    this.#count(bytes);
    this.#reporter.clear();
    const path = this.#path();
    if (path !== undefined) this.#attempt(path, (file) => file.write(bytes));
    else if (this.#isHeld) this.#lines += countLineFeeds(bytes);
    else if (this.#destination.prints) this.#print(bytes);
    this.#kept?.write(bytes);
  }

  /** True if the user at a terminal sees a summary instead of the document. It names the files and omissions. */
  get summarizes(): boolean {
    const { prints, sparesTerminal } = this.#destination;
    return sparesTerminal && this.#reporter.isTerminal && (this.#isHeld || !prints);
  }

  addFile(file: WrittenTokens): void {
    this.#files.push(file);
  }

  addOmission(sentence: string): void {
    if (this.summarizes) this.#leftOut.push(sentence);
    else this.#reporter.line(sentence);
  }

  nextPart(): void {
    const path = this.#path();
    if (path !== undefined) this.#attempt(path, (file) => file.close());
    this.#file = undefined;
    this.#part++;
  }

  async finish({ files }: { files: number | undefined }): Promise<void> {
    const path = this.#path();
    if (path !== undefined) this.#attempt(path, (file) => file.close());
    else if (files === undefined && this.#size > 0 && this.#destination.prints) this.#print(Buffer.from('\n'));
    const isLong = this.#isHeld && this.#lines > MOST_LINES;
    if (this.#isHeld && !isLong) for (const chunk of this.#kept?.chunks() ?? []) this.#print(chunk);
    if (this.#size > 0 && this.summarizes && (isLong || !this.#isHeld)) await this.#summarize(files ?? 0);
    else await this.#endInLines(files);
    if (!isLong) return;
    const advice = `${this.#lines} lines are too many for a terminal: -o FILE writes them to a file, --stdout prints them`;
    this.#reporter.line(advice);
  }

  async #summarize(files: number): Promise<void> {
    const isCopied = await this.#copy();
    const places = [...this.#places(), ...(isCopied ? ['copied to the clipboard'] : [])];
    const totals = this.#totals(files);
    this.#reporter.summary({ totals, files: this.#files, leftOut: this.#leftOut, places });
    this.#warnOfStaleParts();
  }

  async #endInLines(files: number | undefined): Promise<void> {
    for (const sentence of [...this.#leftOut, ...this.#places()]) this.#reporter.line(sentence);
    this.#warnOfStaleParts();
    const isCopied = this.#size > 0 && (await this.#copy());
    if (this.#size === 0) return;
    const end = `${isCopied ? 'copied' : 'not copied'} to the clipboard`;
    if (files !== undefined) this.#reporter.line(`${this.#totals(files)}, ${end}`);
    else if (!this.#destination.prints && isCopied) this.#reporter.line(end);
  }

  #places(): string[] {
    const path = this.#path();
    if (path === undefined) return this.#size === 0 ? ['No files found.'] : [];
    const parts = this.#part > 1 ? `${partName(this.#destination.path ?? '', 1)} to ` : '';
    return [`Output successfully written to ${parts}${path}`];
  }

  /** Warns of parts of an earlier run that look as if they belonged to this document. */
  #warnOfStaleParts(): void {
    const { path = '', isSplit } = this.#destination;
    if (!isSplit) return;
    const [first, ...others] = existingParts(path, this.#part + 1);
    if (first === undefined) return;
    const last = others.at(-1);
    const stale = last === undefined ? `${first} is` : `${first} to ${last} are`;
    this.#reporter.warn(`${stale} of an earlier run, and not a part of this document`);
  }

  async #copy(): Promise<boolean> {
    const { copier, prints, path } = this.#destination;
    const isCopied = copier !== undefined && this.#kept !== undefined && (await copier(this.#kept));
    if (isCopied || prints || path !== undefined) return isCopied;
    throw new ToolError('write_failed', 'nothing could be copied to the clipboard, and nothing was printed', {
      suggestion: 'write to a file with -o FILE',
    });
  }

  #totals(files: number): string {
    const { counter } = this.#destination;
    if (counter && this.#uncounted.length > 0) this.#tokens += counter.count(this.#uncounted);
    const about = this.#isSampled ? 'about ' : '';
    const tokens = `${about}${Math.round(this.#tokens)} tokens`;
    return `${files} ${files === 1 ? 'file' : 'files'}, ${tokens}`;
  }

  #count(bytes: Buffer): void {
    const { counter, countsAll } = this.#destination;
    this.#size += bytes.length;
    if (!counter) return;
    if (countsAll) this.#countLines(bytes, counter);
    else if (bytes.length <= PIECE) this.#tokens += counter.count(bytes);
    else this.#sample(bytes, counter);
  }

  #countLines(bytes: Buffer, counter: TokenCounter): void {
    const all = Buffer.concat([this.#uncounted, bytes]);
    const end = all.lastIndexOf(NEWLINE) + 1;
    if (end > 0) this.#tokens += counter.count(all.subarray(0, end));
    this.#uncounted = all.subarray(end);
  }

  #sample(bytes: Buffer, counter: TokenCounter): void {
    this.#isSampled = true;
    for (let at = 0; at < bytes.length; at += PIECE) {
      const piece = bytes.subarray(at, at + PIECE);
      const sample = piece.subarray(0, SAMPLE);
      this.#tokens += (counter.count(sample) * piece.length) / sample.length;
    }
  }

  #path(): string | undefined {
    return this.#destination.isSplit ? partName(this.#destination.path ?? '', this.#part) : this.#destination.path;
  }

  #print(bytes: Buffer): void {
    try {
      writeTo(1, bytes);
    } catch (error) {
      throw cannotWrite('to standard output', error);
    }
  }

  #attempt(path: string, use: (file: OutputFile) => void): void {
    try {
      this.#file ??= createOutput(path);
      use(this.#file);
    } catch (error) {
      throw cannotWrite(`to file ${path}`, error);
    }
  }
}

function partName(path: string, part: number): string {
  const { ext } = parse(path);
  return `${path.slice(0, path.length - ext.length)}.${part}${ext}`;
}

/** Returns the parts from a number on that exist, up to the first gap. */
export function existingParts(path: string, first: number): string[] {
  const parts: string[] = [];
  for (let part = partName(path, first); exists(part); part = partName(path, first + parts.length)) parts.push(part);
  return parts;
}

function cannotWrite(where: string, error: unknown): ToolError {
  const reason = (error as NodeJS.ErrnoException).code ?? 'unknown';
  return new ToolError('write_failed', `Cannot write output ${where} (${reason})`);
}

/** Joins lines by line breaks, and writes them in large pieces. */
export class LineWriter {
  readonly #sink: Sink;
  #text = '';
  #isFirst = true;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  add(line: string): void {
    this.#text += this.#isFirst ? line : `\n${line}`;
    this.#isFirst = false;
    if (this.#text.length > 65_536) this.flush();
  }

  flush(): void {
    if (this.#text !== '') this.#sink.write(Buffer.from(this.#text));
    this.#text = '';
  }
}
