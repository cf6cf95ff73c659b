/** Control characters: everything but printable ASCII and the characters after U+009F. */
const CONTROL = /[^ -~\u00a0-\uffff]/;
const CONTROLS = new RegExp(CONTROL, 'g');

/** Escapes control characters, so that a name with a line break cannot look like a header. */
export function showPath(path: string): string {
  if (!CONTROL.test(path)) return path;
  return path.replace(CONTROLS, (char) => (char < ' ' ? JSON.stringify(char).slice(1, -1) : toEscape(char)));
}

function toEscape(char: string): string {
  return `\\u00${char.charCodeAt(0).toString(16)}`;
}
