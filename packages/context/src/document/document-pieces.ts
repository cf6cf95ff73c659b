import type { Facts } from './content-reader.ts';
import type { DocumentSection, Format } from './formats.ts';
import type { DocumentPiece } from './spool.ts';

const NEWLINE = 0x0a;

export interface WrittenFile {
  readonly path: string;
  readonly facts: Facts;
  readonly content: Iterable<Buffer>;
}

export interface DocumentStyle {
  readonly format: Format;
  readonly lineNumbers: boolean;
  /** True to name the encoding of a file that is not UTF-8 in its header. */
  readonly showsEncoding: boolean;
}

/** Renders the content of one file, chunk by chunk. */
export function renderContent(chunks: Iterable<Buffer>, style: DocumentStyle, facts: Facts): Iterable<Buffer> {
  return style.lineNumbers || style.format.escaper ? rewriteContent(chunks, style, facts) : chunks;
}

function* rewriteContent(
  chunks: Iterable<Buffer>,
  { format, lineNumbers }: DocumentStyle,
  { hasReturn }: Facts,
): Iterable<Buffer> {
  const toNumbered = lineNumbers ? createNumberer() : undefined;
  const toEscaped = format.escaper?.(hasReturn);
  for (const chunk of chunks) {
    const text = toNumbered ? toNumbered(chunk.toString()) : chunk.toString();
    yield Buffer.from(toEscaped ? toEscaped(text, false) : text);
  }
  if (toEscaped) yield Buffer.from(toEscaped('', true));
}

function createNumberer(): (chunk: string) => string {
  let line = 0;
  let isAtStart = true;
  return (chunk) => {
    if (chunk === '') return '';
    let text = '';
    for (const part of chunk.split(/(?<=\n)/)) {
      text += isAtStart ? `${++line}\t${part}` : part;
      isAtStart = part.endsWith('\n');
    }
    return text;
  };
}

/** Returns what the header and the end of a file depend on. */
export function frameOf(path: string, facts: Facts, { showsEncoding }: DocumentStyle) {
  const { longestFence, hasReturn, charset } = facts;
  return { path, encoding: showsEncoding ? charset?.name : undefined, longestFence, hasReturn };
}

/** Yields the pieces of a document: sections and files, in the order of the calls, and then `end`. */
export class DocumentPieces {
  readonly #style: DocumentStyle;
  readonly #at = { pieces: 0, files: 0 };
  #between: string;

  constructor(style: DocumentStyle) {
    this.#style = style;
    this.#between = style.format.begin();
  }

  *section(section: DocumentSection): Iterable<DocumentPiece> {
    yield this.#join(this.#style.format.section(section, this.#at));
    this.#at.pieces++;
  }

  *file({ path, facts, content }: WrittenFile): Iterable<DocumentPiece> {
    const { format } = this.#style;
    const frame = frameOf(path, facts, this.#style);
    yield this.#join(format.openFile(frame, this.#at));
    let last = NEWLINE;
    for (const chunk of renderContent(content, this.#style, facts)) {
      last = chunk[chunk.length - 1] ?? last;
      yield chunk;
    }
    this.#between = format.closeFile({ ...frame, endsInNewline: last === NEWLINE });
    this.#at.pieces++;
    this.#at.files++;
  }

  *end(): Iterable<DocumentPiece> {
    yield this.#join(this.#style.format.end(this.#at.files));
  }

  #join(text: string): string {
    const joined = this.#between + text;
    this.#between = '';
    return joined;
  }
}
