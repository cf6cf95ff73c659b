import type { Facts } from './content-reader.ts';
import type { Format, Section } from './formats.ts';
import { LineNumberer } from './line-numberer.ts';
import type { TextSink } from './spool.ts';

const NEWLINE = 0x0a;

export interface WrittenFile {
  readonly path: string;
  readonly facts: Facts;
  /** Yields the content, whole or chunk by chunk. */
  readonly content: Buffer | Iterable<Buffer>;
}

/** How the content of files is written. */
export interface Style {
  readonly format: Format;
  readonly lineNumbers: boolean;
}

/** Renders the content of one file. */
export function* renderContent(
  chunks: Iterable<Buffer>,
  { format, lineNumbers }: Style,
  { hasReturn }: Pick<Facts, 'hasReturn'>,
): Iterable<Buffer> {
  const numberer = lineNumbers ? new LineNumberer() : undefined;
  const toEscaped = format.escaper?.(hasReturn);
  for (const chunk of chunks) {
    if (!numberer && !toEscaped) yield chunk;
    else {
      const text = numberer ? numberer.number(chunk.toString()) : chunk.toString();
      yield Buffer.from(toEscaped ? toEscaped(text, false) : text);
    }
  }
  if (toEscaped) yield Buffer.from(toEscaped('', true));
}

/** Writes a document piece by piece: sections and files, in the order of the calls. The last call must be `end`. */
export class DocumentWriter {
  readonly #format: Format;
  readonly #sink: TextSink;
  readonly #style: Style;
  readonly #isPlain: boolean;
  readonly #at = { pieces: 0, files: 0 };
  /** The text between two contents; it is written at once. */
  #between = '';
  #hasBegun = false;

  constructor(style: Style, sink: TextSink) {
    this.#format = style.format;
    this.#sink = sink;
    this.#style = style;
    this.#isPlain = !style.lineNumbers && !style.format.escaper;
  }

  section(section: Section): void {
    this.#begin();
    this.#between += this.#format.section(section, this.#at);
    this.#at.pieces++;
    this.#flush();
  }

  file({ path, facts, content }: WrittenFile): void {
    const { longestFence, hasReturn } = facts;
    const frame = { path, longestFence, hasReturn, endsInNewline: true };
    this.#begin();
    this.#between += this.#format.openFile(frame, this.#at);
    frame.endsInNewline = this.#content(content, facts);
    this.#between += this.#format.closeFile(frame);
    this.#at.pieces++;
    this.#at.files++;
  }

  end(): void {
    this.#begin();
    this.#between += this.#format.end(this.#at.files);
    this.#flush();
  }

  #begin(): void {
    if (!this.#hasBegun) this.#between = this.#format.begin();
    this.#hasBegun = true;
  }

  /** Writes content. Returns whether it ends in a newline or is empty. */
  #content(content: WrittenFile['content'], facts: Facts): boolean {
    this.#flush();
    const isWhole = Buffer.isBuffer(content);
    if (isWhole && this.#isPlain) return this.#writeChunk(content, NEWLINE) === NEWLINE;
    const chunks = isWhole ? [content] : content;
    let last = NEWLINE;
    for (const chunk of this.#isPlain ? chunks : renderContent(chunks, this.#style, facts)) {
      last = this.#writeChunk(chunk, last);
    }
    return last === NEWLINE;
  }

  /** Writes a chunk. Returns the last byte that was written; `before` if the chunk is empty. */
  #writeChunk(chunk: Buffer, before: number): number {
    this.#sink.write(chunk);
    return chunk[chunk.length - 1] ?? before;
  }

  #flush(): void {
    if (this.#between !== '') this.#sink.writeText(this.#between);
    this.#between = '';
  }
}
