export const [NEWLINE, QUOTE, COMMA, COLON, BACKSLASH] = [0x0a, 0x22, 0x2c, 0x3a, 0x5c];
export const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

export function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === NEWLINE || byte === 0x0d || byte === 0x09;
}

/** Reports whether a byte ends a number or literal. Any other byte belongs to it, so that a wrong word like `True` is one fault. */
export function isPunctuation(byte: number): boolean {
  if (byte <= 0x20 || byte === QUOTE || byte === COMMA || byte === COLON) return true;
  return byte === OPEN_BRACKET || byte === CLOSE_BRACKET || byte === OPEN_BRACE || byte === CLOSE_BRACE;
}
