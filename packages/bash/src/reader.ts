import { isPlain } from './characters.ts';
import { type Limits, Unparsable } from './limits.ts';
import type { Command, Script } from './tree.ts';

/** The state that all readers of one command share, those of its backquotes and here-documents too. */
export interface Shared {
  readonly limits: Limits;
  /** Every command that has been read to its end, for when the text turns out to be broken further on. */
  readonly commands: Command[];
  /** True if the text may switch extended globs on, so that `!(x)` is a word. */
  readonly extglob: boolean;
  /** Set when backquotes or a here-document hold what is no command: bash finds that only when it gets there. */
  brokenText: boolean;
  /** Parses the script at the reader's position, up to what closes it. */
  readonly parse: (text: Reader, closing: Closing) => Script;
  /** Parses a text of its own. */
  readonly parseText: (text: string, shared: Shared) => Script;
}

export type Closing = ')' | '}';

/** A position in a text. */
export class Reader {
  readonly text: string;
  readonly shared: Shared;
  pos = 0;

  constructor(text: string, shared: Shared) {
    this.text = text;
    this.shared = shared;
  }

  get code(): number {
    return this.pos < this.text.length ? this.text.charCodeAt(this.pos) : -1;
  }

  get char(): string {
    return this.text[this.pos] ?? '';
  }

  /** Reads characters that have no meaning to bash. */
  plain(): string {
    const { text } = this;
    const start = this.pos;
    let pos = start;
    while (pos < text.length && isPlain(text.charCodeAt(pos))) pos++;
    this.pos = pos;
    return text.slice(start, pos);
  }

  /** Skips continued lines: bash removes a backslash at the end of a line before it reads anything but quotes. */
  skipContinuations(): void {
    while (this.text.startsWith('\\\n', this.pos)) this.pos += 2;
  }

  /** Moves behind `mark` and returns the text before it. */
  until(mark: string): string {
    const end = this.text.indexOf(mark, this.pos);
    if (end === -1) throw this.broken(`no closing ${mark}`);
    const passed = this.text.slice(this.pos, end);
    this.shared.limits.spend(passed.length + 1);
    this.pos = end + mark.length;
    return passed;
  }

  broken(message: string): Unparsable {
    return new Unparsable('syntax', message);
  }
}
