import fs from 'node:fs';
import path from 'node:path';
import { fromWriteError, ToolError } from '@jinn/core/errors';
import { makePrivateDirectory, readRegular } from '@jinn/workspace';
import { readSmallFile } from './list-folders.ts';

/** The file that shows that a folder was installed, and not written by a person. */
const MANIFEST = '.jinn-install.json';
const MAX_FILES = 5_000;
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_MANIFEST_BYTES = 2 * 1024 * 1024;
const SIDE = '.side-';
const OLD = '.old-';

/** The installed files, and their source. */
export interface ToolManifest {
  /** The argument of `install`: a path, an address or a name. */
  readonly source: string;
  /** The place of the folder in the source; empty for its top. */
  readonly below: string;
  readonly installed: string;
  /** The SHA-256 of each file as it was installed. */
  readonly files: Readonly<Record<string, string>>;
}

/** Makes a directory for a folder that is not complete yet; its name keeps it from being taken for a tool. Throws `write_failed`. */
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

export function makeDirectory(directory: string): void {
  fs.mkdirSync(directory, { mode: 0o700 });
}

/** Writes files into a folder, with their directories. */
export function writeFiles(folder: string, files: Readonly<Record<string, string>>, programs: readonly string[]): void {
  for (const [name, text] of Object.entries(files)) {
    const file = `${folder}/${name}`;
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text, { mode: programs.includes(name) ? 0o755 : 0o644, flag: 'wx' });
  }
}

/** Copies a folder without its `.git`; links are copied as links. Throws `not_a_directory`. */
export function copyFolder(from: string, to: string): void {
  if (kindOf(from) !== 'directory') {
    throw new ToolError('not_a_directory', `${from} is not a directory`, { suggestion: 'name the folder of a tool' });
  }
  listTree(from); // Refuses what is too large before it is copied.
  const isWanted = (source: string) => path.basename(source) !== '.git' && path.basename(source) !== MANIFEST;
  fs.cpSync(from, to, { recursive: true, verbatimSymlinks: true, filter: isWanted });
}

/** Returns the kind of the entry at a path; undefined if there is none, or it cannot be reached. */
export function kindOf(file: string): 'file' | 'directory' | undefined {
  let stat: fs.Stats | undefined;
  try {
    stat = fs.statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
  if (stat?.isDirectory()) return 'directory';
  return stat?.isFile() ? 'file' : undefined;
}

/** Unpacks gzip, at most 64 MiB of content, into a file. */
export function gunzip(from: string, to: string): void {
  const { gunzipSync } = process.getBuiltinModule('node:zlib');
  try {
    const bytes = readRegular(from, MAX_BYTES, { followsLinks: true });
    if (bytes === undefined) throw new RangeError('too large');
    const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
    // Security: a small file may unpack to terabytes.
    const content = isPacked ? gunzipSync(bytes, { maxOutputLength: MAX_BYTES }) : bytes;
    if (content.length > MAX_BYTES) throw new RangeError('too large');
    fs.writeFileSync(to, content, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge();
    throw new ToolError('invalid_args', `${path.basename(from)} cannot be unpacked`, {
      suggestion: 'give a .tgz or .tar.gz file',
      cause: error,
    });
  }
}

/** Finds the folders of tools in a directory: the directory itself, its directories, and those of its `tools`. */
export function findToolFolders(directory: string): string[] {
  if (isToolFolder(directory)) return [''];
  const below = ['', 'tools/'].flatMap((prefix) => {
    const place = `${directory}/${prefix}`;
    if (kindOf(place) !== 'directory') return [];
    return fs.readdirSync(place).map((name) => prefix + name);
  });
  return below.filter((name) => isToolFolder(`${directory}/${name}`)).sort();
}

function isToolFolder(folder: string): boolean {
  return kindOf(`${folder}/tool.md`) === 'file' || kindOf(`${folder}/tool.json`) === 'file';
}

/**
 * Lists the files of a folder with their SHA-256. Throws `invalid_args` for a link that leads out of the folder, for an
 * entry that is neither file nor directory, and for too much.
 */
export function checksumsOf(folder: string): Record<string, string> {
  const { createHash } = process.getBuiltinModule('node:crypto');
  const sums = listTree(folder).map(({ name, link }) => {
    const content = link === undefined ? (readRegular(`${folder}/${name}`, MAX_BYTES) ?? '') : `link ${link}`;
    return [name, createHash('sha256').update(content).digest('hex')] as const;
  });
  return Object.fromEntries(sums.filter(([name]) => name !== MANIFEST));
}

interface TreeEntry {
  readonly name: string;
  /** The target of a symbolic link. */
  readonly link?: string;
}

function listTree(folder: string): TreeEntry[] {
  let bytes = 0;
  const entries: TreeEntry[] = [];
  for (const name of walkTree(folder, '')) {
    const stat = fs.lstatSync(`${folder}/${name}`);
    bytes += stat.size;
    if (entries.length === MAX_FILES || bytes > MAX_BYTES) throw tooLarge();
    if (stat.isSymbolicLink()) entries.push({ name, link: checkLink(folder, name) });
    else if (stat.isFile()) entries.push({ name });
    else throw unfit(`${name} is neither a file nor a directory`);
  }
  return entries;
}

function* walkTree(folder: string, below: string): Generator<string> {
  for (const entry of fs.readdirSync(`${folder}/${below}`, { withFileTypes: true })) {
    const name = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.name === '.git') continue;
    if (entry.isDirectory()) yield* walkTree(folder, name);
    else yield name;
  }
}

function checkLink(folder: string, name: string): string {
  const target = fs.readlinkSync(`${folder}/${name}`);
  const resolved = path.posix.join(path.posix.dirname(name), target);
  if (!path.isAbsolute(target) && resolved !== '..' && !resolved.startsWith('../')) return target;
  throw unfit(`the link ${name} leads out of the folder`);
}

/** Returns the manifest of an installed folder; undefined if a person wrote the folder, or the manifest is damaged. */
export function readManifest(folder: string): ToolManifest | undefined {
  try {
    const manifest = JSON.parse(readSmallFile(`${folder}/${MANIFEST}`, MAX_MANIFEST_BYTES)) as Partial<ToolManifest>;
    const { source, below, installed, files } = manifest;
    const isWhole = [source, below, installed].every((text) => typeof text === 'string');
    return isWhole && typeof files === 'object' && files !== null ? (manifest as ToolManifest) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Moves a complete folder to its place in the directory of tools, with a manifest if it was installed. Throws `conflict` if
 * a folder of that name exists, unless it `replaces` one. A reader sees the old folder or the new one, never a part.
 */
export function placeFolder(
  staged: string,
  {
    directory,
    name,
    manifest,
    replaces,
  }: { directory: string; name: string; manifest?: ToolManifest; replaces: boolean },
): void {
  const place = `${directory}/${name}`;
  if (manifest) fs.writeFileSync(`${staged}/${MANIFEST}`, `${JSON.stringify(manifest, null, 1)}\n`, { flag: 'wx' });
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
  const old = moveAside(directory, name);
  try {
    fs.renameSync(staged, place);
  } catch (error) {
    fs.renameSync(old, place);
    throw error;
  }
  removeTree(old);
}

/** Removes a folder; for readers, in one step. */
export function removeFolder(directory: string, name: string): void {
  removeTree(moveAside(directory, name));
}

function moveAside(directory: string, name: string): string {
  const old = `${directory}/${OLD}${name}`;
  removeTree(old);
  fs.renameSync(`${directory}/${name}`, old);
  return old;
}

/** Restores folders that an update moved aside before it was killed, and removes the remains of other work. */
export function recoverFolders(directory: string): void {
  if (kindOf(directory) !== 'directory') return;
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
