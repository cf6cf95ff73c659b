/** Takes a sentence on what is wrong. */
export type Note = (sentence: string) => void;

/**
 * A table of a manifest that anybody may have written: whatever is asked for comes in the type that was asked for, or is
 * left out and noted. Own keys alone count.
 */
export class Manifest {
  readonly #value: Readonly<Record<string, unknown>>;
  readonly #where: string;
  readonly #note: Note;

  constructor(value: unknown, where: string, note: Note) {
    this.#where = where;
    this.#note = note;
    this.#value = isTable(value) ? value : {};
    if (value !== undefined && !isTable(value)) note(`${where} is not a table of keys and values`);
  }

  has(key: string): boolean {
    return Object.hasOwn(this.#value, key);
  }

  keys(): string[] {
    return Object.keys(this.#value);
  }

  /** The table of that name; an empty one when there is none. */
  table(key: string): Manifest {
    return new Manifest(this.#get(key), this.#nameOf(key), this.#note);
  }

  /** The same where something else may stand too. */
  tableIfAny(key: string): Manifest {
    const value = this.#get(key);
    return new Manifest(isTable(value) ? value : undefined, this.#nameOf(key), this.#note);
  }

  string(key: string): string | undefined {
    const value = this.#get(key);
    if (value === undefined || typeof value === 'string') return value;
    this.#note(`${this.#nameOf(key)} is not a string`);
    return undefined;
  }

  /** The same where something else may stand too. */
  stringIfAny(key: string): string | undefined {
    const value = this.#get(key);
    return typeof value === 'string' ? value : undefined;
  }

  /** True for that value alone; others, and none, are no fault. */
  is(value: boolean, key: string): boolean {
    return this.#get(key) === value;
  }

  /** The strings of a list where something else may stand between them. */
  stringsAmong(key: string): string[] {
    const value = this.#get(key);
    return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : this.strings(key);
  }

  strings(key: string): string[] {
    const value = this.#get(key);
    if (value === undefined) return [];
    const texts = Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
    const isClean = Array.isArray(value) && texts.length === value.length;
    if (!isClean) this.#note(`${this.#nameOf(key)} is not a list of strings`);
    return texts;
  }

  #get(key: string): unknown {
    return this.has(key) ? (this.#value[key] ?? undefined) : undefined;
  }

  #nameOf(key: string): string {
    return `${this.#where}${this.#where.endsWith(':') ? ' ' : '.'}${key}`;
  }
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
