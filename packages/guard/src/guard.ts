import fs from 'node:fs';
import { posix } from 'node:path';
import { fileNotFound, fromSystemError, nearestName, notADirectory, ToolError } from '@jinn/errors';
import { hasSensitiveSegment, isSensitiveSegment } from '@jinn/secrets/names';
import { foldPath, type Inode } from './inode.ts';

const MAX_LINKS = 40;
const MAX_SEGMENTS = 256;
/** No path with MAX_SEGMENTS segments is longer. Normalizing `../../…` takes time quadratic in its length. */
const MAX_LENGTH = 65_536;
const GIVE_ONE = 'give the path of one file or directory, as list_dir shows it';
const MAX_SHOWN = 300;
const MAX_NAMES_TO_COMPARE = 2_000;

export interface Root {
  /** The real path of the workspace root. */
  readonly path: string;
  /** Its name in messages. */
  readonly called: string;
  /** Returns the root for one walk, with its status as of now; the walk does not close it. */
  inode(): Inode;
  /** The directory that `~` stands for; undefined if there is no home directory. */
  readonly home: string | undefined;
  /** The directories below the root that no tool may enter, case-folded: those in which jinn keeps its own state. */
  readonly closed: readonly string[];
}

/** The end of a walk: the file-system object, held open, and its path below the root ('.' for the root). */
export interface WalkEnd {
  readonly inode: Inode;
  readonly path: string;
}

/**
 * Walks a path that a caller wrote, segment by segment, and holds the object at its end. Links are read and judged; the
 * system never follows one. The path is judged before the disk is asked, so that no answer tells what lies outside.
 * Throws ToolError. The caller closes `inode`.
 */
export function walkTo(root: Root, asked: string): WalkEnd {
  const segments = checkPath(root, asked);
  const trail = new Trail(root.inode());
  try {
    follow({ root, asked, mayBeMissing: false }, segments, trail);
    return trail.take();
  } catch (error) {
    throw fromSystemError(error, shown(asked));
  } finally {
    trail.release();
  }
}

/** A name in a directory that is held open, and the object of that name. */
export interface FoundTarget {
  /** The deepest existing directory on the way, held open. */
  readonly parent: Inode;
  /** The missing directories below it, outermost first. */
  readonly missing: readonly string[];
  readonly name: string;
  /** The path below the root, links resolved. */
  readonly path: string;
  /** The object of that name, held open; undefined if there is none. */
  readonly inode: Inode | undefined;
}

/**
 * Walks like `walkTo`, to a place where a file may be created: the last segments of the path may be missing. A link
 * inside the workspace stands for its target, even if that does not exist.
 */
export function walkToTarget(root: Root, asked: string): FoundTarget {
  const segments = checkPath(root, asked);
  const trail = new Trail(root.inode());
  try {
    const missing = follow({ root, asked, mayBeMissing: true }, segments, trail);
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

/** Reports whether a path below the root is, or lies in, a directory where jinn keeps its own state. */
export function isClosed(root: Root, path: string): boolean {
  if (root.closed.length === 0) return false;
  const folded = foldPath(path);
  return root.closed.some((closed) => folded === closed || folded.startsWith(`${closed}/`));
}

/** Makes `closed` of a Root from absolute directories. Directories outside of the root are left out. */
export function closedPaths(root: string, directories: readonly string[]): string[] {
  const inside = directories.map((directory) => lexicallyBelow(root, realName(posix.resolve(root, directory))));
  return inside.filter((path) => path !== undefined).map(foldPath);
}

/** The directories on the way so far, each held open. The root is not closed with them. */
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

  /** Goes up one directory. Returns false if that would leave the root. */
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
}

/** Walks as far as the path exists and returns the missing names. Throws if none may be missing. */
function follow(walk: Walk, segments: string[], trail: Trail): string[] {
  const { root, asked } = walk;
  const todo = namesOf(segments).toReversed();
  let links = 0;
  for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
    if (name === '..') {
      if (!trail.pop()) throw outside(root, asked);
      continue;
    }
    if (isSecret(walk, trail, [name])) throw sensitive(asked);
    if (trail.end.kind !== 'directory') throw notADirectory(shown(asked));
    const isEnd = todo.length === 0;
    const inode = childOf(walk, trail.end, name, { isEnd, isLast: isEnd && name === segments.findLast(Boolean) });
    if (inode === undefined) return checkMissing(walk, trail, [name, ...todo.toReversed()]);
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

/** The place of a name on the way: at the end of the way, and the last name that the caller wrote. */
interface NamePlace {
  readonly isEnd: boolean;
  readonly isLast: boolean;
}

function childOf(
  { asked, mayBeMissing }: Walk,
  directory: Inode,
  name: string,
  { isEnd, isLast }: NamePlace,
): Inode | undefined {
  try {
    return (isEnd ? undefined : directoryOf(directory, name)) ?? directory.child(name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    if (mayBeMissing) return undefined;
    if (!isLast) throw error;
    throw fileNotFound(shown(asked), error, nearestSibling(directory, name, asked));
  }
}

/**
 * Returns a child that is a directory, as nearly all on a way are; undefined for any other. Asking for its kind first
 * takes longer.
 */
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
  return root.closed.length > 0 && isClosed(root, posix.join(trail.path, ...names));
}

/** Judges missing names like existing ones, since a link may have brought in any of them. */
function checkMissing(walk: Walk, trail: Trail, names: string[]): string[] {
  if (names.includes('..')) throw fileNotFound(shown(walk.asked));
  if (isSecret(walk, trail, names)) throw sensitive(walk.asked);
  return names;
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

/** Returns the segments that a link stands for. An absolute link starts again at the root; it throws if it leads outside. */
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

/** Reports whether a relative link climbs above the root; it may then come back by name. */
function climbsOut(from: string, segments: readonly string[]): boolean {
  let depth = from === '.' ? 0 : from.split('/').length;
  for (const segment of segments) {
    if (segment === '..') depth--;
    else if (segment !== '' && segment !== '.') depth++;
    if (depth < 0) return true;
  }
  return false;
}

/** Judges the text of a path, before any look at the disk, and returns the segments below the root. */
function checkPath(root: Root, asked: string): string[] {
  if (asked === '') {
    throw new ToolError('invalid_args', 'path is empty', { suggestion: 'use "." for the working directory' });
  }
  if (asked.includes('\0') || !asked.isWellFormed()) {
    throw new ToolError('invalid_args', 'path has a character that no file name can have', {
      suggestion: 'leave out NUL and halves of surrogate pairs',
    });
  }
  if (asked.length > MAX_LENGTH) {
    throw new ToolError('invalid_args', `path is longer than ${MAX_LENGTH} characters`, { suggestion: GIVE_ONE });
  }
  const clean = posix.normalize(expandHome(asked, root.home));
  const leaves = clean.startsWith('/') || clean === '..' || clean.startsWith('../');
  const inside = leaves ? below(root, posix.resolve(root.path, clean)) : clean;
  if (hasSensitiveSegment(inside ?? clean)) throw sensitive(asked);
  if (inside === undefined) throw outside(root, asked);
  const segments = inside.split('/');
  if (segments.length > MAX_SEGMENTS) throw tooDeep();
  return segments;
}

function expandHome(asked: string, home: string | undefined): string {
  if (home === undefined || (asked !== '~' && !asked.startsWith('~/'))) return asked;
  return home + asked.slice(1);
}

/**
 * Returns the part of an absolute path below the root, or undefined if it lies outside. A path that reaches the root by
 * another name, through a link above it, counts by its real name.
 */
function below(root: Root, absolute: string): string | undefined {
  return lexicallyBelow(root.path, absolute) ?? belowByAnotherName(root.path, absolute);
}

function lexicallyBelow(root: string, absolute: string): string | undefined {
  if (absolute === root) return '.';
  const prefix = root === '/' ? '/' : `${root}/`;
  return absolute.startsWith(prefix) ? absolute.slice(prefix.length) : undefined;
}

/**
 * Returns the path below the root of a path that reaches the root by another name; undefined if it does not. Security:
 * resolves only the part of the path that leads to the root, so that the names below stay as they were written and are
 * judged. Stops at the first missing name, however long the path.
 */
function belowByAnotherName(root: string, absolute: string): string | undefined {
  for (let end = 0; end < absolute.length; ) {
    const slash = absolute.indexOf('/', end + 1);
    end = slash === -1 ? absolute.length : slash;
    const prefix = absolute.slice(0, end);
    if (!fs.existsSync(prefix)) return undefined; // Throwing and catching takes longer than asking.
    const inside = lexicallyBelow(root, realName(prefix));
    if (inside !== undefined) return posix.join(inside, absolute.slice(end));
  }
  return undefined;
}

/** Returns the real path of the longest existing part, and the rest as it was written. */
function realName(absolute: string): string {
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

function nearestSibling(directory: Inode, name: string, asked: string): string | undefined {
  if (asked.length > MAX_SHOWN) return undefined;
  try {
    const names = directory.within((prefix) => fs.readdirSync(prefix)).slice(0, MAX_NAMES_TO_COMPARE);
    const nearest = nearestName(
      name,
      names.filter((sibling) => !isSensitiveSegment(sibling)),
    );
    return nearest && posix.join(posix.dirname(asked), nearest);
  } catch {
    return undefined; // A hint is never worth a failure.
  }
}

function sensitive(asked: string): ToolError {
  return new ToolError('path_outside_sandbox', `blocked: sensitive path: ${shown(asked)}`, {
    suggestion: 'secrets are never opened; ask the user for the one value that you need',
  });
}

function outside({ called }: Root, asked: string): ToolError {
  return new ToolError('path_outside_sandbox', `blocked: ${shown(asked)} is outside ${called}`, {
    suggestion: `use a path inside ${called}, relative to it`,
  });
}

function notAFileName(asked: string): ToolError {
  return new ToolError('not_a_file', `${shown(asked)} names a directory`, {
    suggestion: 'give the path of a file; missing directories are made on the way',
  });
}

function circularLinks(asked: string): ToolError {
  return new ToolError('file_not_found', `the links of this path lead in a circle: ${shown(asked)}`, {
    suggestion: 'use the path of the file itself',
  });
}

function tooDeep(): ToolError {
  return new ToolError('invalid_args', `path has more than ${MAX_SEGMENTS} segments`, { suggestion: GIVE_ONE });
}

function shown(asked: string): string {
  return asked.length <= MAX_SHOWN ? asked : `${asked.slice(0, MAX_SHOWN)}…`;
}
