import type { Facts } from '../document/content-reader.ts';
import type { Candidate } from '../targets/candidate.ts';

/** A file that will be written. */
export interface PlannedFile {
  readonly path: string;
  readonly size: number;
  /** Tokens of what is written, without the header. */
  readonly tokens: number;
  readonly candidate: Candidate;
  readonly facts: Facts;
  readonly instead: Substitute | undefined;
}

/** The text that is written instead of the content of a file. */
export type Substitute = FilePiece | ShorterText;

/** The outline of a file, or its text without the bodies of functions. */
export interface ShorterText {
  readonly kind: 'outline' | 'compressed';
  readonly facts: Facts;
  readonly bytes: Buffer;
}

/** A part of a text. The rest comes in another part of the document. */
export interface FilePiece {
  readonly kind: 'piece';
  readonly facts: Facts;
  /** The piece, with a line that says which part of the text it is. */
  readonly bytes: Buffer;
  /** The whole text in UTF-8, as far as it was read. */
  readonly text: Buffer;
  readonly total: number;
  /** Where the piece starts and ends, in bytes of the text. */
  readonly from: number;
  readonly to: number;
}

/** Reports whether more of the text follows a piece. */
export function isCut({ text, to }: FilePiece): boolean {
  return to < text.length;
}
