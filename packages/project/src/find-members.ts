import { posix } from 'node:path';
import { type ToolContext, ToolError } from '@jinn/core';
import { listDirectory, type NamedEntry } from '@jinn/walk';
import type { MemberPatterns } from './finding.ts';
import type { Note } from './manifest.ts';

const MAX_PATTERNS = 200;
const MAX_PATTERN = 300;
const MAX_STARS = 4;
const MAX_DOUBLE_STARS = 2;
const MAX_VISITS = 20_000;
/** How far down `**` reaches. */
const MAX_DEPTH = 8;
const EXCLUDED = new Set(['node_modules', 'vendor', 'target', 'dist', 'build', '__pycache__']);

/** A glob over directories, segment by segment. */
type Pattern = readonly (string | ((name: string) => boolean))[];

/**
 * The directories below `top` that the globs of a workspace mean, sorted. Links are not followed. A glob that leads out,
 * or that could take long, is a note, and so is a plain path that is no directory.
 */
export async function findMembers(
  ctx: ToolContext,
  top: string,
  { patterns, file }: MemberPatterns,
  note: Note,
): Promise<string[]> {
  const wanted: Pattern[] = [];
  const unwanted: Pattern[] = [];
  for (const glob of patterns.slice(0, MAX_PATTERNS)) {
    const pattern = await compile(glob.replace(/^!/, ''));
    if (pattern === undefined) note(`${file}: the pattern ${JSON.stringify(glob.slice(0, 100))} is left out`);
    else (glob.startsWith('!') ? unwanted : wanted).push(pattern);
  }
  if (patterns.length > MAX_PATTERNS) note(`${file}: only its first ${MAX_PATTERNS} patterns are used`);
  const found = await search(ctx, top, wanted, note);
  const members = found.filter((path) => !unwanted.some((pattern) => matches(pattern, path.split('/'))));
  for (const path of wanted.filter(isPlain).map((pattern) => pattern.join('/'))) {
    if (path !== '' && !found.includes(path)) note(`${file}: ${path} is no directory`);
  }
  return wanted.some((pattern) => pattern.length === 0) ? ['.', ...members] : members;
}

/** Level by level, and only where a pattern may still match. */
async function search(ctx: ToolContext, top: string, wanted: readonly Pattern[], note: Note): Promise<string[]> {
  const found: string[] = [];
  let visits = 0;
  const enter = async (path: string, depth: number): Promise<void> => {
    await ctx.checkpoint();
    for (const { name, kind } of await list(ctx, posix.join(top, path), note)) {
      if (++visits > MAX_VISITS || kind !== 'directory' || name.startsWith('.') || EXCLUDED.has(name)) continue;
      const inside = posix.join(path, name);
      const segments = inside.split('/');
      if (wanted.some((pattern) => matches(pattern, segments))) found.push(inside);
      if (depth < MAX_DEPTH && wanted.some((pattern) => mayHold(pattern, segments))) await enter(inside, depth + 1);
    }
  };
  if (wanted.length > 0) await enter('', 1);
  if (visits > MAX_VISITS) note(`members are only looked for among ${MAX_VISITS} names`);
  return found;
}

/** What cannot be read holds no members, but for the top, which has been read before. */
async function list({ workspace }: ToolContext, path: string, note: Note): Promise<readonly NamedEntry[]> {
  try {
    return await listDirectory(workspace, path);
  } catch (error) {
    if (!(error instanceof ToolError) || error.code === 'resource_limit') throw error;
    note(`members are not looked for where it is not allowed: ${error.code.replaceAll('_', ' ')}`);
    return [];
  }
}

/** Undefined for a glob that is no good. */
async function compile(glob: string): Promise<Pattern | undefined> {
  const clean = posix.normalize(glob).replace(/\/$/, '');
  const isHostile =
    glob === '' || glob.length > MAX_PATTERN || glob.includes('\0') || count(glob, /\*\*/g) > MAX_DOUBLE_STARS;
  if (isHostile || clean.startsWith('/') || clean === '..' || clean.startsWith('../')) return undefined;
  if (clean === '.') return [];
  const segments = await Promise.all(clean.split('/').map(compileSegment));
  return segments.every((segment) => segment !== undefined) ? segments : undefined;
}

/** Most globs are names and stars, which need no library. */
async function compileSegment(segment: string): Promise<Pattern[number] | undefined> {
  if (segment === '**') return segment;
  if (segment === '*') return () => true;
  if (!/[*?[\]{}()!+@\\]/.test(segment)) return segment;
  if (count(segment, /\*/g) > MAX_STARS) return undefined;
  const { default: picomatch } = await import('picomatch');
  try {
    return picomatch(segment, { strictBrackets: true, noextglob: true });
  } catch (error) {
    if (error instanceof ToolError) throw error;
    return undefined;
  }
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

function isPlain(pattern: Pattern): boolean {
  return pattern.every((segment) => typeof segment === 'string' && segment !== '**');
}

function matches([segment, ...rest]: Pattern, [name, ...names]: readonly string[]): boolean {
  if (segment === '**') {
    return (
      matches(rest, name === undefined ? [] : [name, ...names]) ||
      (name !== undefined && matches(['**', ...rest], names))
    );
  }
  if (segment === undefined || name === undefined) return segment === undefined && name === undefined;
  return matchesName(segment, name) && matches(rest, names);
}

/** True for a directory below which something may match. */
function mayHold([segment, ...rest]: Pattern, [name, ...names]: readonly string[]): boolean {
  if (segment === undefined) return false;
  return segment === '**' || name === undefined || (matchesName(segment, name) && mayHold(rest, names));
}

function matchesName(segment: Pattern[number], name: string): boolean {
  return typeof segment === 'string' ? segment === name : segment(name);
}
