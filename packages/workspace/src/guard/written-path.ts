import { isUtf8 } from 'node:buffer';
import fs from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nearestName, ToolError } from '@jinn/core/errors';
import { isSensitiveSegment } from '../secrets/secret-names.ts';
import type { Inode } from './inode.ts';

export const MAX_SEGMENTS = 256;
export const GIVE_ONE = 'give the path of one file or directory, as list_dir shows it';
export const MAX_SHOWN = 300;
const MAX_NAMES_TO_COMPARE = 2_000;
const MAX_NAMED = 3;
const ASCII = /^[\0-\x7f]*$/;
/** It stands for a directory elsewhere, and is never one's name: a variable, the home of a user, a drive. */
const ELSEWHERE =
  /^(?:\$(?:[A-Z_][A-Z0-9_]*|\{\w+\}|\(\w+\)|env:\w+)|%\w+%|~(?:[\w.-]+(?=\/))?|[A-Za-z]:(?=[\\/]))(?:[\\/]+|$)/;
const HOME = /^(?:~|\$(?:HOME|\{HOME\}))(?=\/)/;
const QUOTED = /^(["'`])(.+)\1$/s;
/** A backslash between two names. One that writes a character by its number may be part of a name. */
const SEPARATOR = /\\(?!x[\da-f]{2})/gi;

/** A path with the number of a line, or of the first and the last one, in the forms that editors, compilers and GitHub use. */
const LINES = /^(.+?)(?::|#L?)(\d{1,9})(?:-L?(\d{1,9})|:\d{1,9})?:?$/s;

/** Returns the only entry that differs from a missing one only in its Unicode normal form. */
export function findTwin(directory: Inode, name: string): string | undefined {
  if (ASCII.test(name)) return undefined;
  const wanted = name.normalize();
  const twins = namesIn(directory).filter((other) => other !== name && other.normalize() === wanted);
  return twins.length === 1 ? twins[0] : undefined;
}

/** Names the entry that is most like a missing one, or those with its name and an ending, or undefined if there is none. */
export function nearestSiblings(directory: Inode, name: string, asked: string): string | undefined {
  const names = namesIn(directory).slice(0, MAX_NAMES_TO_COMPARE);
  const siblings = names.filter((sibling) => !isSensitiveSegment(sibling));
  const longer = siblings.filter((sibling) => sibling.toLowerCase().startsWith(`${name.toLowerCase()}.`)).sort();
  const nearest = nearestName(name, siblings);
  const likely = longer.length > 0 ? longer.slice(0, MAX_NAMED) : nearest === undefined ? [] : [nearest];
  return likely.map((one) => posix.join(posix.dirname(asked), one)).join(' or ') || undefined;
}

/** Returns the path that is meant by backslashes between names, or by line numbers after the name, and how to say so. */
export function otherReading(asked: string): { readonly path: string; readonly told: string } | undefined {
  const plain = asked.replace(SEPARATOR, '/');
  const [, path = plain, first, last] = LINES.exec(plain) ?? [];
  if (path === asked) return undefined;
  if (first === undefined) return { path, told: path };
  const range = { path, start_line: Number(first), ...(last !== undefined && { end_line: Number(last) }) };
  return { path, told: `${path}, with the lines as ${JSON.stringify(range)}` };
}

interface Missing {
  readonly names: readonly string[];
  readonly asked: string;
  readonly mayBeMissing: boolean;
  /** Returns the part of a path below the root, or undefined if it is outside. */
  insideOf(path: string): string | undefined;
}

/** Throws if missing names are unlikely ones, such as those of a variable, or stand for a name that is not UTF-8. */
export function rejectUnlikely(
  root: { readonly home: string | undefined },
  { end, path }: { readonly end: Inode; readonly path: string },
  { names, asked, mayBeMissing, insideOf }: Missing,
): void {
  if (isForeign(end, names[0] ?? '')) throw notUtf8(asked);
  const text = names.join('/');
  const plain = withoutMarks(mayBeMissing ? text.replace(SEPARATOR, '/') : text);
  const isElsewhere = path === '.' && ELSEWHERE.test(plain);
  if (!isElsewhere && plain === text) return;
  const home = HOME.test(plain) && root.home !== undefined ? plain.replace(HOME, () => root.home as string) : plain;
  const inside = insideOf(home) ?? plain.replace(ELSEWHERE, '').replace(SEPARATOR, '/').replace(/^\/+/, '');
  const suggestion = `did you mean ${posix.join(path, inside).slice(0, 300)}?`;
  if (!isElsewhere) throw new ToolError('invalid_args', `quotes, blanks or backslashes in ${asked}`, { suggestion });
  const message = `blocked: no shell reads ${asked}, so its start means no directory`;
  throw new ToolError('path_outside_sandbox', message, { suggestion });
}

function withoutMarks(text: string): string {
  const bare = (part: string) => part.trim().replace(QUOTED, '$2').trim();
  return bare(text).split('/').map(bare).join('/');
}

/** A name that is not UTF-8 is shown with U+FFFD. */
function isForeign(directory: Inode, name: string): boolean {
  if (!name.includes('\ufffd')) return false;
  return list(directory, 'buffer').some((bytes) => !isUtf8(bytes) && bytes.toString() === name);
}

function notUtf8(asked: string): ToolError {
  return new ToolError('file_not_found', `the name of this file is not valid UTF-8, so no path names it: ${asked}`, {
    suggestion: `reach it with a command and a wildcard: mv -- ${asked.replace(/\ufffd+/g, '*')} NEW_NAME`,
  });
}

function namesIn(directory: Inode): string[] {
  return list(directory, 'utf8').filter((name) => !name.includes('\ufffd'));
}

function list(directory: Inode, encoding: 'utf8'): string[];
function list(directory: Inode, encoding: 'buffer'): Buffer[];
function list(directory: Inode, encoding: 'utf8' | 'buffer'): string[] | Buffer[] {
  try {
    return directory.within((prefix) => fs.readdirSync(prefix, { encoding: encoding as 'utf8' }));
  } catch {
    return []; // A hint is never worth a failure.
  }
}

/** Throws `invalid_args` for a URL that names no file. */
export function fromFileUrl(asked: string): string {
  try {
    return fileURLToPath(asked);
  } catch (cause) {
    throw new ToolError('invalid_args', 'path is a file URL that names no file on this machine', {
      suggestion: `did you mean ${asked.replace(/^file:\/*/i, '').slice(0, 300)}?`,
      cause,
    });
  }
}

export function sensitive(asked: string): ToolError {
  const isGit = /(?:^|\/)\.git(?:\/|$)/i.test(asked);
  return new ToolError('path_outside_sandbox', `blocked: sensitive path: ${shown(asked)}`, {
    suggestion: isGit
      ? 'file tools never open .git: use git in a command, such as git log or git config'
      : 'secrets are never opened: ask the user for the one value that you need',
  });
}

/** Makes the error for a path that leaves the root. `inside` is the path inside of it that may be meant. */
export function outside({ called }: { readonly called: string }, asked: string, inside?: string): ToolError {
  const likely = asked.startsWith('~/') ? `, such as ${shown(asked.slice(2))}` : '';
  const suggestion =
    inside === undefined ? `use a path inside ${called}, relative to it${likely}` : `did you mean ${shown(inside)}?`;
  return new ToolError('path_outside_sandbox', `blocked: ${shown(asked)} is outside ${called}`, { suggestion });
}

export function notAFileName(asked: string): ToolError {
  return new ToolError('not_a_file', `${shown(asked)} names a directory`, {
    suggestion: 'give the path of a file: missing directories are created',
  });
}

export function circularLinks(asked: string): ToolError {
  return new ToolError('file_not_found', `the links of this path lead in a circle: ${shown(asked)}`, {
    suggestion: 'use the path of the file itself',
  });
}

export function tooDeep(): ToolError {
  return new ToolError('invalid_args', `path has more than ${MAX_SEGMENTS} segments`, { suggestion: GIVE_ONE });
}

export function shown(asked: string): string {
  return asked.length <= MAX_SHOWN ? asked : `${asked.slice(0, MAX_SHOWN)}…`;
}
