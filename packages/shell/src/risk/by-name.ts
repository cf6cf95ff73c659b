const MAX_KEPT = 4_096;

/** Returns `find`, which then runs once a name. Commands may hold any number of names, so 4096 results are kept at most. */
export function remembered<T>(find: (name: string) => T): (name: string) => T {
  const known = new Map<string, T>();
  return (name) => {
    if (known.has(name)) return known.get(name) as T;
    const found = find(name);
    if (known.size >= MAX_KEPT) known.clear();
    known.set(name, found);
    return found;
  };
}

/**
 * Finds entries by name. The names of an entry are words of one text: `rm rmdir`. They are searched instead of split: a
 * command asks for a few of many hundred names, and a process may judge one command only.
 */
export class ByName<T extends { readonly verb: string }> {
  /** Returns the entries with this name, in their order. */
  readonly get: (name: string) => readonly T[];

  constructor(entries: readonly T[]) {
    const texts = entries.map(({ verb }) => ` ${verb.replaceAll('\n', ' ')} `);
    this.get = remembered((name) => {
      if (name === '' || /\s/.test(name)) return [];
      return entries.filter((_, i) => texts[i]?.includes(` ${name} `));
    });
  }

  has(name: string): boolean {
    return this.get(name).length > 0;
  }
}
