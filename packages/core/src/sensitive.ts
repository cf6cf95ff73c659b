/** The names of secrets; `.env.*` are secrets too. */
const NAMES = new Set(['.git', '.ssh', '.aws', '.gnupg', '.env']);
const BEGINNING = '.env.';
const DOT = 46;
const PLAIN_ASCII = /^[\x20-\x7e]*$/;

/**
 * Reports whether a path segment is secret, in any letter case.
 * Security: it folds case on every system, since a workspace may lie on a file system that does.
 */
export function isSensitiveSegment(segment: string): boolean {
  const first = segment.charCodeAt(0);
  if (first < 128 && first !== DOT) return false;
  const name = foldName(segment);
  return NAMES.has(name) || name.startsWith(BEGINNING);
}

/** Reports whether any segment of a slash-separated path is secret. */
export function hasSensitiveSegment(path: string): boolean {
  return path.split('/').some(isSensitiveSegment);
}

function foldName(segment: string): string {
  if (PLAIN_ASCII.test(segment)) return segment.toLowerCase();
  // HFS+ and folding ext4 ignore these characters in names: `.g\u00adit` opens `.git` there. V8 takes a part of a
  // millisecond to compile the class, so it is compiled only when it is needed.
  const visible = segment.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  // Lower, upper, lower: the folds that change the length (`ß` and `ẞ` to `ss`) come out alike.
  return visible.toLowerCase().toUpperCase().toLowerCase();
}

/** Folds a path as a file system does that ignores case; on others, two names may have the same folded form. */
export function foldPath(path: string): string {
  return (PLAIN_ASCII.test(path) ? path : path.normalize('NFC')).toLowerCase();
}
