import { byPath, type EntryKind } from './walk-entry.ts';

/** A name in a directory. Links are never followed; FIFOs, sockets and devices are special. */
export interface NamedEntry {
  readonly name: string;
  readonly kind: EntryKind;
}

const KINDS: Readonly<Record<string, EntryKind>> = { f: 'file', d: 'directory', l: 'link', s: 'special' };

/**
 * What a directory holds. The names of its files are one text, between slashes (`/a/b/`; `/` for none): most of them
 * are looked at all at once, and to cut out each would take longer than that.
 */
export class Names {
  /** All names, between slashes. */
  readonly joined: string;
  /** How many were left out, because their names are not UTF-8 and could not be given back to the system. */
  readonly unreadable: number;
  /** In the order of the disk, until they are needed in that of a walk. */
  #entries: NamedEntry[] | undefined;
  #isInOrder = false;
  #hasHidden: boolean | undefined;
  #files: string | undefined;
  #others: readonly NamedEntry[] | undefined;

  private constructor(joined: string, unreadable: number) {
    this.joined = joined;
    this.unreadable = unreadable;
  }

  static of(entries: NamedEntry[], unreadable = 0): Names {
    const names = new Names(joinNames(entries.map(({ name }) => name)), unreadable);
    names.#entries = entries;
    return names;
  }

  /** Reads what `encode` gave; undefined for anything else. */
  static decode(text: string): Names | undefined {
    const start = text.indexOf('/');
    const middle = text.indexOf('//', start);
    if (start < 0 || middle < 0 || !text.endsWith('/')) return undefined;
    const names = new Names(text.slice(start), 0);
    names.#files = text.slice(middle + 1);
    names.#others = toEntries(text.slice(0, start), splitNames(text.slice(start, middle + 1)));
    return names.#others.length === start ? names : undefined;
  }

  /** `dl/a/b//c/d/`: a letter for the kind of each that is no file, their names, and those of the files. */
  encode(): string {
    const { others, files } = this;
    return others.map(({ kind }) => kind[0]).join('') + joinNames(others.map(({ name }) => name)) + files;
  }

  /** The names of the files, sorted, between slashes. */
  get files(): string {
    this.#files ??= joinNames(
      this.#known
        .filter(({ kind }) => kind === 'file')
        .map(({ name }) => name)
        .sort(),
    );
    return this.#files;
  }

  /** What is no file, in the order of a walk. */
  get others(): readonly NamedEntry[] {
    this.#others ??= this.#known.filter(({ kind }) => kind !== 'file').sort(byPath);
    return this.#others;
  }

  /** In no order. */
  get entries(): readonly NamedEntry[] {
    return this.#known;
  }

  /** The entries in the order of a walk. */
  inOrder(): readonly NamedEntry[] {
    if (!this.#isInOrder) this.#known.sort(byPath);
    this.#isInOrder = true;
    return this.#known;
  }

  has(name: string): boolean {
    this.#hasHidden ??= this.joined.includes('/.');
    return (this.#hasHidden || !name.startsWith('.')) && this.joined.includes(`/${name}/`);
  }

  get #known(): NamedEntry[] {
    this.#entries ??= [
      ...(this.#others ?? []),
      ...splitNames(this.#files ?? '/').map((name): NamedEntry => ({ name, kind: 'file' })),
    ];
    return this.#entries;
  }
}

const NONE: readonly NamedEntry[] = [];

function toEntries(kinds: string, names: readonly string[]): readonly NamedEntry[] {
  return names.length === 0 ? NONE : names.map((name, i) => ({ name, kind: KINDS[kinds[i] as string] ?? 'special' }));
}

export function joinNames(names: readonly string[]): string {
  return names.length === 0 ? '/' : `/${names.join('/')}/`;
}

export function splitNames(joined: string): string[] {
  return joined.length < 2 ? [] : joined.slice(1, -1).split('/');
}
