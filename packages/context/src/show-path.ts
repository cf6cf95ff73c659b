/** Control characters: all that is neither printable ASCII nor beyond U+009F. */
const CONTROLS = /[^ -~\u00a0-\uffff]/g;

/** A path on one line: a name with a line break in it must not make a header of its own. */
export function showPath(path: string): string {
  return path.replace(CONTROLS, (char) => (char < ' ' ? JSON.stringify(char).slice(1, -1) : toEscape(char)));
}

function toEscape(char: string): string {
  return `\\u00${char.charCodeAt(0).toString(16)}`;
}
