/** A member of an object, to be set. */
export interface Member {
  readonly name: string;
  readonly value: unknown;
}

export type Members = Readonly<Record<string, unknown>>;

/** Edits the text of one format. Whatever it is not asked to change stays, byte for byte. */
export interface Editor {
  /** Throws an Error if the text does not parse; its message continues "it is not JSON: ". */
  parse(text: string): unknown;
  /** Sets a member of the object at `path`, which is made if it is missing. */
  set(text: string, path: readonly string[], member: Member, eol: string): string;
  /**
   * Removes a member of the object at `path`, and the object too if it looks as if `set` had made it for this member. So a
   * text to which `set` has added a member becomes what it was before.
   */
  remove(text: string, path: readonly string[], name: string): string;
}

export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Converts a value to what JSON has, since parsers make numbers, dates and prototypes of their own. */
export function plain(value: unknown): unknown {
  const text = JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? `${member}n` : member));
  return text === undefined ? undefined : JSON.parse(text);
}

/** Returns the text with another one in place of a range. */
export function splice(text: string, from: number, to: number, inserted: string): string {
  return text.slice(0, from) + inserted + text.slice(to);
}
