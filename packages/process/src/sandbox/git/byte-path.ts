/** A path with one character per byte: a name that is not UTF-8 must not be lost, nor hide entries below it. */
export type BytePath = string;

const ASCII = /^[\0-\x7f]*$/;

export function toBytePath(path: string): BytePath {
  return ASCII.test(path) ? path : Buffer.from(path).toString('latin1');
}

/** Returns a path in the form that the functions of node:fs take. */
export function toSystemPath(path: BytePath): string | Buffer {
  return ASCII.test(path) ? path : Buffer.from(path, 'latin1');
}

/** Returns a path as text for users; bytes that are not UTF-8 are replaced. */
export function byteText(path: BytePath): string {
  return toSystemPath(path).toString();
}
