import { splitNames } from './names.ts';

interface NamePattern {
  readonly pattern: string;
  /** Matched against a path, of which only the last name is looked at here. */
  readonly anchored: boolean;
}

/**
 * Makes a question that is asked of a whole directory: which of these names might one of the patterns match? The names
 * stand between slashes: `/a/b/`. What it leaves out is matched by none.
 */
export function namesThatMight(patterns: readonly NamePattern[]): (names: string) => readonly string[] {
  const parts = patterns.map(toSource);
  if (parts.includes(undefined)) return splitNames;
  if (parts.length === 0) return () => [];
  const regex = new RegExp(parts.join('|'), 'g');
  return (names) => {
    const found: string[] = [];
    regex.lastIndex = 0;
    for (let match = regex.exec(names); match; match = regex.exec(names)) {
      const start = names.lastIndexOf('/', match.index) + 1;
      const end = names.indexOf('/', start);
      found.push(names.slice(start, end));
      regex.lastIndex = end; // The slash after a name is that before the next.
    }
    return found;
  };
}

/** The source of a regular expression; undefined for a pattern that may match anything. */
function toSource({ pattern, anchored }: NamePattern): string | undefined {
  const last = anchored ? pattern.slice(pattern.lastIndexOf('/') + 1) : pattern;
  if (/[[\\]/.test(last) || /^[*?]*$/.test(last)) return undefined;
  const body = last.replace(/^\*+|\*+$/g, '');
  const pieces = body.split(/\*+/).map((piece) => piece.replace(/[.+^${}()|\]]/g, '\\$&').replaceAll('?', '[^/]'));
  // Security: each star multiplies the time of a name that almost matches; one behind a slash alone does not.
  const literal =
    pieces.length === 1 ? pieces[0] : last.startsWith('*') ? pieces.at(-1) : `${pieces[0]}[^/]*${pieces.at(-1)}`;
  return `${last.startsWith('*') ? '' : '/'}${literal}${last.endsWith('*') ? '' : '/'}`;
}
