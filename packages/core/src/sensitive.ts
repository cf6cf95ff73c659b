const SENSITIVE = new Set(['.git', '.ssh', '.aws', '.gnupg', '.env']);
const PLAIN_ASCII = /^[\x20-\x7e]*$/;
/** Code points that HFS+ ignores in names: `.g\u200cit` opens `.git` there. */
const IGNORED_IN_NAMES = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/**
 * Says whether one path segment is secret: `.git .ssh .aws .gnupg .env .env.*`, in any case (seeds/jinn-security).
 * Security: compared case-folded on every system, since a workspace may lie on a file system that folds names.
 */
export function isSensitiveSegment(segment: string): boolean {
  const dot = segment.charCodeAt(0);
  if (dot === 46 ? segment.length < 4 : dot < 128) return false;
  const name = foldName(segment);
  return SENSITIVE.has(name) || name.startsWith('.env.');
}

/** Says whether any segment of a slash-separated path is secret. */
export function hasSensitiveSegment(path: string): boolean {
  return path.split('/').some(isSensitiveSegment);
}

function foldName(segment: string): string {
  if (PLAIN_ASCII.test(segment)) return segment.toLowerCase();
  return segment.replace(IGNORED_IN_NAMES, '').normalize('NFKC').toUpperCase().toLowerCase();
}
