const MAX_KEPT = 4_096;

/** An entry with one or more names, written as words of one text: `rm rmdir`. */
interface Named {
  readonly verb: string;
}

/**
 * Finds entries by name. It searches the texts as they are instead of splitting them: a command asks for a few of many
 * hundred names, and a process may judge one command only.
 */
export class ByName<T extends Named> {
  readonly #entries: readonly T[];
  readonly #texts: readonly string[];
  readonly #found = new Map<string, readonly T[]>();

  constructor(entries: readonly T[]) {
    this.#entries = entries;
    this.#texts = entries.map(({ verb }) => ` ${verb.replaceAll('\n', ' ')} `);
  }

  /** Returns the entries with this name, in their order. */
  get(name: string): readonly T[] {
    const known = this.#found.get(name);
    if (known) return known;
    if (name === '' || /\s/.test(name)) return [];
    const found = this.#entries.filter((_, i) => this.#texts[i]?.includes(` ${name} `));
    if (this.#found.size >= MAX_KEPT) this.#found.clear(); // Unknown names are kept too, and there may be any number of them.
    this.#found.set(name, found);
    return found;
  }

  has(name: string): boolean {
    return this.get(name).length > 0;
  }
}
