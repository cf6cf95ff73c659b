import type { Piece, Script, Word } from './tree.ts';

/** Collects the pieces of a word while it is read. */
export class WordBuilder {
  readonly start: number;
  readonly #scripts: Script[];
  readonly #pieces: Piece[] = [];
  #text = '';
  #quoted = false;
  #open = false;

  constructor(start: number, scripts: Script[] = []) {
    this.start = start;
    this.#scripts = scripts;
  }

  /** A builder whose text is dropped and whose scripts are ours. */
  inner(): WordBuilder {
    return new WordBuilder(this.start, this.#scripts);
  }

  /** Adds text; empty quoted text counts, since `''` is a word. */
  add(text: string, quoted: boolean): void {
    if (this.#open && this.#quoted === quoted) {
      this.#text += text;
      return;
    }
    this.#close();
    this.#text = text;
    this.#quoted = quoted;
    this.#open = true;
  }

  addUnknown(quoted: boolean, name?: string): void {
    this.#close();
    this.#pieces.push({ text: undefined, quoted, name });
  }

  addScript(script: Script): void {
    this.#scripts.push(script);
  }

  /** What has been read, when all of it is text without quotes. */
  get bareText(): string | undefined {
    return this.#pieces.length === 0 && this.#open && !this.#quoted ? this.#text : undefined;
  }

  build(end: number): Word {
    this.#close();
    return { start: this.start, end, pieces: this.#pieces, scripts: this.#scripts };
  }

  #close(): void {
    if (this.#open) this.#pieces.push({ text: this.#text, quoted: this.#quoted, name: undefined });
    this.#open = false;
  }
}
