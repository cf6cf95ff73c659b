/** Control characters: all that is neither printable ASCII nor beyond U+009F. */
const CONTROLS = /[^ -~\u00a0-\uffff]/g;

/** A path on one line: a name with a line break in it must not make a header of its own. */
export function showPath(path: string): string {
  return path.replace(CONTROLS, (char) => JSON.stringify(char).slice(1, -1));
}
