import { posix } from 'node:path';
import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { sourceLanguageOf } from '@jinn/syntax';
import { globRoots, isGlob, PathMatcher, readGlobs } from '@jinn/workspace/walk';

/** Languages whose keys, headings and rules are not declarations of code. */
export const DATA: ReadonlySet<string> = new Set('json yaml toml markdown css html'.split(' '));
/** Languages whose files use the names of each other. */
const FAMILIES = ['typescript tsx javascript vue svelte astro html', 'c cpp', 'java kotlin scala', 'terraform hcl'];
const FAMILY = new Map(FAMILIES.flatMap((family) => family.split(' ').map((language) => [language, family] as const)));
/** Languages in which the functions of C are declared and called by their names. */
const CALLS_C: ReadonlySet<string> = new Set('go rust swift zig c_sharp dart'.split(' '));
/** Pages that use the names of scripts, and for which there is no syntax tree. */
export const ASTRO = /\.astro$/i;

export interface TreeScope {
  readonly kind: 'directory' | 'glob';
  readonly start: string;
  readonly hidden: boolean;
  readonly entersTracked?: boolean;
  /** 1 for the files directly in `start`. Undefined for any depth. */
  readonly maxDepth: number | undefined;
  matches(file: { readonly name: string; readonly path: string }): boolean;
}

/**
 * The code in a directory, or all files that a glob matches. Throws ToolError for a path that is refused or missing.
 */
export function toTreeScope(ctx: ToolContext, asked: string): TreeScope {
  const status = readStatus(ctx, asked);
  return status ? directoryScope(status.path) : globScope(ctx, asked);
}

export function directoryScope(start: string): TreeScope {
  return { kind: 'directory', start, hidden: false, maxDepth: undefined, matches: ({ name }) => mayBeCode(name) };
}

/** All files that may use names. With `pages`, HTML too, whose scripts and markup name what scripts declare. */
export function usingFiles({ pages }: { pages: boolean }): TreeScope {
  const isPage = (name: string) => ASTRO.test(name) || (pages && sourceLanguageOf(name) === 'html');
  return { ...directoryScope('.'), entersTracked: true, matches: ({ name }) => mayBeCode(name) || isPage(name) };
}

function readStatus({ workspace }: ToolContext, asked: string) {
  try {
    return workspace.status(asked);
  } catch (error) {
    if (error instanceof ToolError && error.code === 'file_not_found' && isGlob(asked)) return undefined;
    throw error;
  }
}

function globScope({ workspace }: ToolContext, glob: string): TreeScope {
  const matcher = new PathMatcher(readGlobs(glob, globRoots(workspace)));
  return {
    kind: 'glob',
    start: matcher.base,
    hidden: matcher.hidden,
    maxDepth: undefined,
    matches: ({ name, path }) => mayHaveOutline(name) && matcher.matches(posix.dirname(path), name),
  };
}

/** A file without an extension may be a script, as its first line shows. */
function mayBeCode(name: string): boolean {
  const language = sourceLanguageOf(name);
  return language === undefined ? !name.includes('.') : !DATA.has(language);
}

function mayHaveOutline(name: string): boolean {
  return sourceLanguageOf(name) !== undefined || !name.includes('.');
}

/** Reports whether files of two languages can mean the same thing by one name. */
export function areRelated(a: string, b: string): boolean {
  return (FAMILY.get(a) ?? a) === (FAMILY.get(b) ?? b);
}

/** True if the first line of a file shows that it is a script in a language that shares names with that of `file`. */
export function isScriptLike(file: string, script: string, head: Uint8Array): boolean {
  const [language, other] = [sourceLanguageOf(file), sourceLanguageOf(script, head)];
  return language !== undefined && other !== undefined && areRelated(language, other);
}

/** True if code of one language can name what the other declares. */
export function mayName(a: string, b: string): boolean {
  const callsC = (one: string, other: string) => CALLS_C.has(one) && areRelated(other, 'c');
  return areRelated(a, b) || callsC(a, b) || callsC(b, a);
}
