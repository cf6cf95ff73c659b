/** Control characters: everything but printable ASCII and the characters after U+009F. */
const CONTROL = /[^ -~\u00a0-\uffff]/;
const CONTROLS = new RegExp(CONTROL, 'g');

/** Escapes control characters, so that a name with a line break cannot look like a header. */
export function escapePath(path: string): string {
  if (!CONTROL.test(path)) return path;
  return path.replace(CONTROLS, (char) =>
    char < ' ' ? JSON.stringify(char).slice(1, -1) : `\\u00${char.charCodeAt(0).toString(16)}`,
  );
}
