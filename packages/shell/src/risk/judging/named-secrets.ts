import { isSecretPath } from '../classifiers/credentials.ts';
import { withoutGlobs } from '../syntax/fields.ts';
import type { Word, WordPiece } from '../syntax/tree.ts';

/** More secret files of one variable tell nothing new. */
const MAX_FILES = 4;
const MAX_VARIABLES = 32;

/** The secret files that the variables of a command name. All parameters of a function or a script count as one. */
export class NamedSecrets {
  readonly #byVariable = new Map<string, readonly string[]>();

  /** True if there are too many variables to look at. */
  get isFull(): boolean {
    return this.#byVariable.size > MAX_VARIABLES;
  }

  /** Notes a value of a variable, if it names a secret file. */
  add(variable: string | undefined, value: string): void {
    const path = withoutGlobs(value);
    if (variable === undefined || this.isFull || !isSecretPath(path)) return;
    const before = this.#byVariable.get(variable) ?? [];
    if (before.length < MAX_FILES) this.#byVariable.set(variable, [...before, path]);
  }

  /** Notes that a variable may name the secret files of those in a word. */
  handOn(variable: string | undefined, { pieces }: Word): void {
    for (const path of pieces.flatMap((piece) => this.of(piece))) this.add(variable, path);
  }

  /** Returns the secret files that a part of a word may stand for. */
  of({ text, name }: WordPiece): readonly string[] {
    if (text !== undefined || this.#byVariable.size === 0) return [];
    if (name === undefined) return [...this.#byVariable.values()].flat().slice(0, MAX_FILES);
    return this.#byVariable.get(/^[\d@*]/.test(name) ? '1' : name) ?? [];
  }
}
