import fs from 'node:fs';
import { fromWriteError, ToolError } from '@jinn/core/errors';
import { createLocks, type Lock, makePrivateDirectory } from '@jinn/workspace';
import { readSmallFile } from './list-folders.ts';

const FILE = '.env';
const MAX_BYTES = 1024 * 1024;
export const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Matches an assignment: the name, and the value in quotation marks, which may span lines, or up to the end of the
 * line. An opening mark without a closing one belongs to the value.
 */
const ASSIGNMENT =
  /^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\[\s\S])*)"[ \t]*(?:#.*)?$|'([^']*)'[ \t]*(?:#.*)?$|`([^`]*)`[ \t]*(?:#.*)?$|(.*)$)(?:\r?\n)?/gm;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };
/** Matches a value that needs no quotation marks. */
const PLAIN = /^[^\s"'`#\\](?:[^\r\n#]*[^\s#])?$/;

/** Reads the variables of `.env` in a directory, or none if it is missing. Throws `permission_denied` if it cannot be read. */
export function readVariables(directory: string | undefined): ReadonlyMap<string, string> {
  return new Map(parse(readText(directory)).map(({ name, value }) => [name, value]));
}

/**
 * Sets a variable of `.env`, or removes it if `value` is undefined. The file is replaced as a whole and closed to others
 * (0600). A lock keeps two edits at once from losing one. Returns whether the variable was set before. Rejects with
 * `invalid_args` for a value with a NUL character, `conflict` if another process holds the lock for 10 seconds, and
 * `write_failed`.
 */
export async function editVariable(
  directory: string | undefined,
  name: string,
  value: string | undefined,
): Promise<boolean> {
  if (directory === undefined) {
    throw new ToolError('write_failed', 'there is no directory for .env', {
      suggestion: 'set JINN_CONFIG_DIR or HOME for jinn',
    });
  }
  if (value?.includes('\0')) {
    throw new ToolError('invalid_args', `the value of ${name} holds a NUL character`, {
      suggestion: 'no variable of a process can hold one',
    });
  }
  const lock = await lockFile(directory);
  try {
    return edit(directory, { name, value, temp: tempFile(directory, lock.id) });
  } finally {
    lock.release();
  }
}

interface Edit {
  readonly name: string;
  readonly value: string | undefined;
  /** The file that replaces `.env`. */
  readonly temp: string;
}

function edit(directory: string, { name, value, temp }: Edit): boolean {
  const text = readText(directory);
  const old = parse(text).filter((assignment) => assignment.name === name);
  let kept = text;
  for (const { start, end } of old.toReversed()) kept = kept.slice(0, start) + kept.slice(end);
  if (kept !== '' && !kept.endsWith('\n')) kept += '\n';
  write(directory, temp, value === undefined ? kept : `${kept}${name}=${quote(value)}\n`);
  return old.length > 0;
}

async function lockFile(directory: string): Promise<Lock> {
  const path = `${makeRealDirectory(directory)}/${FILE}`;
  // Security: the file that a dead process left holds the variables, which may be secret.
  const clean = (id: string) => fs.rmSync(tempFile(directory, id), { force: true });
  const locks = createLocks(`${directory}/locks`);
  const held = await locks.acquire([{ path, asked: FILE, clean }], async () => undefined);
  return held.get(path) as Lock;
}

function tempFile(directory: string, lockId: string): string {
  return `${directory}/${FILE}.${lockId}`;
}

interface Assignment {
  readonly name: string;
  readonly value: string;
  /** Its place in the text, with its line break. */
  readonly start: number;
  readonly end: number;
}

function parse(text: string): Assignment[] {
  return [...text.matchAll(ASSIGNMENT)].map((match) => {
    const [whole, name = '', double, single, back, plain = ''] = match;
    const value = double === undefined ? (single ?? back ?? withoutComment(plain)) : withoutEscapes(double);
    return { name, value, start: match.index, end: match.index + whole.length };
  });
}

function withoutComment(text: string): string {
  return text.replace(/(^|[ \t])#.*$/, '').trim();
}

function withoutEscapes(text: string): string {
  return text.replace(/\\([nrt"\\])/g, (_, letter: string) => ESCAPES[letter] ?? letter);
}

/** Quotes a value unless it is plain. Security: a line break in a value must not start another assignment. */
function quote(value: string): string {
  if (value === '' || PLAIN.test(value)) return value;
  const escaped = value.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r');
  return `"${escaped}"`;
}

function readText(directory: string | undefined): string {
  const file = `${directory}/${FILE}`;
  if (directory === undefined || !fs.existsSync(file)) return '';
  try {
    return readSmallFile(file, MAX_BYTES).replace(/^\ufeff/, '');
  } catch (error) {
    throw new ToolError('permission_denied', `.env cannot be used: ${(error as Error).message}`, {
      suggestion: 'ask the user to fix .env in the configuration directory of jinn',
      cause: error,
    });
  }
}

function makeRealDirectory(directory: string): string {
  try {
    makePrivateDirectory(directory);
    return fs.realpathSync(directory);
  } catch (error) {
    throw fromWriteError(error, FILE);
  }
}

function write(directory: string, temp: string, text: string): void {
  try {
    fs.writeFileSync(temp, text, { mode: 0o600, flag: 'wx', flush: true });
    fs.renameSync(temp, `${directory}/${FILE}`);
  } catch (error) {
    fs.rmSync(temp, { force: true });
    throw fromWriteError(error, FILE);
  }
}
