import picomatch from 'picomatch';

/** Parts of a glob: an escaped character, a class, any other character. In a class, a bracket may stand first. */
const PARTS = /\\[\s\S]|\[([!^]?)(\]?(?:\\[\s\S]|[^\]\\])*)\]|[\s\S]/g;
/** A newline is a character like others. */
const OPTIONS = { dot: true, strictBrackets: true, noextglob: true, nonegate: true, flags: 's' } as const;

/**
 * Makes the test of a path or a name against a glob of `*`, `**`, `?`, `[a-z]`, `[!a]` and `{a,b}`; all else stands for
 * itself. Stars match hidden names too. Throws what the library says of a malformed one.
 */
export function toMatcher(glob: string): (text: string) => boolean {
  const matches = picomatch(toPicomatch(glob), OPTIONS);
  return (text) => matches(text);
}

/** To the library, parentheses, bars, quotes, pluses and lone brackets are more than themselves, and only `^` negates a class. */
function toPicomatch(glob: string): string {
  return glob.replace(PARTS, (part, negation: string | undefined, members: string | undefined) => {
    if (members !== undefined)
      return `[${negation ? '^' : ''}${members.replace(/\\[\s\S]|[[\]]/g, (one) => (one.length > 1 ? one : `\\${one}`))}]`;
    return /^[()|"+\]]$/.test(part) ? `\\${part}` : part;
  });
}
