/** No program that the rules know has a longer name, and the patterns below are for short ones. */
const MAX_LENGTH = 64;

const LIKE_GNU = new Set(
  'rm dd cp mv ln sed awk grep find xargs sort cat chmod chown touch tee timeout env shred truncate unlink rmdir kill install split stat du head tail date nice nohup stdbuf tar make'.split(
    ' ',
  ),
);

/**
 * Returns the name by which the rules know a program: the last part of its path, in lower case, without a version
 * (`python3.11`), a kind (`mkfs.ext4`), the `g` of GNU programs, `.exe`, or the `.cjs` of jinn.
 */
export function programName(verb: string, isKnown: (name: string) => boolean): string {
  const base = verb
    .slice(verb.lastIndexOf('/') + 1)
    .replace(/^=/, '')
    .toLowerCase();
  if (isKnown(base) || base.length > MAX_LENGTH) return base;
  const candidates = [
    base.replace(/\.exe$|(?<=^jinn(?:-mcp)?)\.[cm]?js$/, ''),
    base.replace(/[-.]?\d+(?:\.\d+)*$/, ''),
    base.replace(/[-.]\d[\d.]*(?:-\w+)?$/, ''),
    base.replace(/^((?:mkfs|fsck|newfs|ld-[\w-]+\.so))[._].*$/, '$1'),
    base.startsWith('g') && LIKE_GNU.has(base.slice(1)) ? base.slice(1) : base,
  ];
  return candidates.find(isKnown) ?? base;
}
