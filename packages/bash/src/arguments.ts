/** The arguments of a call, options and operands apart. */
export class Arguments {
  readonly operands: string[] = [];
  readonly #options: string[] = [];
  #letters = '';

  /** `valued` are the options that take the next word. */
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

  /** True when the option is there: `-x` also in a cluster, `--long` also shortened or with a value. */
  has(option: string): boolean {
    if (/^-[A-Za-z0-9]$/.test(option)) return this.#letters.includes(option[1] ?? '');
    if (!option.startsWith('--')) {
      return this.#options.some((given) => isNamed(given, option) || isNamed(given, `-${option}`));
    }
    return this.#options.some((given) => isNamed(given, option) || isShortened(given, option));
  }

  /** Gives true when the option takes the next word. */
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

/** Where in a cluster of short options the first stands that takes a value; -1 when none does. */
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
  return name.length >= 4 && name.startsWith('--') && option.startsWith(name);
}

/** The values of these options, wherever they stand: `-o x`, `-ox`, `--output x`, `--output=x`. */
export function valuesOf(args: readonly string[], options: readonly string[]): string[] {
  const values: string[] = [];
  for (const [i, arg] of args.entries()) {
    for (const option of options) {
      if (arg === option) values.push(args[i + 1] ?? '');
      else if (arg.startsWith(`${option}=`)) values.push(arg.slice(option.length + 1));
      else if (option.length === 2 && arg.startsWith(option)) values.push(arg.slice(2));
      else if (option.length === 2 && isClusterEndingIn(arg, option)) values.push(args[i + 1] ?? '');
    }
  }
  return values;
}

function isClusterEndingIn(arg: string, option: string): boolean {
  return /^-[A-Za-z]{2,5}$/.test(arg) && arg.endsWith(option[1] ?? '');
}

/** A list that is written as words. */
export function wordsIn(text: string | undefined): string[] {
  return text ? text.trim().split(/\s+/) : [];
}
