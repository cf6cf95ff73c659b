import type { Facts } from './content.ts';
import type { Format, Section } from './formats.ts';
import { LineNumberer } from './line-numberer.ts';
import type { TextSink } from './spool.ts';

const NEWLINE = 0x0a;

export interface WrittenFile {
  readonly path: string;
  readonly facts: Facts;
  readonly chunks: Iterable<Buffer>;
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

/** Writes a document piece by piece: sections and files, in the order of the calls. */
export class DocumentWriter {
  readonly #format: Format;
  readonly #sink: TextSink;
  readonly #style: Style;
  readonly #at = { pieces: 0, files: 0 };
  #hasBegun = false;

  constructor(style: Style, sink: TextSink) {
    this.#format = style.format;
    this.#sink = sink;
    this.#style = style;
  }

  section(section: Section): void {
    this.#begin();
    this.#write(this.#format.section(section, this.#at));
    this.#at.pieces++;
  }

  file({ path, facts, chunks }: WrittenFile): void {
    const { longestFence, hasReturn } = facts;
    this.#begin();
    this.#write(this.#format.openFile({ path, longestFence, hasReturn }, this.#at));
    const endsInNewline = this.#content(chunks, facts);
    this.#write(this.#format.closeFile({ path, longestFence, hasReturn, endsInNewline }));
    this.#at.pieces++;
    this.#at.files++;
  }

  end(): void {
    this.#begin();
    this.#write(this.#format.end(this.#at.files));
  }

  #begin(): void {
    if (!this.#hasBegun) this.#write(this.#format.begin());
    this.#hasBegun = true;
  }

  /** Returns whether the content ends in a newline or is empty. */
  #content(chunks: Iterable<Buffer>, facts: Facts): boolean {
    const isPlain = !this.#style.lineNumbers && !this.#format.escaper;
    let last: number | undefined = NEWLINE;
    for (const chunk of isPlain ? chunks : renderContent(chunks, this.#style, facts)) {
      last = chunk[chunk.length - 1] ?? last;
      this.#sink.write(chunk);
    }
    return last === NEWLINE;
  }

  #write(text: string): void {
    this.#sink.writeText(text);
  }
}
