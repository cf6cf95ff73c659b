import { type DocumentStyle, frameOf } from '../document/document-pieces.ts';
import type { DocumentSection } from '../document/formats.ts';
import { renderFile, type ShortenContext } from '../outline/shorten.ts';
import type { TokenCounter } from '../tokens/tokens.ts';
import type { PlannedFile } from './planned-file.ts';

/** A position other than the first: the text between two pieces counts for each of them. */
const AMONG = { pieces: 1, files: 1 };
const NEWLINE = 10;
/** The bytes around a file in any form, besides its path. */
const FRAME_BYTES = 40;

/** Counts the cost of the pieces of a document, with the text around them. */
export class Costs {
  readonly frame: number;
  /** Counts exactly. */
  readonly #counter: TokenCounter;
  readonly #context: ShortenContext;
  readonly #style: DocumentStyle;
  readonly #frames = new Map<string, number>();
  readonly #files = new WeakMap<PlannedFile, number>();

  constructor(counter: TokenCounter, context: ShortenContext) {
    this.#counter = counter;
    this.#context = context;
    this.#style = context.style;
    this.frame = this.#count(this.#style.format.begin()) + this.#count(this.#style.format.end(1));
  }

  section(section: DocumentSection): number {
    return this.#count(this.#style.format.section(section, AMONG)) + 1;
  }

  sections(sections: readonly DocumentSection[]): number {
    return sections.reduce((sum, section) => sum + this.section(section), 0);
  }

  about(file: PlannedFile): number {
    return this.#files.get(file) ?? file.tokens + this.#frameOf(file);
  }

  file(file: PlannedFile): number {
    const known = this.#files.get(file);
    if (known !== undefined) return known;
    const rendered = renderFile(file, this.#context);
    const cost = rendered ? this.#counter.count(this.#framed(file, rendered)) : this.about(file);
    this.#files.set(file, cost);
    return cost;
  }

  /** Returns a file as it is written in the document: counted in pieces, it would have a few tokens more. */
  #framed({ path, facts, instead }: PlannedFile, rendered: Buffer): Buffer {
    const { format } = this.#style;
    const frame = frameOf(path, { ...facts, ...instead?.facts, charset: facts.charset }, this.#style);
    const close = format.closeFile({ ...frame, endsInNewline: rendered.at(-1) === NEWLINE });
    return Buffer.concat([Buffer.from(format.openFile(frame, AMONG)), rendered, Buffer.from(close)]);
  }

  #frameOf({ path, facts, instead }: PlannedFile): number {
    const { format } = this.#style;
    const frame = frameOf(path, { ...facts, ...instead?.facts, charset: facts.charset }, this.#style);
    const key = `${frame.longestFence} ${frame.hasReturn} ${path}`;
    const known = this.#frames.get(key);
    if (known !== undefined) return known;
    const header = this.#count(format.openFile(frame, AMONG));
    const cost = header + this.#count(format.closeFile({ ...frame, endsInNewline: false })) + 1;
    this.#frames.set(key, cost);
    return cost;
  }

  #count(text: string): number {
    return this.#counter.count(Buffer.from(text));
  }
}

/** Estimates the bytes of a file in the document. */
export function documentBytesOf({ path, size, instead }: PlannedFile): number {
  return (instead?.bytes.length ?? size) + Buffer.byteLength(path) + FRAME_BYTES;
}
