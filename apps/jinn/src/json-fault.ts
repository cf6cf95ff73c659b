const [NEWLINE, QUOTE] = [0x0a, 0x22];

/** A value read from the stream, or why the text there is not JSON. */
export type Incoming =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string };

/** What the reader expects next, by its state. */
export const EXPECTED = [
  'a value',
  'a value or "]"',
  'a key in double quotes or "}"',
  'a key in double quotes',
  'a colon after a key',
  'a comma or "]" after an element',
  'a comma or "}" after a member',
];

/** Returns the line and column where a text ends, counted from 1. */
export function place(before: Buffer): string {
  let line = 1;
  for (let at = before.indexOf(NEWLINE); at >= 0; at = before.indexOf(NEWLINE, at + 1)) line += 1;
  const column = before.toString('utf8', before.lastIndexOf(NEWLINE) + 1).length + 1;
  return ` (line ${line}, column ${column})`;
}

/** Names a byte in words, without echoing a control character to a terminal. */
export function describe(byte: number): string {
  if (byte === NEWLINE) return 'a line break';
  if (byte === 0x09) return 'a tab';
  if (byte >= 0x80) return 'a character outside ASCII';
  if (byte < 0x20 || byte === 0x7f) return `the control character 0x${byte.toString(16).padStart(2, '0')}`;
  return byte === QUOTE ? `'"'` : `"${String.fromCharCode(byte)}"`;
}

/** Quotes the start of a text as JSON, which leaves no control character. */
export function quote(text: string, length: number): string {
  const toEscape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(text.slice(0, length)).replace(/[\x7f-\x9f\u2028\u2029]/g, toEscape);
}
