import type { Style } from '../document/document-writer.ts';
import type { Section } from '../document/formats.ts';
import type { TokenCounter } from '../tokens/tokens.ts';
import type { PlannedFile } from './planned-file.ts';

/** A position that is not the first: what stands between two pieces counts for each of them. */
const AMONG = { pieces: 1, files: 1 };
/** What stands around a file in any form, besides its path. */
const FRAME_BYTES = 40;

/** Counts what the pieces of a document cost, with what stands around them. */
export class Costs {
  /** The tokens at the beginning and the end of a document. */
  readonly frame: number;
  readonly #counter: TokenCounter;
  readonly #style: Style;
  readonly #files = new WeakMap<PlannedFile, number>();

  constructor(counter: TokenCounter, style: Style) {
    this.#counter = counter;
    this.#style = style;
    this.frame = this.#count(style.format.begin()) + this.#count(style.format.end(1));
  }

  /** Returns the tokens of a section. */
  section(section: Section): number {
    return this.#count(this.#style.format.section(section, AMONG)) + 1;
  }

  sections(sections: readonly Section[]): number {
    return sections.reduce((sum, section) => sum + this.section(section), 0);
  }

  /** Returns the tokens of a file. */
  file(file: PlannedFile): number {
    const known = this.#files.get(file);
    if (known !== undefined) return known;
    const { path, tokens, facts, instead } = file;
    const { format } = this.#style;
    const { longestFence, hasReturn } = instead?.facts ?? facts;
    const frame = { path, longestFence, hasReturn };
    const header = this.#count(format.openFile(frame, AMONG));
    const cost = tokens + header + this.#count(format.closeFile({ ...frame, endsInNewline: false })) + 1;
    this.#files.set(file, cost);
    return cost;
  }

  #count(text: string): number {
    return this.#counter.count(Buffer.from(text));
  }
}

/** Returns about the bytes of a file in the document. */
export function bytesOf({ path, size, instead }: PlannedFile): number {
  return (instead?.bytes.length ?? size) + Buffer.byteLength(path) + FRAME_BYTES;
}
