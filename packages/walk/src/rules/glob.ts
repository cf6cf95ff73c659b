import { ToolError } from '@jinn/errors';
import { Pattern, type Place } from './pattern.ts';

const MAX_LENGTH = 1_000;
const MAX_STARS = 4;
const MAX_DOUBLE_STARS = 2;
const MAX_ALTERNATIVES = 200;
/** The parts of a glob: an escaped character, a set, or any other character. A bracket may be first in a set. */
const PARTS = /\\.|\[[!^]?\]?(?:\\.|[^\]\\])*\]|./gs;
const FOR_NAMES = 'use a pattern for file names such as *.go or *.{ts,tsx}, and path for the directory';
const FOR_PATHS = 'use a pattern such as *.go, src/**/*.ts or docs/*.{md,txt}';

export interface PathPattern {
  /** The directory in or below which everything lies that can match. */
  readonly base: string;
  /** True if the glob names something hidden. */
  readonly hidden: boolean;
  matches(entry: { readonly name: string; readonly path: string }): boolean;
  /** Matches the name alone, for a glob that does not name directories. */
  readonly matchesName?: (name: string) => boolean;
}

/** Reports whether a text is a glob that can match several paths. */
export function isGlob(text: string): boolean {
  const parts = text.match(PARTS) ?? [];
  return parts.some((part) => /^[*?]|^\[.*\]$/s.test(part)) || (findBraces(parts)?.choices.length ?? 0) > 0;
}

/** Returns the globs of a list like `*.js, *.ts`. A comma in braces or in a set, and an escaped one, belongs to its glob. */
export function splitGlobs(list: string): string[] {
  const globs = [''];
  let depth = 0;
  for (const part of list.match(PARTS) ?? []) {
    if (part === '{') depth++;
    if (part === '}') depth--;
    if (part === ',' && depth <= 0) globs.push('');
    else globs.push(`${globs.pop()}${part}`);
  }
  const named = globs.map((glob) => glob.trim()).filter((glob) => glob !== '');
  return named.length > 1 ? named : [list];
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
    return { base: '.', hidden, matches: ({ name }) => matchesName(name), matchesName };
  }
  const stars = Math.max(...clean.split('/').map(countStars));
  const doubleStars = (clean.match(/\*\*/g) ?? []).length;
  if (clean.length > MAX_LENGTH || stars > MAX_STARS || doubleStars > MAX_DOUBLE_STARS) {
    throw invalid(glob, `it is longer than ${MAX_LENGTH} characters, or has too many stars`, FOR_PATHS);
  }
  const patterns = compile(glob, clean, FOR_PATHS);
  const matches = ({ path }: { path: string }) => {
    const directory = path.split('/');
    const name = directory.pop() as string;
    return patterns.some((pattern) => pattern.matches({ directory, depth: 0 }, name));
  };
  return { base: baseOf(patterns), hidden, matches };
}

/**
 * Compiles a glob over names, such as `*.go`. Throws `invalid_glob` if it is malformed, if no name can match it, or if
 * it has more stars than anybody means.
 */
export function compileNamePattern(glob: string): (name: string) => boolean {
  const onName = withoutLeadingStars(glob);
  if (onName.includes('/')) throw invalid(glob, 'it is matched against names, which have no slash', FOR_NAMES);
  if (glob.length > MAX_LENGTH) throw invalid(glob, `it is longer than ${MAX_LENGTH} characters`, FOR_NAMES);
  if (countStars(onName) > MAX_STARS) throw invalid(glob, `it has more than ${MAX_STARS} stars`, FOR_NAMES);
  const patterns = compile(glob, onName, FOR_NAMES);
  const [only] = patterns;
  if (patterns.length === 1 && only?.name.isEnding) return (name) => name.endsWith(only.name.last);
  return (name) => patterns.some((pattern) => pattern.matches(TOP, name));
}

const TOP: Place = { directory: [], depth: 0 };

/** Matches a path from the root, and also from the start of a walk. */
export function fromRootOrStart({ matches }: Pick<PathPattern, 'matches'>, start: string): PathPattern['matches'] {
  if (start === '.') return matches;
  return (file) => matches(file) || matches({ ...file, path: file.path.slice(start.length + 1) });
}

/** Returns the directories without wildcards that all patterns begin with. */
function baseOf(patterns: readonly Pattern[]): string {
  const literals = patterns.map(({ parents }) => {
    const end = parents.findIndex((parent) => parent === '**' || !parent.isLiteral);
    return (end < 0 ? parents : parents.slice(0, end)).map((parent) => (parent === '**' ? '' : parent.first));
  });
  const [first = [], ...rest] = literals;
  const end = first.findIndex((name, i) => rest.some((names) => names[i] !== name));
  return (end < 0 ? first : first.slice(0, end)).join('/') || '.';
}

/** Removes each `**` at the beginning, which does not restrict names. */
function withoutLeadingStars(glob: string): string {
  return glob.replace(/^(\*\*\/)+/, '');
}

function countStars(name: string): number {
  return (name.match(/\*+/g) ?? []).length;
}

function compile(asked: string, glob: string, suggestion: string): Pattern[] {
  const refuse = (why: string) => invalid(asked, why, suggestion);
  if (glob === '') throw refuse('it names nothing');
  const alternatives = expandBraces(glob);
  if (alternatives === undefined) throw refuse('it has a { that is never closed');
  if (alternatives.length > MAX_ALTERNATIVES) throw refuse(`its braces stand for more than ${MAX_ALTERNATIVES} globs`);
  return alternatives.map((text) => {
    const pattern = Pattern.parse(text);
    if (!pattern) throw refuse('it has a [ that is never closed, or ends in a backslash');
    return pattern;
  });
}

/**
 * Returns the globs without braces that a glob stands for, or a few more than the most; undefined for a brace that is
 * never closed.
 */
function expandBraces(glob: string): string[] | undefined {
  const done: string[] = [];
  const pending = [glob];
  for (let text = pending.pop(); text !== undefined; text = pending.pop()) {
    const parts = text.match(PARTS) ?? [];
    const braces = findBraces(parts);
    if (braces === undefined) done.push(text);
    else if (braces.end < 0) return undefined;
    else pending.push(...braces.choices.map((choice) => braces.before + choice + braces.after));
    if (done.length + pending.length > MAX_ALTERNATIVES) return [...done, ...pending];
  }
  return done;
}

interface Braces {
  readonly before: string;
  readonly choices: readonly string[];
  readonly after: string;
  /** The position of the closing brace; -1 if there is none. */
  readonly end: number;
}

/** Finds the first braces that have a comma, or are never closed. Braces without a comma are plain characters. */
function findBraces(parts: readonly string[], from = 0): Braces | undefined {
  const start = parts.indexOf('{', from);
  if (start < 0) return undefined;
  const choices: string[] = [];
  let depth = 0;
  let begin = start + 1;
  for (let at = start; at < parts.length; at++) {
    if (parts[at] === '{') depth++;
    if (parts[at] === '}') depth--;
    if ((parts[at] === ',' && depth === 1) || depth === 0) {
      choices.push(parts.slice(begin, at).join(''));
      begin = at + 1;
    }
    if (depth > 0) continue;
    if (choices.length < 2) return findBraces(parts, start + 1);
    return { before: parts.slice(0, start).join(''), choices, after: parts.slice(at + 1).join(''), end: at };
  }
  return { before: '', choices, after: '', end: -1 };
}

function invalid(glob: string, why: string, suggestion: string): ToolError {
  return new ToolError('invalid_glob', `invalid glob ${JSON.stringify(glob.slice(0, 100))}: ${why}`, { suggestion });
}
