import { nearestName } from '../errors/index.ts';
import type { FlagTable } from './command-spec.ts';

/** The command line is wrong. The message is for the user. */
export class FlagError extends Error {}

export interface ParseOptions {
  /** Reports whether the word after a flag whose value is optional is that value. */
  isValue?(flag: string, word: string): boolean;
  /** Hears of a long flag with an empty value, as in `--flag=`. It may throw FlagError. */
  onEmpty?(flag: string): void;
  readonly abbreviates?: boolean;
  readonly hint?: string;
}

/** Parses flags and words in any order. Node's own parser knows neither abbreviated flags nor optional values. */
export class ParsedFlags<Name extends string = string> {
  readonly words: string[] = [];
  readonly #values = new Map<string, string[]>();
  readonly #flags: FlagTable;
  readonly #rest: string[];
  readonly #options: ParseOptions;

  constructor(flags: Readonly<Record<Name, FlagTable[string]>>, argv: readonly string[], options: ParseOptions = {}) {
    this.#flags = flags;
    this.#rest = [...argv];
    this.#options = options;
    for (let argument = this.#rest.shift(); argument !== undefined; argument = this.#rest.shift()) {
      if (argument === '--') this.words.push(...this.#rest.splice(0));
      else if (argument.startsWith('--')) this.#takeLong(argument);
      else if (argument.startsWith('-') && argument !== '-') this.#takeShort(argument);
      else this.words.push(argument);
    }
  }

  has(name: Name): boolean {
    return this.#values.has(name);
  }

  /** Returns the value of the last use. An empty text for a flag without a value. */
  last(name: Name): string | undefined {
    return this.#values.get(name)?.at(-1);
  }

  all(name: Name): readonly string[] {
    return this.#values.get(name) ?? [];
  }

  #takeLong(argument: string): void {
    const equals = argument.indexOf('=');
    const name = this.#toName(equals < 0 ? argument : argument.slice(0, equals));
    const value = equals < 0 ? undefined : argument.slice(equals + 1);
    const takesValue = this.#flags[name]?.value !== undefined;
    if (value !== undefined && !takesValue) throw new FlagError(`--${name} takes no value`);
    if (value === '') this.#options.onEmpty?.(name);
    this.#add(name, value ?? (takesValue ? this.#valueOf(name) : ''));
  }

  #takeShort(argument: string): void {
    for (let i = 1; i < argument.length; i++) {
      const name = this.#shortName(argument.charAt(i));
      const takesValue = this.#flags[name]?.value !== undefined;
      const isLast = i === argument.length - 1;
      if (!takesValue || isLast) this.#add(name, takesValue ? this.#valueOf(name) : '');
      else {
        this.#add(name, argument.slice(i + (argument[i + 1] === '=' ? 2 : 1)));
        return;
      }
    }
  }

  #valueOf(name: string): string {
    const next = this.#rest[0];
    const isFlag = next === undefined || (next.startsWith('-') && next !== '-');
    const optional = this.#flags[name]?.optional;
    if (optional === undefined) {
      if (!isFlag) return this.#rest.shift() ?? '';
      throw new FlagError(`--${name} takes a value; one that begins with a dash is written --${name}=-…`);
    }
    if (isFlag || optional === 'equals' || this.#options.isValue?.(name, next) === false) return '';
    return this.#rest.shift() ?? '';
  }

  #add(name: string, value: string): void {
    const known = this.#values.get(name);
    if (known) known.push(value);
    else this.#values.set(name, [value]);
  }

  #toName(flag: string): string {
    const cut = flag.slice(2);
    if (Object.hasOwn(this.#flags, cut)) return cut;
    const isCut = this.#options.abbreviates === true && cut !== '';
    const [name, ...others] = isCut ? Object.keys(this.#flags).filter((each) => each.startsWith(cut)) : [];
    if (name === undefined) return this.#refuse(flag);
    if (others.length === 0) return name;
    throw new FlagError(`${flag} could be ${[name, ...others].map((known) => `--${known}`).join(' or ')}`);
  }

  #shortName(letter: string): string {
    const found = Object.entries(this.#flags).find(([, { short }]) => short === letter);
    return found?.[0] ?? this.#refuse(`-${letter}`);
  }

  #refuse(flag: string): never {
    throw toUnknown('option', flag, { known: Object.keys(this.#flags).map((name) => `--${name}`), ...this.#options });
  }
}

/** Makes the error for an unknown flag or command, with the nearest name. */
export function toUnknown(
  kind: 'option' | 'command',
  given: string,
  { known, hint }: { readonly known: readonly string[]; readonly hint?: string },
): FlagError {
  if (kind === 'command' && known.includes(given)) return new FlagError(`${given} must come first, before any flag`);
  const nearest = given.length > 2 ? nearestName(given, known) : undefined;
  const advice = nearest === undefined ? hint : `did you mean ${nearest}?`;
  return new FlagError(`Unknown ${kind} '${given}'${advice === undefined ? '' : `; ${advice}`}`);
}

/** Returns the value if it is a known one. Throws FlagError. */
export function choose<T extends string>(flag: string, known: readonly T[], value: string): T {
  const found = known.find((name) => name === value);
  if (found !== undefined) return found;
  throw new FlagError(`${flag} takes ${known.join(', ')}, not ${JSON.stringify(value)}`);
}
