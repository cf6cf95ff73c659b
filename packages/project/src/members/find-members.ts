import { posix } from 'node:path';
import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { listDirectory, type NamedEntry } from '@jinn/workspace/walk';
import type { MemberPatterns } from '../detect/finding.ts';
import type { WarnFunction } from '../files/manifest.ts';
import { type ProjectDirectory, targetOf } from '../files/project-directory.ts';

const MAX_PATTERNS = 200;
const MAX_PATTERN = 300;
const MAX_STARS = 4;
/** A pair of braces may match in several ways. */
const MAX_BRACES = 2;
const MAX_DOUBLE_STARS = 2;
const MAX_VISITS = 20_000;
const MAX_LINKS = 5;
const MAX_DEPTH = 8;
const LIBRARIES = 'node_modules';
const EXCLUDED = new Set([LIBRARIES, 'vendor', 'target', 'dist', 'build', '__pycache__']);
/** A group such as `@(a|b)`. */
const GROUP = /[!?*+@]\(/;
/** A pattern that leaves directories out. It does not start with a group. */
const UNWANTED = /^!(?!\()/;

const ANY_DEPTH: unique symbol = Symbol('**');

/** A path or a glob over directories, segment by segment. */
type Pattern = readonly (string | typeof ANY_DEPTH | ((name: string) => boolean))[];

/** Finds the directories that the globs of a workspace match, without links. Warns of globs that are not used, and of links. */
export async function findMembers(
  ctx: ToolContext,
  top: ProjectDirectory,
  members: MemberPatterns,
  warn: WarnFunction,
): Promise<string[]> {
  const { file, holding } = members;
  const { wanted, unwanted } = await compileAll(members, warn);
  const { found, links } = await search(ctx, top, { wanted, holding }, warn);
  if (members.isGuess) return found.filter((path) => isEntered(path));
  const isLeftIn = (path: string) => !unwanted.some((pattern) => matches(pattern, path.split('/')));
  const closed = await linksToDirectories(ctx, top, links.filter(isLeftIn), holding);
  for (const path of closed.slice(0, MAX_LINKS)) warn(`${file}: ${path} is a link, which is not followed`);
  if (closed.length > MAX_LINKS) warn(`${file}: ${closed.length - MAX_LINKS} more links are not followed`);
  for (const path of wanted.filter(isPlain).map((pattern) => pattern.join('/'))) {
    const isKnown = path === '' || found.includes(path) || closed.some((link) => `${path}/`.startsWith(`${link}/`));
    if (!isKnown) warn(`${file}: ${path} is not a directory`);
  }
  return [...(wanted.some((pattern) => pattern.length === 0) ? ['.'] : []), ...found.filter(isLeftIn)];
}

async function compileAll({ patterns, file, arePaths = false }: MemberPatterns, warn: WarnFunction) {
  const wanted: Pattern[] = [];
  const unwanted: Pattern[] = [];
  for (const glob of patterns.slice(0, MAX_PATTERNS)) {
    const isUnwanted = !arePaths && UNWANTED.test(glob);
    const segments = segmentsOf(isUnwanted ? glob.slice(1) : glob);
    const pattern = arePaths || typeof segments === 'string' ? segments : await compile(segments);
    if (typeof pattern === 'string') {
      warn(`${file}: the pattern ${JSON.stringify(glob.slice(0, 100))} is skipped: ${pattern}`);
    } else (isUnwanted ? unwanted : wanted).push(pattern);
  }
  if (patterns.length > MAX_PATTERNS) warn(`${file}: only its first ${MAX_PATTERNS} patterns are used`);
  return { wanted, unwanted };
}

async function linksToDirectories(
  ctx: ToolContext,
  top: ProjectDirectory,
  links: readonly string[],
  holding: string | undefined,
): Promise<string[]> {
  const leading: string[] = [];
  for (const link of links) {
    await ctx.checkpoint();
    const target = targetOf(ctx, posix.join(top.location, link, holding ?? ''));
    if (holding === undefined ? target === undefined || target === 'directory' : target === 'file') leading.push(link);
  }
  return leading;
}

async function search(
  ctx: ToolContext,
  top: ProjectDirectory,
  { wanted, holding }: { readonly wanted: readonly Pattern[]; readonly holding: string | undefined },
  warn: WarnFunction,
) {
  const found: string[] = [];
  const links: string[] = [];
  const entered = wanted.length > 0 ? [''] : [];
  let visits = 0;
  for (const path of entered) {
    await ctx.checkpoint();
    const entries = path === '' ? top.listed : await list(ctx, posix.join(top.location, path), warn);
    if (path !== '' && entries.some(({ name, kind }) => name === holding && kind === 'file')) {
      found.push(path);
      continue;
    }
    const seen = entries.slice(0, Math.max(0, MAX_VISITS - visits));
    visits += entries.length;
    links.push(...linksAmong(seen, path, wanted));
    for (const { name } of seen.filter(({ kind }) => kind === 'directory')) {
      const inside = posix.join(path, name);
      const segments = inside.split('/');
      if (holding === undefined && wanted.some((pattern) => matches(pattern, segments))) found.push(inside);
      if (segments.length < MAX_DEPTH && wanted.some((pattern) => mayHold(pattern, segments))) entered.push(inside);
    }
  }
  if (visits > MAX_VISITS) warn(`members are searched for among the first ${MAX_VISITS} names only`);
  return { found, links };
}

/** Returns the links that a pattern matches, or below which it may match. */
function linksAmong(entries: readonly NamedEntry[], path: string, wanted: readonly Pattern[]): string[] {
  const links = entries.filter(({ kind }) => kind === 'link').map(({ name }) => posix.join(path, name));
  return links.filter((link) => {
    const segments = link.split('/');
    return wanted.some((pattern) => matches(pattern, segments) || mayHold(pattern, segments));
  });
}

async function list({ workspace }: ToolContext, path: string, warn: WarnFunction): Promise<readonly NamedEntry[]> {
  try {
    return await listDirectory(workspace, path);
  } catch (error) {
    if (!(error instanceof ToolError) || error.code === 'resource_limit') throw error;
    warn(`a directory cannot be searched for members: ${error.code.replaceAll('_', ' ')}`);
    return [];
  }
}

/** Splits a path or a glob into segments. Returns what is wrong with it if it is not valid. */
function segmentsOf(text: string): string[] | string {
  const clean = posix.normalize(text).replace(/\/$/, '');
  if (text === '') return 'it is empty';
  if (text.length > MAX_PATTERN) return `it is longer than ${MAX_PATTERN} characters`;
  if (text.includes('\0')) return 'it contains a NUL character';
  if (clean.startsWith('/') || clean === '..' || clean.startsWith('../')) return 'it is outside of the project';
  return clean === '.' ? [] : clean.split('/');
}

async function compile(segments: readonly string[]): Promise<Pattern | string> {
  if (GROUP.test(segments.join('/'))) return 'it has a group such as @(a|b), which is not supported';
  if (count(segments.join('/'), /\*\*/g) > MAX_DOUBLE_STARS) return `it has more than ${MAX_DOUBLE_STARS} double stars`;
  const pattern: Pattern[number][] = [];
  for (const segment of segments) {
    if (count(segment, /\*/g) > MAX_STARS) return `it has more than ${MAX_STARS} stars in one name`;
    if (count(segment, /\{/g) > MAX_BRACES) return `it has more than ${MAX_BRACES} braces in one name`;
    const compiled = await compileSegment(segment);
    if (compiled === undefined) return 'it is not a valid glob';
    pattern.push(compiled);
  }
  return pattern;
}

/** Compiles a segment. It loads the library only for a segment that is neither a name nor a star. */
async function compileSegment(segment: string): Promise<Pattern[number] | undefined> {
  if (segment === '**') return ANY_DEPTH;
  if (segment === '*') return () => true;
  if (!/[*?[\]{}()!+@\\]/.test(segment)) return segment;
  const { compileGlob } = await import('./compile-glob.ts');
  return compileGlob(segment);
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

function isPlain(pattern: Pattern): pattern is readonly string[] {
  return pattern.every((segment) => typeof segment === 'string');
}

function matches([segment, ...rest]: Pattern, [name, ...names]: readonly string[]): boolean {
  if (segment === ANY_DEPTH) {
    return (
      matches(rest, name === undefined ? [] : [name, ...names]) ||
      (name !== undefined && isEntered(name) && matches([ANY_DEPTH, ...rest], names))
    );
  }
  if (segment === undefined || name === undefined) return segment === undefined && name === undefined;
  return matchesName(segment, name) && matches(rest, names);
}

function mayHold([segment, ...rest]: Pattern, [name, ...names]: readonly string[]): boolean {
  if (segment === undefined) return false;
  if (name === undefined) return true;
  if (segment === ANY_DEPTH) {
    return mayHold(rest, [name, ...names]) || (isEntered(name) && mayHold([ANY_DEPTH, ...rest], names));
  }
  return matchesName(segment, name) && mayHold(rest, names);
}

function isEntered(name: string): boolean {
  return !name.startsWith('.') && !EXCLUDED.has(name);
}

function matchesName(segment: Exclude<Pattern[number], typeof ANY_DEPTH>, name: string): boolean {
  if (typeof segment === 'string') return segment === name;
  return !name.startsWith('.') && name !== LIBRARIES && segment(name);
}
