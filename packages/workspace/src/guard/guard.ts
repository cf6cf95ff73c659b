import fs from 'node:fs';
import { posix } from 'node:path';
import { fileNotFound, fromSystemError, notADirectory, ToolError } from '@jinn/core/errors';
import { hasSensitiveSegment, isSensitiveSegment } from '../secrets/secret-names.ts';
import { foldPath, type Inode } from './inode.ts';
import {
  circularLinks,
  findTwin,
  fromFileUrl,
  GIVE_ONE,
  MAX_SEGMENTS,
  MAX_SHOWN,
  nearestSiblings,
  notAFileName,
  otherReading,
  outside,
  rejectUnlikely,
  sensitive,
  shown,
  tooDeep,
} from './written-path.ts';

const MAX_LINKS = 40;
/** No path with MAX_SEGMENTS segments is longer. Normalizing `../../…` takes time quadratic in its length. */
const MAX_LENGTH = 65_536;

export interface Root {
  readonly path: string;
  readonly called: string;
  /** Returns the root for one walk, as in HeldRoot. */
  inode(): Inode;
  readonly home: string | undefined;
  /** The directories of jinn's own state below the root, case-folded: no tool may enter them. */
  readonly closed: readonly string[];
  /** Reports whether a path is a secret place of the home, if the root holds any. */
  readonly isSecret: ((path: string) => boolean) | undefined;
}

/** Held open. The path is below the root, '.' for the root itself. */
export interface WalkEnd {
  readonly inode: Inode;
  readonly path: string;
}

/**
 * Walks a path that a caller wrote, and holds the object at its end, which the caller closes. Links are read and
 * judged. The system never follows one. The path is judged before the disk is asked, so that no answer reveals what is
 * outside. Throws ToolError.
 */
export function walkTo(root: Root, asked: string): WalkEnd {
  const segments = checkPath(root, toPath(root, asked), asked);
  const trail = new Trail(root.inode());
  try {
    follow({ root, asked, mayBeMissing: false, isExact: false }, segments, trail);
    return trail.take();
  } catch (error) {
    throw fromSystemError(error, shown(asked));
  } finally {
    trail.release();
  }
}

export interface FoundTarget {
  /** The deepest existing directory on the way, held open. */
  readonly parent: Inode;
  /** The missing directories below it, outermost first. */
  readonly missing: readonly string[];
  readonly name: string;
  /** The path below the root, links resolved. */
  readonly path: string;
  /** Held open. Undefined if nothing has that name. */
  readonly inode: Inode | undefined;
}

/**
 * Walks like `walkTo`, to where a file may be created: the last segments may be missing, also those of a link's target.
 * With `isExact`, for a path that jinn wrote down, a missing name stands for nothing else, and any name may be created.
 */
export function walkToTarget(
  root: Root,
  asked: string,
  { isExact = false }: { readonly isExact?: boolean | undefined } = {},
): FoundTarget {
  const segments = checkPath(root, isExact ? asked : toPath(root, asked), asked);
  const trail = new Trail(root.inode());
  try {
    const missing = follow({ root, asked, mayBeMissing: true, isExact }, segments, trail);
    const name = missing.pop();
    if (name === undefined) {
      const { inode, path } = trail.take();
      return { inode, path, name: posix.basename(path), parent: trail.take().inode, missing };
    }
    if (asked.endsWith('/')) throw notAFileName(asked);
    if (trail.end.kind !== 'directory') throw notADirectory(shown(asked));
    const { inode: parent, path: parentPath } = trail.take();
    return { parent, missing, name, path: posix.join(parentPath, ...missing, name), inode: undefined };
  } catch (error) {
    throw fromSystemError(error, shown(asked));
  } finally {
    trail.release();
  }
}

/** Reports whether there are paths below the root that no tool may enter whatever their names are. */
export function hasClosed({ closed, isSecret }: Root): boolean {
  return closed.length > 0 || isSecret !== undefined;
}

/** Reports whether a path below the root is, or is in, a directory of jinn's own state or a secret place of the home. */
export function isClosed(root: Root, path: string): boolean {
  if (root.isSecret?.(path)) return true;
  const folded = foldPath(path);
  return root.closed.some((closed) => folded === closed || folded.startsWith(`${closed}/`));
}

/** The directories on the way, each held open. The root is not closed with them. */
class Trail {
  readonly #root: Inode;
  readonly #names: string[] = [];
  readonly #held: Inode[] = [];

  constructor(root: Inode) {
    this.#root = root;
  }

  get end(): Inode {
    return this.#held.at(-1) ?? this.#root;
  }

  get path(): string {
    return this.#names.join('/') || '.';
  }

  push(name: string, inode: Inode): void {
    this.#names.push(name);
    this.#held.push(inode);
  }

  /** Returns false if that would leave the root. */
  pop(): boolean {
    this.#held.pop()?.close();
    return this.#names.pop() !== undefined;
  }

  clear(): void {
    while (this.pop());
  }

  /** Hands the end to the caller, who closes it. */
  take(): WalkEnd {
    const found = { path: this.path, inode: this.end };
    this.#held.pop();
    this.#names.pop();
    return found;
  }

  release(): void {
    for (const inode of this.#held) inode.close();
  }
}

interface Walk {
  readonly root: Root;
  readonly asked: string;
  readonly mayBeMissing: boolean;
  /** True if a missing name stands for nothing else. */
  readonly isExact: boolean;
}

function follow(walk: Walk, segments: string[], trail: Trail): string[] {
  const { root, asked } = walk;
  const todo = namesOf(segments).toReversed();
  let links = 0;
  for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
    if (name === '..') {
      goUp(walk, trail);
      continue;
    }
    if (isSecret(walk, trail, [name])) throw sensitive(asked);
    if (trail.end.kind !== 'directory') throw notADirectory(shown(asked));
    const inode = childOf(trail.end, name, todo.length === 0);
    if (inode === undefined) {
      const twin = twinOf(walk, trail, name);
      if (twin === undefined) return checkMissing(walk, trail, [name, ...todo.toReversed()], segments);
      todo.push(twin);
      continue;
    }
    if (inode.kind !== 'link') {
      trail.push(name, inode);
      continue;
    }
    inode.close();
    if (++links > MAX_LINKS) throw circularLinks(asked);
    todo.push(...namesOf(redirect(root, asked, trail, readLink(trail.end, name, asked))).toReversed());
    if (todo.length > MAX_SEGMENTS) throw tooDeep();
  }
  return [];
}

function goUp({ root, asked }: Walk, trail: Trail): void {
  if (!trail.pop()) throw outside(root, asked);
}

function twinOf({ isExact }: Walk, { end }: Trail, name: string): string | undefined {
  return isExact ? undefined : findTwin(end, name);
}

function childOf(directory: Inode, name: string, isEnd: boolean): Inode | undefined {
  try {
    return (isEnd ? undefined : directoryOf(directory, name)) ?? directory.child(name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Nearly all names on a way are directories: asking for the kind first would take longer. */
function directoryOf(parent: Inode, name: string): Inode | undefined {
  try {
    return parent.isHeld ? parent.childDirectory(name) : undefined;
  } catch {
    return undefined;
  }
}

function namesOf(segments: readonly string[]): string[] {
  return segments.filter((segment) => segment !== '' && segment !== '.');
}

function isSecret({ root }: Walk, trail: Trail, names: readonly string[]): boolean {
  if (names.some(isSensitiveSegment)) return true;
  return hasClosed(root) && isClosed(root, posix.join(trail.path, ...names));
}

/** Judges missing names like existing ones, since a link may have brought in any of them. */
function checkMissing(walk: Walk, trail: Trail, names: string[], segments: readonly string[]): string[] {
  const { root, asked, mayBeMissing, isExact } = walk;
  if (names.includes('..')) throw fileNotFound(shown(asked));
  if (isSecret(walk, trail, names)) throw sensitive(asked);
  if (!isExact)
    rejectUnlikely(root, trail, { names, asked: shown(asked), mayBeMissing, insideOf: (path) => below(root, path) });
  if (mayBeMissing) return names;
  const [name = '', ...more] = names;
  const isLast = more.length === 0 && name === segments.findLast(Boolean);
  if (asked.length > MAX_SHOWN) throw fileNotFound(shown(asked));
  const other = otherReading(asked);
  const likely = other && exists(root, other.path) ? other.told : undefined;
  throw fileNotFound(asked, undefined, likely ?? (isLast ? nearestSiblings(trail.end, name, asked) : undefined));
}

function exists(root: Root, path: string): boolean {
  const trail = new Trail(root.inode());
  try {
    const walk = { root, asked: path, mayBeMissing: true, isExact: true };
    return follow(walk, checkPath(root, path, path), trail).length === 0;
  } catch {
    return false; // A hint is never worth another failure.
  } finally {
    trail.release();
  }
}

function readLink(directory: Inode, name: string, asked: string): string {
  try {
    return directory.readLink(name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EINVAL') throw error;
    throw new ToolError('conflict', `the path changed while it was being opened: ${shown(asked)}`, {
      suggestion: 'try again',
      cause: error,
    });
  }
}

/** An absolute link starts again at the root. It throws if it leads outside. */
function redirect(root: Root, asked: string, trail: Trail, target: string): string[] {
  if (!target.startsWith('/')) {
    const segments = target.split('/');
    if (!climbsOut(trail.path, segments)) return segments;
  }
  const absolute = target.startsWith('/') ? posix.normalize(target) : posix.join(root.path, trail.path, target);
  const inside = below(root, absolute);
  if (inside === undefined) throw outside(root, asked);
  trail.clear();
  return inside.split('/');
}

/** A relative link that climbs above the root may come back by name. */
function climbsOut(from: string, segments: readonly string[]): boolean {
  let depth = from === '.' ? 0 : from.split('/').length;
  for (const segment of segments) {
    if (segment === '..') depth--;
    else if (segment !== '' && segment !== '.') depth++;
    if (depth < 0) return true;
  }
  return false;
}

/** A caller may write a path as a URL. A directory that is called `file:` wins. */
function toPath(root: Root, asked: string): string {
  if (!isFileUrl(asked)) return asked;
  const isName = root.inode().within((prefix) => fs.existsSync(`${prefix}/${asked.slice(0, 'file:'.length)}`));
  return isName ? asked : fromFileUrl(asked);
}

/** Judges the text of a path, before any look at the disk. */
function checkPath(root: Root, path: string, asked: string): string[] {
  if (path === '') {
    throw new ToolError('invalid_args', 'path is empty', { suggestion: 'use "." for the working directory' });
  }
  if (path.includes('\0') || !path.isWellFormed()) {
    throw new ToolError('invalid_args', 'path has a character that no file name can have', {
      suggestion: 'remove NUL and halves of surrogate pairs',
    });
  }
  if (path.length > MAX_LENGTH) {
    throw new ToolError('invalid_args', `path is longer than ${MAX_LENGTH} characters`, { suggestion: GIVE_ONE });
  }
  const clean = posix.normalize(expandHome(path, root.home));
  const leaves = clean.startsWith('/') || clean === '..' || clean.startsWith('../');
  const inside = leaves ? below(root, posix.resolve(root.path, clean)) : clean;
  if (hasSensitiveSegment(inside ?? clean)) throw sensitive(asked);
  if (inside === undefined) {
    const below = path.replace(/^\/+/, '');
    throw outside(root, asked, path.startsWith('/') && exists(root, below) ? below : undefined);
  }
  const segments = inside.split('/');
  if (segments.length > MAX_SEGMENTS) throw tooDeep();
  return segments;
}

function expandHome(asked: string, home: string | undefined): string {
  if (home === undefined || (asked !== '~' && !asked.startsWith('~/'))) return asked;
  return home + asked.slice(1);
}

function isFileUrl(asked: string): boolean {
  return /^file:\/\//i.test(asked);
}

/** A path that reaches the root by another name, through a link above it, counts by its real name. */
function below(root: { readonly path: string }, absolute: string): string | undefined {
  return pathBelow(root.path, absolute) ?? belowByAnotherName(root.path, absolute);
}

/** Returns a path relative to a directory that holds it, '.' for that directory, or undefined for a path elsewhere. */
export function pathBelow(root: string, absolute: string): string | undefined {
  if (absolute === root) return '.';
  const prefix = root === '/' ? '/' : `${root}/`;
  return absolute.startsWith(prefix) ? absolute.slice(prefix.length) : undefined;
}

/**
 * Security: resolves only the part of the path that points to the root, so that the names below stay as written and are
 * judged. Stops at the first missing name, however long the path.
 */
function belowByAnotherName(root: string, absolute: string): string | undefined {
  for (let end = 0; end < absolute.length; ) {
    const slash = absolute.indexOf('/', end + 1);
    end = slash === -1 ? absolute.length : slash;
    const prefix = absolute.slice(0, end);
    if (!fs.existsSync(prefix)) return undefined; // Throwing and catching takes longer than asking.
    const inside = pathBelow(root, realName(prefix));
    if (inside !== undefined) return posix.join(inside, absolute.slice(end));
  }
  return undefined;
}

/** Returns a path without links, as far as it exists. */
export function realName(absolute: string): string {
  for (let prefix = absolute; prefix !== '/'; prefix = posix.dirname(prefix)) {
    if (!fs.existsSync(prefix)) continue; // Throwing and catching takes longer than asking.
    try {
      return posix.join(fs.realpathSync.native(prefix), absolute.slice(prefix.length));
    } catch {
      // It is missing, or we may not look at it: the part above decides.
    }
  }
  return absolute;
}

/** Makes `closed` of a Root from absolute directories. */
export function closedPaths(root: string, directories: readonly string[]): string[] {
  const inside = directories.map((directory) => pathBelow(root, realName(posix.resolve(root, directory))));
  return inside.filter((path) => path !== undefined).map(foldPath);
}
