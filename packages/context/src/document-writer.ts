import type { Facts } from './content.ts';
import type { Format, Section } from './formats.ts';
import { LineNumberer } from './line-numberer.ts';
import type { Sink } from './spool.ts';

const NEWLINE = 0x0a;

export interface WrittenFile {
  readonly path: string;
  readonly facts: Facts;
  readonly chunks: Iterable<Buffer>;
}

/** Writes a document piece by piece: sections and files, in the order in which they come. */
export class DocumentWriter {
  readonly #format: Format;
  readonly #sink: Sink;
  readonly #lineNumbers: boolean;
  readonly #at = { pieces: 0, files: 0 };
  #hasBegun = false;

  constructor(format: Format, sink: Sink, { lineNumbers }: { lineNumbers: boolean }) {
    this.#format = format;
    this.#sink = sink;
    this.#lineNumbers = lineNumbers;
  }

  section(section: Section): void {
    this.#begin();
    this.#write(this.#format.section(section, this.#at));
    this.#at.pieces++;
  }

  file({ path, facts: { longestFence }, chunks }: WrittenFile): void {
    this.#begin();
    this.#write(this.#format.openFile({ path, longestFence }, this.#at));
    const endsInNewline = this.#content(chunks);
    this.#write(this.#format.closeFile({ path, longestFence, endsInNewline }));
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

  /** Gives whether the content ends in a newline, or is empty. */
  #content(chunks: Iterable<Buffer>): boolean {
    const numberer = this.#lineNumbers ? new LineNumberer() : undefined;
    const toEscaped = this.#format.escaper?.();
    let last = NEWLINE;
    for (const chunk of chunks) {
      last = chunk.at(-1) ?? last;
      if (!numberer && !toEscaped) this.#sink.write(chunk);
      else {
        const text = numberer ? numberer.number(chunk.toString()) : chunk.toString();
        this.#write(toEscaped ? toEscaped(text, false) : text);
      }
    }
    if (toEscaped) this.#write(toEscaped('', true));
    return last === NEWLINE;
  }

  #write(text: string): void {
    if (text !== '') this.#sink.write(Buffer.from(text));
  }
}
