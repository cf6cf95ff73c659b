/** Control characters: all that is neither printable ASCII nor beyond U+009F. */
const CONTROL = /[^ -~\u00a0-\uffff]/;
const CONTROLS = new RegExp(CONTROL, 'g');

/** A path on one line: a name with a line break in it must not make a header of its own. */
export function showPath(path: string): string {
  if (!CONTROL.test(path)) return path;
  return path.replace(CONTROLS, (char) => (char < ' ' ? JSON.stringify(char).slice(1, -1) : toEscape(char)));
}

function toEscape(char: string): string {
  return `\\u00${char.charCodeAt(0).toString(16)}`;
}
