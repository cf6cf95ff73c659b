import fs from 'node:fs';
import path from 'node:path';
import { fromWriteError, ToolError } from '@jinn/core/errors';
import { makePrivateDirectory } from '@jinn/workspace';
import { readSmallFile } from './list-folders.ts';

/** The file that shows that a folder was installed, and not written by the user. */
const MANIFEST = '.jinn-install.json';
const MAX_FILES = 5_000;
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_MANIFEST_BYTES = 64 * 1024;
const SIDE = '.side-';
const OLD = '.old-';

/** Makes a directory for a folder that is not complete yet. Its name keeps it from being taken for a tool. Throws `write_failed`. */
export function makeSideFolder(directory: string): string {
  try {
    makePrivateDirectory(directory);
    return fs.mkdtempSync(`${directory}/${SIDE}`);
  } catch (error) {
    throw fromWriteError(error, 'the directory of the tools');
  }
}

export function removeTree(folder: string): void {
  fs.rmSync(folder, { recursive: true, force: true });
}

/** Writes files into a folder, with their directories. */
export function writeFiles(folder: string, files: Readonly<Record<string, string>>, programs: readonly string[]): void {
  for (const [name, text] of Object.entries(files)) {
    const file = `${folder}/${name}`;
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text, { mode: programs.includes(name) ? 0o755 : 0o644, flag: 'wx' });
  }
}

/** Copies a folder without its `.git`. Links are copied as links. Throws `not_a_directory`. */
export function copyFolder(from: string, to: string): void {
  if (entryKindOf(from) !== 'directory') {
    throw new ToolError('not_a_directory', `${from} is not a directory`, { suggestion: 'name the folder of a tool' });
  }
  checkFolder(from); // Refuses what is too large before it is copied.
  const isWanted = (source: string) => path.basename(source) !== '.git' && path.basename(source) !== MANIFEST;
  fs.cpSync(from, to, { recursive: true, verbatimSymlinks: true, filter: isWanted });
}

/** Returns the kind of the entry at a path, or undefined if there is none, or it cannot be reached. */
export function entryKindOf(file: string): 'file' | 'directory' | undefined {
  let stat: fs.Stats | undefined;
  try {
    stat = fs.statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
  if (stat?.isDirectory()) return 'directory';
  return stat?.isFile() ? 'file' : undefined;
}

/** Finds the folders of tools in a directory: the directory itself, its directories, and those of its `tools`. */
export function findToolFolders(directory: string): string[] {
  if (isToolFolder(directory)) return [''];
  const below = ['', 'tools/'].flatMap((prefix) => {
    const place = `${directory}/${prefix}`;
    if (entryKindOf(place) !== 'directory') return [];
    return fs.readdirSync(place).map((name) => prefix + name);
  });
  return below.filter((name) => isToolFolder(`${directory}/${name}`)).sort();
}

function isToolFolder(folder: string): boolean {
  return entryKindOf(`${folder}/tool.md`) === 'file' || entryKindOf(`${folder}/tool.json`) === 'file';
}

/**
 * Throws `invalid_args` for a link that leaves a folder and for an entry that is neither file nor directory, and
 * `resource_limit` for too much.
 */
export function checkFolder(folder: string): void {
  let [count, bytes] = [0, 0];
  for (const name of walkTree(folder, '')) {
    const stat = fs.lstatSync(`${folder}/${name}`);
    bytes += stat.size;
    if (++count > MAX_FILES || bytes > MAX_BYTES) throw tooLarge();
    if (stat.isSymbolicLink()) checkLink(folder, name);
    else if (!stat.isFile()) throw unfit(`${name} is neither a file nor a directory`);
  }
}

function* walkTree(folder: string, below: string): Generator<string> {
  for (const entry of fs.readdirSync(`${folder}/${below}`, { withFileTypes: true })) {
    const name = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.name === '.git') continue;
    if (entry.isDirectory()) yield* walkTree(folder, name);
    else yield name;
  }
}

function checkLink(folder: string, name: string): void {
  const target = fs.readlinkSync(`${folder}/${name}`);
  const resolved = path.posix.join(path.posix.dirname(name), target);
  if (!path.isAbsolute(target) && resolved !== '..' && !resolved.startsWith('../')) return;
  throw unfit(`the link ${name} points outside of the folder`);
}

/** Returns where an installed folder came from, or undefined if the user wrote the folder, or its manifest is damaged. */
export function readInstallSource(folder: string): string | undefined {
  try {
    const { source } = JSON.parse(readSmallFile(`${folder}/${MANIFEST}`, MAX_MANIFEST_BYTES)) as { source?: unknown };
    return typeof source === 'string' ? source : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Moves a complete folder to its place in the directory of tools, with its source if it was installed. Throws `conflict` if
 * a folder of that name exists, unless it `replaces` one. A reader sees the old folder or the new one, never a part.
 */
export function placeFolder(
  staged: string,
  { directory, name, source, replaces }: { directory: string; name: string; source?: string; replaces: boolean },
): void {
  const place = `${directory}/${name}`;
  if (source !== undefined)
    fs.writeFileSync(`${staged}/${MANIFEST}`, `${JSON.stringify({ source })}\n`, { flag: 'wx' });
  fs.chmodSync(staged, 0o755);
  if (!fs.lstatSync(place, { throwIfNoEntry: false })) {
    fs.renameSync(staged, place);
    return;
  }
  if (!replaces) {
    throw new ToolError('conflict', `there is a folder ${name} already`, {
      suggestion: 'choose another name, or remove it',
    });
  }
  const old = `${directory}/${OLD}${name}`;
  removeTree(old);
  fs.renameSync(place, old);
  try {
    fs.renameSync(staged, place);
  } catch (error) {
    fs.renameSync(old, place);
    throw error;
  }
  removeTree(old);
}

/** Restores folders that were moved aside before it was killed, and removes the remains of other work. */
export function recoverFolders(directory: string): void {
  if (entryKindOf(directory) !== 'directory') return;
  for (const entry of fs.readdirSync(directory)) {
    const name = entry.slice(OLD.length);
    if (entry.startsWith(OLD) && !fs.existsSync(`${directory}/${name}`)) {
      fs.renameSync(`${directory}/${entry}`, `${directory}/${name}`);
    } else if (entry.startsWith(OLD) || isAbandoned(directory, entry)) removeTree(`${directory}/${entry}`);
  }
}

const ABANDONED_MS = 60 * 60 * 1000;

function isAbandoned(directory: string, entry: string): boolean {
  return entry.startsWith(SIDE) && Date.now() - fs.statSync(`${directory}/${entry}`).mtimeMs > ABANDONED_MS;
}

function unfit(message: string): ToolError {
  return new ToolError('invalid_args', message, { suggestion: 'nothing was installed' });
}

function tooLarge(): ToolError {
  return new ToolError('resource_limit', 'a tool has at most 5,000 files and 64 MiB', {
    suggestion: 'nothing was installed',
  });
}
