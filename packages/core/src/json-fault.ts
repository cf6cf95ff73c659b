const [NEWLINE, QUOTE] = [0x0a, 0x22];

/** A value read from the stream, or why the text there is not one. */
export type Incoming =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** The members of the value that are numbers which JavaScript writes otherwise: the text of each, by its key. */
      readonly numbers?: ReadonlyMap<string, string>;
    }
  | { readonly ok: false; readonly message: string; readonly suggestion: string };

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
