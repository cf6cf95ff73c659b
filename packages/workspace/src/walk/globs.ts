import { ToolError } from '@jinn/core/errors';
import type { Workspace } from '../guard/index.ts';
import { type Alternative, escapeGlob, expandGlob, MAX_LENGTH, splitGlobs } from './rules/glob.ts';

// Every tool and every flag of jinni reads the globs of its caller here. docs/globs.md has the rules for users.

/** A directory at which globs may start. */
export interface GlobRoot {
  readonly base: readonly string[];
  /** Returns the path below this directory of an entry, links resolved, or undefined if there is none. */
  find(path: string): string | undefined;
}

/** A root without entries: everything is a pattern there. */
export const NO_ENTRIES: GlobRoot = { base: [], find: () => undefined };

/** Makes the roots of a walk: the workspace root, and the directories where it starts. */
export function globRoots(workspace: Workspace, starts: readonly string[] = []): GlobRoot[] {
  return [...new Set(['.', ...starts])].map((directory) => globRoot(workspace, directory));
}

export function globRoot(workspace: Workspace, directory: string): GlobRoot {
  const base = cleanNames(directory) ?? [];
  const top = base.map((name) => `${name}/`).join('');
  const find = (path: string) => {
    try {
      const found = workspace.status(path.startsWith('/') ? path : `./${top}${path}`).path;
      const names = cleanNames(found) ?? [];
      return base.every((name, i) => name === names[i]) ? names.slice(base.length).join('/') || '.' : undefined;
    } catch (error) {
      if (error instanceof ToolError) return undefined;
      throw error;
    }
  };
  return { base, find };
}

/** A pattern without braces. */
export interface GlobRule extends Alternative {
  /** True if it is matched against the path from the root, false if against names at any depth. */
  readonly anchored: boolean;
  /** The names that point to the root. */
  readonly base: readonly string[];
}

export interface Glob {
  /** As the caller wrote it. */
  readonly asked: string;
  readonly excludes: boolean;
  readonly isEntry: boolean;
  /** None if it leaves the root. */
  readonly rules: readonly GlobRule[];
}

/**
 * Reads what a caller wrote: one glob, a list with commas, or a list in JSON. The path of an entry stands for that
 * entry, no matter what characters it has. In any other text, leading names that are the path of a directory stand for it,
 * and the rest is a glob. `roots` are the directories at which a glob may start. Throws `invalid_glob`.
 */
export function readGlobs(text: string, roots: readonly GlobRoot[], separator?: ','): Glob[] {
  const list = listOf(text);
  const texts = list && !isEntry(text, roots) ? list : [text];
  const parts = texts.flatMap((one) => (separator && !isEntry(one, roots) ? splitGlobs(one) : [one]));
  return parts.map((asked) => {
    const excludes = asked.startsWith('!') && !isEntry(asked, roots);
    const glob = excludes ? asked.slice(1) : asked;
    return { asked, excludes, isEntry: isEntry(glob, roots), rules: rulesOf(glob, asked, roots) };
  });
}

function listOf(text: string): readonly string[] | undefined {
  if (!/^\s*\[\s*"/.test(text)) return undefined;
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every((item) => typeof item === 'string') ? list : undefined;
  } catch {
    return undefined;
  }
}

function isEntry(text: string, roots: readonly GlobRoot[]): boolean {
  return text !== '' && roots.some((root) => locate(text, root)?.rest.length === 0);
}

/** Of several roots, those count in which the longest part of the glob is the path of an entry. */
function rulesOf(glob: string, asked: string, roots: readonly GlobRoot[]): GlobRule[] {
  const located = roots.flatMap((root) => locate(glob, root) ?? []);
  const most = Math.max(...located.map(({ known }) => known.length));
  return located.filter(({ known }) => known.length === most).flatMap((one) => compile(one, glob, asked));
}

interface KnownPart {
  readonly root: GlobRoot;
  /** The leading names that are the path of an entry. With `rest` these are all. */
  readonly known: readonly string[];
  readonly rest: readonly string[];
}

/** Returns undefined if the glob leaves the root. */
function locate(glob: string, root: GlobRoot): KnownPart | undefined {
  const find = glob.length <= MAX_LENGTH ? root.find : NO_ENTRIES.find;
  const names = cleanNames(glob.startsWith('/') ? withoutRoot(glob, find) : glob);
  if (names === undefined) return undefined;
  let end = names.length;
  while (end > 0 && find(names.slice(0, end).join('/')) === undefined) end--;
  return { root, known: names.slice(0, end), rest: names.slice(end) };
}

function withoutRoot(path: string, find: GlobRoot['find']): string {
  const names = path.split('/');
  for (let end = 1; end <= names.length; end++) {
    const found = find(names.slice(0, end).join('/') || '/');
    if (found !== undefined) return [found, ...names.slice(end)].join('/');
  }
  return path;
}

/** Returns the names of a path without dots, or undefined if it leaves the root. */
export function cleanNames(path: string): string[] | undefined {
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue;
    if (name !== '..') names.push(name);
    else if (names.pop() === undefined) return undefined;
  }
  return names;
}

function compile({ root: { base }, known, rest }: KnownPart, glob: string, asked: string): GlobRule[] {
  const names = [...known.map(escapeGlob), ...rest];
  const isName = names.length > 1 ? names.slice(0, -1).every((name) => name === '**') : !/\/[^/]/.test(glob);
  const text = (isName ? names.slice(-1) : names).join('/') + (glob.endsWith('/') ? '/' : '');
  return expandGlob(text, asked).map((alternative) => ({ ...alternative, anchored: !isName, base }));
}

/** Tests whether globs choose a file: one of those without `!` matches it, if there are any, and none of the others. */
export class PathMatcher {
  readonly #including: readonly Glob[];
  readonly #excluding: readonly Glob[];
  readonly #takesBelow: boolean;
  readonly #matched = new Set<Glob>();
  #directory = '.';
  #names: readonly string[] = [];

  /** With `takesBelow`, a glob that matches a directory also matches everything below it. `!glob` always does. */
  constructor(globs: readonly Glob[], takesBelow = false) {
    this.#including = globs.filter(({ excludes }) => !excludes);
    this.#excluding = globs.filter(({ excludes }) => excludes);
    this.#takesBelow = takesBelow;
  }

  get hidden(): boolean {
    return this.#including.some(({ rules }) => rules.some(({ text }) => /(^|\/)\.[^./]/.test(text)));
  }

  /** The directory in or below which every file is that can match. */
  get base(): string {
    const [first = [], ...rest] = this.#including.flatMap(({ rules }) => rules.map(literalParents));
    const end = first.findIndex((name, i) => rest.some((names) => names[i] !== name));
    return (end < 0 ? first : first.slice(0, end)).join('/') || '.';
  }

  /** Returns the globs without `!` that have matched no file so far, as the caller wrote them. */
  unmatched(): string[] {
    return this.#including.filter((glob) => !this.#matched.has(glob)).map(({ asked }) => asked);
  }

  matches(directory: string, name: string): boolean {
    if (directory !== this.#directory) this.#names = cleanNames(directory) ?? [];
    this.#directory = directory;
    let isIncluded = this.#including.length === 0;
    for (const glob of this.#including) {
      if (isIncluded && this.#matched.has(glob)) continue;
      if (!matchesFile(glob, this.#names, name, this.#takesBelow)) continue;
      this.#matched.add(glob);
      isIncluded = true;
    }
    return isIncluded && !this.#excluding.some((glob) => matchesFile(glob, this.#names, name, true));
  }
}

function literalParents({ anchored, pattern }: GlobRule): string[] {
  const end = pattern.parents.findIndex((parent) => parent === '**' || !parent.isLiteral);
  const literals = anchored ? pattern.parents.slice(0, end < 0 ? undefined : end) : [];
  return literals.map((parent) => (parent === '**' ? '' : parent.first));
}

function matchesFile({ rules }: Glob, directory: readonly string[], name: string, takesBelow: boolean): boolean {
  return rules.some((rule) => {
    if (!rule.directoriesOnly && matchesEntry(rule, directory, name)) return true;
    return takesBelow && directory.some((above, i) => matchesEntry(rule, directory.slice(0, i), above));
  });
}

function matchesEntry({ anchored, pattern, base }: GlobRule, directory: readonly string[], name: string): boolean {
  if (!anchored) return pattern.name.matches(name);
  return base.every((above, i) => above === directory[i]) && pattern.matches({ directory, depth: base.length }, name);
}
