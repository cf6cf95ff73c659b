import { isObject } from '@jinn/core/text';

/** Accepts a warning. */
export type WarnFunction = (sentence: string) => void;

/** A table of a manifest. Each method omits a value of another type, and warns of it. Only own keys count. */
export class Manifest {
  readonly #value: Readonly<Record<string, unknown>>;
  readonly #where: string;
  readonly #warn: WarnFunction;

  constructor(value: unknown, where: string, warn: WarnFunction) {
    this.#where = where;
    this.#warn = warn;
    this.#value = isObject(value) ? value : {};
    if (value !== undefined && !isObject(value)) warn(`${where} is not a table of keys and values`);
  }

  has(key: string): boolean {
    return Object.hasOwn(this.#value, key);
  }

  keys(): string[] {
    return Object.keys(this.#value);
  }

  /** Returns the table of that name. An empty one if it is missing. */
  table(key: string): Manifest {
    return new Manifest(this.#get(key), this.#nameOf(key), this.#warn);
  }

  /** Returns the table of that name, like `table`, for a key that may have another type too. */
  tableIfAny(key: string): Manifest {
    const value = this.#get(key);
    return new Manifest(isObject(value) ? value : undefined, this.#nameOf(key), this.#warn);
  }

  string(key: string): string | undefined {
    const value = this.#get(key);
    if (value === undefined || typeof value === 'string') return value;
    this.#warn(`${this.#nameOf(key)} is not a string`);
    return undefined;
  }

  /** Returns the string of that name, like `string`, for a key that may have another type too. */
  stringIfAny(key: string): string | undefined {
    const value = this.#get(key);
    return typeof value === 'string' ? value : undefined;
  }

  /** Reports whether the key has exactly this value. Other values and a missing key are no reason to warn. */
  is(value: boolean, key: string): boolean {
    return this.#get(key) === value;
  }

  /** Returns the strings of a list that may have other values too. */
  stringsAmong(key: string): string[] {
    const value = this.#get(key);
    return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : this.strings(key);
  }

  /** Returns the tables of a list, or none for anything else. */
  tablesAmong(key: string): Manifest[] {
    const value = this.#get(key);
    const tables = Array.isArray(value) ? value.filter(isObject) : [];
    return tables.map((table) => new Manifest(table, this.#nameOf(key), this.#warn));
  }

  strings(key: string): string[] {
    const value = this.#get(key);
    if (value === undefined) return [];
    const texts = Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
    const isClean = Array.isArray(value) && texts.length === value.length;
    if (!isClean) this.#warn(`${this.#nameOf(key)} is not a list of strings`);
    return texts;
  }

  #get(key: string): unknown {
    return this.has(key) ? (this.#value[key] ?? undefined) : undefined;
  }

  #nameOf(key: string): string {
    return `${this.#where}${this.#where.endsWith(':') ? ' ' : '.'}${key}`;
  }
}
