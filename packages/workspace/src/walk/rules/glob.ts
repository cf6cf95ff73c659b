import { ToolError } from '@jinn/core/errors';
import { GlobPattern, type RuleContext } from './pattern.ts';

export const MAX_LENGTH = 1_000;
const MAX_STARS = 4;
const MAX_DOUBLE_STARS = 2;
const MAX_ALTERNATIVES = 200;
/** An escaped character, a set, or any other character. A bracket may be first in a set. */
const PARTS = /\\.|\[[!^]?\]?(?:\\.|[^\]\\])*\]|./gs;
const TOP: RuleContext = { directory: [], depth: 0 };

/** A glob without braces, and without a slash at its end. */
export interface Alternative {
  readonly text: string;
  readonly pattern: GlobPattern;
  readonly directoriesOnly: boolean;
}

/** Reports whether a text is a glob that can match several paths. */
export function isGlob(text: string): boolean {
  const parts = text.match(PARTS) ?? [];
  return parts.some((part) => /^[*?]|^\[.*\]$/s.test(part)) || (findBraces(parts)?.choices.length ?? 0) > 0;
}

/** Splits a list such as `*.js, *.ts`. A comma in braces or in a set, and an escaped one, belongs to its glob. */
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
  return named.length > 0 ? named : [list];
}

/** Makes every character of a text stand for itself in a glob. */
export function escapeGlob(text: string): string {
  return text.replace(/[\\*?[\]{},!]/g, '\\$&');
}

/** Compiles a glob over names, such as `*.go`. Throws `invalid_glob`. */
export function compileNamePattern(glob: string): (name: string) => boolean {
  const alternatives = expandGlob(glob);
  return (name) => alternatives.some(({ pattern }) => pattern.matches(TOP, name));
}

/**
 * Returns the globs without braces that a glob stands for. Stars match hidden names too, because the walk decides on
 * those. Throws `invalid_glob` for a malformed glob, or too many wildcards. `asked` is what the caller wrote.
 */
export function expandGlob(glob: string, asked = glob): Alternative[] {
  const refuse = (why: string) => invalid(asked, why);
  if (glob.length > MAX_LENGTH) throw refuse(`it is longer than ${MAX_LENGTH} characters`);
  const stars = glob.split('/').map((name) => name.match(/(?<!\\)\*+/g) ?? []);
  if (stars.some(({ length }) => length > MAX_STARS)) throw refuse(`it has more than ${MAX_STARS} stars in a name`);
  if (stars.flat().filter((star) => star.length > 1).length > MAX_DOUBLE_STARS)
    throw refuse(`it has ** more than ${MAX_DOUBLE_STARS} times`);
  const alternatives = expandBraces(glob);
  if (alternatives === undefined) throw refuse('it has a { that is never closed');
  if (alternatives.length > MAX_ALTERNATIVES) throw refuse(`its braces stand for more than ${MAX_ALTERNATIVES} globs`);
  return alternatives.map((alternative) => {
    const text = alternative.replace(/\/$/, '');
    const pattern = GlobPattern.parse(text);
    if (!pattern) throw refuse('it has a [ that is never closed, or ends in a backslash');
    return { text, pattern, directoriesOnly: text !== alternative };
  });
}

/** Undefined for a brace that is never closed. There may be a few more than the most. */
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
  readonly end: number;
}

/** Braces without a comma are plain characters. */
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

function invalid(glob: string, why: string): ToolError {
  return new ToolError('invalid_glob', `invalid glob ${JSON.stringify(glob.slice(0, 100))}: ${why}`, {
    suggestion: 'use a pattern such as *.go, src/**/*.ts or docs/*.{md,txt}',
  });
}
