import fs from 'node:fs';
import { posix } from 'node:path';
import { ToolError } from './errors.ts';
import type { Inode } from './inode.ts';
import { nearestName } from './nearest.ts';
import { hasSensitiveSegment, isSensitiveSegment } from './sensitive.ts';
import { fileNotFound, fromSystemError, notADirectory } from './system-error.ts';

const MAX_LINKS = 40;
const MAX_SEGMENTS = 256;
const MAX_SHOWN = 300;
const MAX_NAMES_TO_COMPARE = 2_000;

export interface Root {
  /** The real path of the workspace root. */
  readonly path: string;
  readonly inode: Inode;
  /** What `~` stands for; undefined when there is no home. */
  readonly home: string | undefined;
}

/** Where a walk ended: the object itself, held, and its path below the root ('.' for the root). */
export interface Found {
  readonly inode: Inode;
  readonly path: string;
}

/**
 * Walks a path that a caller wrote, segment by segment, and holds what stands at its end (seeds/jinn-security).
 * Links are read and judged, never followed by the system. Judges first and asks the disk after, so that no answer
 * tells what lies outside. Throws ToolError; the caller closes `inode`.
 */
export function walkTo(root: Root, asked: string): Found {
  const segments = judge(root, asked);
  const trail = new Trail(root.inode);
  try {
    return follow(root, asked, segments, trail);
  } catch (error) {
    throw fromSystemError(error, shown(asked));
  } finally {
    trail.release();
  }
}

/** The directories walked through so far, each held; the root is not ours to close. */
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

  /** Goes up; false when that would leave the root. */
  pop(): boolean {
    this.#held.pop()?.close();
    return this.#names.pop() !== undefined;
  }

  clear(): void {
    while (this.pop());
  }

  /** Lets go of the end and keeps it open for the caller. */
  take(): Found {
    const found = { path: this.path, inode: this.end };
    this.#held.pop();
    this.#names.pop();
    return found;
  }

  release(): void {
    for (const inode of this.#held) inode.close();
  }
}

function follow(root: Root, asked: string, segments: string[], trail: Trail): Found {
  const todo = segments.toReversed();
  let links = 0;
  for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
    if (name === '' || name === '.') continue;
    if (name === '..') {
      if (!trail.pop()) throw outside(asked);
      continue;
    }
    if (isSensitiveSegment(name)) throw sensitive(asked);
    if (trail.end.kind !== 'directory') throw notADirectory(shown(asked));
    const inode = childOf(trail.end, name, asked, todo.length === 0);
    if (inode.kind !== 'link') {
      trail.push(name, inode);
      continue;
    }
    inode.close();
    if (++links > MAX_LINKS) {
      throw new ToolError('file_not_found', `the links of this path lead in a circle: ${shown(asked)}`, {
        suggestion: 'use the path of the file itself',
      });
    }
    todo.push(...redirect(root, asked, trail, readLink(trail.end, name, asked)).toReversed());
    if (todo.length > MAX_SEGMENTS) throw tooDeep();
  }
  return trail.take();
}

function childOf(directory: Inode, name: string, asked: string, isLast: boolean): Inode {
  try {
    return directory.child(name);
  } catch (error) {
    if (!isLast || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw fileNotFound(shown(asked), error, nearestSibling(directory, name, asked));
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

/** The segments that a link stands for; an absolute one starts again at the root, if it lies inside at all. */
function redirect(root: Root, asked: string, trail: Trail, target: string): string[] {
  if (!target.startsWith('/')) {
    const segments = target.split('/');
    if (!climbsOut(trail.path, segments)) return segments;
  }
  const absolute = target.startsWith('/') ? posix.normalize(target) : posix.join(root.path, trail.path, target);
  const inside = below(root, absolute);
  if (inside === undefined) throw outside(asked);
  trail.clear();
  return inside.split('/');
}

/** True when a relative link climbs above the root, from where it may come back by name. */
function climbsOut(from: string, segments: readonly string[]): boolean {
  let depth = from === '.' ? 0 : from.split('/').length;
  for (const segment of segments) {
    if (segment === '..') depth--;
    else if (segment !== '' && segment !== '.') depth++;
    if (depth < 0) return true;
  }
  return false;
}

/** The lexical judgement, before any look at the disk. Gives the segments below the root. */
function judge(root: Root, asked: string): string[] {
  if (asked === '') {
    throw new ToolError('invalid_args', 'path is empty', { suggestion: 'use "." for the working directory' });
  }
  if (asked.includes('\0') || !asked.isWellFormed()) {
    throw new ToolError('invalid_args', 'path has a character that no file name can have');
  }
  const clean = posix.normalize(expandHome(asked, root.home));
  const leaves = clean.startsWith('/') || clean === '..' || clean.startsWith('../');
  const inside = leaves ? below(root, posix.resolve(root.path, clean)) : clean;
  if (hasSensitiveSegment(inside ?? clean)) throw sensitive(asked);
  if (inside === undefined) throw outside(asked);
  const segments = inside.split('/');
  if (segments.length > MAX_SEGMENTS) throw tooDeep();
  return segments;
}

function expandHome(asked: string, home: string | undefined): string {
  if (home === undefined || (asked !== '~' && !asked.startsWith('~/'))) return asked;
  return home + asked.slice(1);
}

/**
 * The part of an absolute path below the root, or undefined when it lies outside. A path that reaches the root by
 * another name (a link above it) counts by its real name.
 */
function below(root: Root, absolute: string): string | undefined {
  return lexicallyBelow(root.path, absolute) ?? lexicallyBelow(root.path, realName(absolute));
}

function lexicallyBelow(root: string, absolute: string): string | undefined {
  if (absolute === root) return '.';
  const prefix = root === '/' ? '/' : `${root}/`;
  return absolute.startsWith(prefix) ? absolute.slice(prefix.length) : undefined;
}

/** The real path of the longest part that exists, with the rest as it was written. */
function realName(absolute: string): string {
  for (let prefix = absolute; prefix !== '/'; prefix = posix.dirname(prefix)) {
    try {
      return posix.join(fs.realpathSync.native(prefix), absolute.slice(prefix.length));
    } catch {
      // Missing or closed to us: the part above decides.
    }
  }
  return absolute;
}

function nearestSibling(directory: Inode, name: string, asked: string): string | undefined {
  try {
    const names = fs.readdirSync(directory.location).slice(0, MAX_NAMES_TO_COMPARE);
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

function outside(asked: string): ToolError {
  return new ToolError('path_outside_sandbox', `blocked: ${shown(asked)} is outside the working directory`, {
    suggestion: 'use a path inside the working directory, relative to it',
  });
}

function tooDeep(): ToolError {
  return new ToolError('invalid_args', `path has more than ${MAX_SEGMENTS} segments`);
}

function shown(asked: string): string {
  return asked.length <= MAX_SHOWN ? asked : `${asked.slice(0, MAX_SHOWN)}…`;
}
