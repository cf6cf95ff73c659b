/** The names of secrets, as globs. A star can only be the last character. */
export const SENSITIVE_GLOBS: readonly string[] = ['.git', '.ssh', '.aws', '.gnupg', '.env', '.env.*'];

const NAMES = new Set(SENSITIVE_GLOBS.filter((glob) => !glob.endsWith('*')));
const BEGINNINGS = SENSITIVE_GLOBS.filter((glob) => glob.endsWith('*')).map((glob) => glob.slice(0, -1));
const DOT = 46;
const PLAIN_ASCII = /^[\x20-\x7e]*$/;

/**
 * Says whether one path segment is secret, in any case.
 * Security: compared case-folded on every system, since a workspace may lie on a file system that folds names.
 */
export function isSensitiveSegment(segment: string): boolean {
  const first = segment.charCodeAt(0);
  if (first < 128 && first !== DOT) return false;
  const name = foldName(segment);
  return NAMES.has(name) || BEGINNINGS.some((beginning) => name.startsWith(beginning));
}

/** Says whether any segment of a slash-separated path is secret. */
export function hasSensitiveSegment(path: string): boolean {
  return path.split('/').some(isSensitiveSegment);
}

function foldName(segment: string): string {
  if (PLAIN_ASCII.test(segment)) return segment.toLowerCase();
  // HFS+ and folding ext4 ignore these in names: `.g\u00adit` opens `.git` there. (To make the class of them takes V8 a
  // part of a millisecond: here it is made when it is needed, and not at each start.)
  const visible = segment.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  // Lower, upper, lower: the folds that change the length (`ß` and `ẞ` to `ss`) come out alike.
  return visible.toLowerCase().toUpperCase().toLowerCase();
}

/** Folds a path as a file system does that ignores case; on others, two names may have the same folded form. */
export function foldPath(path: string): string {
  return (PLAIN_ASCII.test(path) ? path : path.normalize('NFC')).toLowerCase();
}
