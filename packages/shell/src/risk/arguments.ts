/** The arguments of a call, separated into options and operands. */
export class Arguments {
  readonly operands: string[] = [];
  readonly #options: string[] = [];
  #letters = '';

  /** Separates options from operands. `valued` are the options that take the next word. */
  constructor(args: readonly string[], valued: ReadonlySet<string>) {
    for (let i = 0; i < args.length; i++) {
      const arg = args[i] ?? '';
      if (arg === '--') {
        this.#options.push(arg);
        this.operands.push(...args.slice(i + 1));
        return;
      }
      if (!arg.startsWith('-') || arg === '-') this.operands.push(arg);
      else if (this.#addOption(arg, valued)) i++;
    }
  }

  /** Reports whether the option is given: `-x` also in a cluster, `--long` also shortened or with a value. */
  has(option: string): boolean {
    if (/^-[A-Za-z0-9]$/.test(option)) return this.#letters.includes(option[1] ?? '');
    if (!option.startsWith('--')) {
      return this.#options.some((given) => isNamed(given, option) || isNamed(given, `-${option}`));
    }
    return this.#options.some((given) => isNamed(given, option) || isShortened(given, option));
  }

  /** Returns true if the option takes the next word. */
  #addOption(arg: string, valued: ReadonlySet<string>): boolean {
    this.#options.push(arg);
    if (valued.has(arg)) {
      if (arg.length === 2) this.#letters += arg[1];
      return true;
    }
    if (arg.startsWith('--')) return false;
    const taking = letterTaking(arg, valued);
    this.#letters += taking === -1 ? arg.slice(1) : arg.slice(1, taking + 1);
    return taking === arg.length - 1;
  }
}

/** Returns the position of the first short option in a cluster that takes a value, or -1 if none does. */
export function letterTaking(cluster: string, valued: ReadonlySet<string>): number {
  for (let i = 1; i < cluster.length; i++) if (valued.has(`-${cluster[i]}`)) return i;
  return -1;
}

function isNamed(given: string, option: string): boolean {
  return given === option || (given.startsWith(option) && given[option.length] === '=');
}

function isShortened(given: string, option: string): boolean {
  const equals = given.indexOf('=');
  const name = equals === -1 ? given : given.slice(0, equals);
  return name.length >= 3 && name.startsWith('--') && option.startsWith(name) && option.length > 2;
}

/** Returns the values of these options, wherever they stand: `-o x`, `-ox`, `--output x`, `--output=x`, `--outp=x`. */
export function valuesOf(args: readonly string[], options: readonly string[]): string[] {
  const values: string[] = [];
  for (let i = 0; i < args.length; i++) {
    if (!args[i]?.startsWith('-')) continue;
    for (const option of options) {
      const value = valueAt(args, i, option);
      if (value !== undefined) values.push(value);
    }
  }
  return values;
}

/** The same, and what may be a value after other letters, as in `-so/etc/x`: for checks to which one too many does no harm. */
export function possibleValuesOf(args: readonly string[], options: readonly string[]): string[] {
  const letters = options.filter(({ length }) => length === 2).map((option) => option.charAt(1));
  const attached = args
    .filter((arg) => /^-[A-Za-z]{2}/.test(arg))
    .flatMap((arg) =>
      letters.map((letter) => (arg.indexOf(letter, 2) === -1 ? '' : arg.slice(arg.indexOf(letter, 2) + 1))),
    );
  return [...valuesOf(args, options), ...attached.filter((value) => value !== '')];
}

function valueAt(args: readonly string[], at: number, option: string): string | undefined {
  const arg = args[at] ?? '';
  if (arg === option) return args[at + 1] ?? '';
  if (option.length === 2) {
    if (arg.startsWith(option)) return arg.slice(arg[2] === '=' ? 3 : 2);
    const endsCluster = /^-[A-Za-z]{2,5}$/.test(arg) && arg.endsWith(option[1] ?? '');
    return endsCluster ? (args[at + 1] ?? '') : undefined;
  }
  if (!isNamed(arg, option) && !isShortened(arg, option)) return undefined;
  const equals = arg.indexOf('=');
  return equals === -1 ? (args[at + 1] ?? '') : arg.slice(equals + 1);
}

/** Splits a list that is written as words. */
export function wordsIn(text: string | undefined): string[] {
  const trimmed = text?.trim();
  return trimmed ? trimmed.split(/\s+/) : [];
}

/** Reports whether a list that is written as words holds this one. It is faster than a set for a list asked once. */
export function holdsWord(list: string, word: string): boolean {
  if (word === '' || word.includes(' ')) return false;
  for (let at = list.indexOf(word); at !== -1; at = list.indexOf(word, at + 1)) {
    const end = at + word.length;
    if ((at === 0 || list[at - 1] === ' ') && (end === list.length || list[end] === ' ')) return true;
  }
  return false;
}

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

/** No program that the rules know has a longer name, and the patterns below are for short ones. */
const MAX_LENGTH = 64;

const LIKE_GNU = new Set(
  'rm dd cp mv ln sed awk grep find xargs sort cat chmod chown touch tee timeout env shred truncate unlink rmdir kill install split stat du head tail date nice nohup stdbuf tar make'.split(
    ' ',
  ),
);

/**
 * Returns the name by which the rules know a program: the last part of its path, in lower case, without a version
 * (`python3.11`), a kind (`mkfs.ext4`), the `g` of GNU programs, `.exe`, or the `.cjs` of jinn.
 */
export function programName(verb: string, isKnown: (name: string) => boolean): string {
  const base = verb
    .slice(verb.lastIndexOf('/') + 1)
    .replace(/^=/, '')
    .toLowerCase();
  if (isKnown(base) || base.length > MAX_LENGTH) return base;
  const candidates = [
    base.replace(/\.exe$|(?<=^jinn(?:-mcp)?)\.[cm]?js$/, ''),
    base.replace(/[-.]?\d+(?:\.\d+)*$/, ''),
    base.replace(/[-.]\d[\d.]*(?:-\w+)?$/, ''),
    base.replace(/^((?:mkfs|fsck|newfs|ld-[\w-]+\.so))[._].*$/, '$1'),
    base.startsWith('g') && LIKE_GNU.has(base.slice(1)) ? base.slice(1) : base,
  ];
  return candidates.find(isKnown) ?? base;
}
