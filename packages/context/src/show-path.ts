/** A path on one line: a name with a line break in it must not make a header of its own. */
export function showPath(path: string): string {
  return /\p{Cc}/u.test(path) ? path.replace(/\p{Cc}/gu, (char) => JSON.stringify(char).slice(1, -1)) : path;
}
