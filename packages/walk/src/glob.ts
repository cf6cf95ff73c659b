import { ToolError } from '@jinn/core';
import picomatch from 'picomatch';
import type { FileNames } from './names.ts';

const MAX_LENGTH = 1_000;
/** Each star in one name, and each `**`, multiplies the time of a path that almost matches. These take below a second. */
const MAX_STARS = 4;
const MAX_DOUBLE_STARS = 2;
/** The most common form by far; comparing the end takes a tenth of the time of a regular expression. */
const ENDING = /^(?:\*\*\/)*\*(\.[\w.-]+)$/;
/** The parts of a glob: an escaped character, a set, or any other character. A bracket may be first in a set. */
const PARTS = /\\[\s\S]|\[([!^]?)(\]?(?:\\[\s\S]|[^\]\\])*)\]|[\s\S]/g;
/** With `s`, a star also matches a line break. */
const OPTIONS = { dot: true, strictBrackets: true, noextglob: true, nonegate: true, flags: 's' } as const;
const FOR_NAMES = 'use a pattern for file names such as *.go or *.{ts,tsx}, and path for the directory';
const FOR_PATHS = 'use a pattern such as *.go, src/**/*.ts or docs/*.{md,txt}';

export interface PathPattern {
  /** The directory that everything that can match lies in or below. */
  readonly base: string;
  /** Whether the glob names something hidden. */
  readonly hidden: boolean;
  matches(entry: { readonly name: string; readonly path: string }): boolean;
  /** Filters all files of one directory at once, where that is faster; else undefined. */
  readonly filterNames?: ((names: FileNames) => readonly string[]) | undefined;
}

/** Says whether a text is a glob that can match several paths. */
export function isGlob(text: string): boolean {
  return picomatch.scan(text).isGlob;
}

/**
 * Compiles a glob over paths from the working directory. One without a slash is matched against names, at any depth.
 * Stars match hidden names too, because the walk decides on those. Throws `invalid_glob`.
 */
export function compilePathPattern(glob: string): PathPattern {
  const clean = glob.replace(/^(\.\/)+/, '');
  const hidden = /(^|\/)\.[^./]/.test(clean);
  if (!withoutLeadingStars(clean).includes('/')) {
    const matchesName = compileNamePattern(clean);
    const ending = endingOf(clean);
    const filterNames = ending === undefined ? undefined : (names: FileNames) => names.endingIn(ending);
    return { base: '.', hidden, matches: ({ name }) => matchesName(name), filterNames };
  }
  const stars = Math.max(...clean.split('/').map(countStars));
  const doubleStars = (clean.match(/\*\*/g) ?? []).length;
  if (clean.length > MAX_LENGTH || stars > MAX_STARS || doubleStars > MAX_DOUBLE_STARS) {
    throw invalid(glob, `it is longer than ${MAX_LENGTH} characters, or has too many stars`, FOR_PATHS);
  }
  const matchesPath = compile(glob, clean, FOR_PATHS);
  return { base: picomatch.scan(clean).base || '.', hidden, matches: ({ path }) => matchesPath(path) };
}

/**
 * Compiles a glob over names, such as `*.go`. Throws `invalid_glob` for one that is malformed, that no name can match,
 * or that could take long.
 */
export function compileNamePattern(glob: string): (name: string) => boolean {
  const ending = endingOf(glob);
  if (ending !== undefined) return (name) => name.endsWith(ending);
  const onName = withoutLeadingStars(glob);
  if (onName.includes('/')) throw invalid(glob, 'it is matched against names, which have no slash', FOR_NAMES);
  if (glob.length > MAX_LENGTH) throw invalid(glob, `it is longer than ${MAX_LENGTH} characters`, FOR_NAMES);
  if (countStars(onName) > MAX_STARS) throw invalid(glob, `it has more than ${MAX_STARS} stars`, FOR_NAMES);
  return compile(glob, onName, FOR_NAMES);
}

/** Matches a path from the root, and also as seen from the start of a walk. */
export function fromRootOrStart({ matches }: Pick<PathPattern, 'matches'>, start: string): PathPattern['matches'] {
  if (start === '.') return matches;
  return (file) => matches(file) || matches({ ...file, path: file.path.slice(start.length + 1) });
}

/** The text that a name must end in, for a glob that says nothing else. */
function endingOf(glob: string): string | undefined {
  return glob.length > MAX_LENGTH ? undefined : ENDING.exec(glob)?.[1];
}

/** `**` at the beginning says nothing about names. */
function withoutLeadingStars(glob: string): string {
  return glob.replace(/^(\*\*\/)+/, '');
}

function countStars(name: string): number {
  return (name.match(/\*+/g) ?? []).length;
}

function compile(asked: string, glob: string, suggestion: string): (text: string) => boolean {
  try {
    const matches = picomatch(toPicomatch(glob), OPTIONS);
    return (text) => matches(text);
  } catch (error) {
    throw invalid(asked, (error as Error).message, suggestion);
  }
}

/**
 * Our globs know `*`, `**`, `?`, `[a-z]`, `[!a]`, `[^a]` and `{a,b}`. To the library, parentheses, bars, quotes, pluses
 * and lone brackets also have a meaning, and only `^` negates a set.
 */
function toPicomatch(glob: string): string {
  // To the library, `a/**` also matches `a` itself.
  const inside = glob.endsWith('/**') ? `${glob}/*` : glob;
  return inside.replace(PARTS, (part, negation: string | undefined, members: string | undefined) => {
    if (members === undefined) return /^[()|"+\]]$/.test(part) ? `\\${part}` : part;
    const escaped = members.replace(/\\[\s\S]|[[\]]/g, (one) => (one.length > 1 ? one : `\\${one}`));
    return `[${negation ? '^' : ''}${escaped}]`;
  });
}

function invalid(glob: string, why: string, suggestion: string): ToolError {
  return new ToolError('invalid_glob', `invalid glob ${JSON.stringify(glob.slice(0, 100))}: ${why}`, { suggestion });
}
