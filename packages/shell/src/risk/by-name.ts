import { remembered } from './remembered.ts';

/** An entry with one or more names, written as words of one text: `rm rmdir`. */
interface NamedRule {
  readonly verb: string;
}

/**
 * Finds entries by name. It searches the texts as they are instead of splitting them: a command asks for a few of many
 * hundred names, and a process may judge one command only.
 */
export class ByName<T extends NamedRule> {
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
