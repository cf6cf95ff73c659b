/**
 * A path as its bytes, one character a byte. Names need not be UTF-8; such a name must neither be lost nor hide the
 * entries below it.
 */
export type BytePath = string;

const ASCII = /^[\0-\x7f]*$/;

export function toBytePath(path: string): BytePath {
  return ASCII.test(path) ? path : Buffer.from(path).toString('latin1');
}

/** Returns a path in the form that the functions of node:fs take. */
export function toSystemPath(path: BytePath): string | Buffer {
  return ASCII.test(path) ? path : Buffer.from(path, 'latin1');
}

/** Returns a path as text for people; bytes that are not UTF-8 are replaced. */
export function toText(path: BytePath): string {
  return toSystemPath(path).toString();
}
