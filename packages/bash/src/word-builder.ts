import type { Effect, Piece, Script, Word } from './tree.ts';

const NO_EFFECTS: readonly Effect[] = [];
/** The start of a substitution or an expansion. */
const EXPANDS = /\$[({[]|`/;

/** Collects the pieces of a word while it is read. */
export class WordBuilder {
  readonly start: number;
  /** The builder of the word that this text is a part of. */
  readonly #outer: WordBuilder;
  readonly #scripts: Script[];
  readonly #pieces: Piece[] = [];
  #effects: Effect[] | undefined;
  #text = '';
  #quoted = false;
  #open = false;

  constructor(start: number, outer?: WordBuilder) {
    this.start = start;
    this.#outer = outer ? outer.#outer : this;
    this.#scripts = outer ? outer.#scripts : [];
  }

  /** Returns a builder for arithmetic or the inside of braces: its text is dropped, its scripts and effects are kept. */
  inner(): WordBuilder {
    return new WordBuilder(this.start, this);
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

  addEffect(effect: Effect): void {
    this.#outer.#effects ??= [];
    this.#outer.#effects.push(effect);
  }

  /** True if quoted text holds what bash expands wherever the quotes do not count. */
  get quotesExpansion(): boolean {
    this.#close();
    return this.#pieces.some(({ text, quoted }) => quoted && text !== undefined && EXPANDS.test(text));
  }

  /** The text so far, if it has neither quotes nor expansions. */
  get bareText(): string | undefined {
    return this.#pieces.length === 0 && this.#open && !this.#quoted ? this.#text : undefined;
  }

  build(end: number): Word {
    this.#close();
    const { start } = this;
    return { start, end, pieces: this.#pieces, scripts: this.#scripts, effects: this.#effects ?? NO_EFFECTS };
  }

  #close(): void {
    if (this.#open) this.#pieces.push({ text: this.#text, quoted: this.#quoted, name: undefined });
    this.#open = false;
  }
}
