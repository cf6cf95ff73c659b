interface NamePattern {
  readonly pattern: string;
  /** Matched against a path, of which only the last name is looked at here. */
  readonly anchored: boolean;
}

/**
 * Makes a question that is asked of a whole directory: might one of the patterns match one of these names? The names
 * stand between slashes: `/a/b/`. It may say yes for nothing, never no for something.
 */
export function mightMatch(patterns: readonly NamePattern[]): (names: string) => boolean {
  const parts = patterns.map(toSource);
  if (parts.includes(undefined)) return () => true;
  if (parts.length === 0) return () => false;
  const regex = new RegExp(parts.join('|'));
  return (names) => regex.test(names);
}

/** The source of a regular expression; undefined for a pattern that may match anything. */
function toSource({ pattern, anchored }: NamePattern): string | undefined {
  const last = anchored ? pattern.slice(pattern.lastIndexOf('/') + 1) : pattern;
  if (/[[\\]/.test(last) || /^[*?]*$/.test(last)) return undefined;
  const body = last.replace(/^\*+|\*+$/g, '');
  const literal = body
    .replace(/[.+^${}()|\]]/g, '\\$&')
    .replace(/\*+/g, '[^/]*')
    .replaceAll('?', '[^/]');
  return `${last.startsWith('*') ? '' : '/'}${literal}${last.endsWith('*') ? '' : '/'}`;
}
