const MAX_KEPT = 4_096;

/** What is known by names that are written as words of one text: `rm rmdir`. */
interface Named {
  readonly verb: string;
}

/**
 * Finds entries by name. The texts are searched as they stand, and taken apart never: a command asks for a few of many
 * hundred names, and a process may judge one command.
 */
export class ByName<T extends Named> {
  readonly #entries: readonly T[];
  readonly #texts: readonly string[];
  readonly #found = new Map<string, readonly T[]>();

  constructor(entries: readonly T[]) {
    this.#entries = entries;
    this.#texts = entries.map(({ verb }) => ` ${verb.replaceAll('\n', ' ')} `);
  }

  /** In the order of the entries. */
  get(name: string): readonly T[] {
    const known = this.#found.get(name);
    if (known) return known;
    if (name === '' || /\s/.test(name)) return [];
    const found = this.#entries.filter((_, i) => this.#texts[i]?.includes(` ${name} `));
    if (this.#found.size >= MAX_KEPT) this.#found.clear(); // What is not known could be anything, and without end.
    this.#found.set(name, found);
    return found;
  }

  has(name: string): boolean {
    return this.get(name).length > 0;
  }
}
