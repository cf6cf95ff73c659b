const MAX_WARNINGS = 20;
const MAX_SHOWN = 300;

/** Sentences on what a walk left out; a bounded number of them. */
export class Warnings {
  readonly #kept: string[] = [];
  #dropped = 0;

  add(sentence: string): void {
    if (this.#kept.length < MAX_WARNINGS) this.#kept.push(sentence);
    else this.#dropped++;
  }

  all(): string[] {
    return this.#dropped === 0 ? this.#kept : [...this.#kept, `${this.#dropped} more warnings were left out`];
  }
}

/** Formats a path for a warning: on one line, and not too long. */
export function showPath(path: string): string {
  const line = path.replace(/\p{Cc}/gu, (char) => JSON.stringify(char).slice(1, -1));
  return line.length <= MAX_SHOWN ? line : `${line.slice(0, MAX_SHOWN)}…`;
}
