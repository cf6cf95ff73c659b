import fs from 'node:fs';
import path from 'node:path';
import { fromWriteError, ToolError } from '@jinn/core/errors';
import { makePrivateDirectory } from '@jinn/workspace';
import { fingerprintFolder, folderEntries, isProgram, linkTargetOf, readChunks } from './fingerprint-folder.ts';

/** The directory of the copies, below jinn's cache directory: one directory for each fingerprint. */
const COPIES = 'tools';
const SIDE = '.side-';
const MAX_COPIES = 1_000;
const MAX_BYTES = 1024 * 1024 * 1024;
const MAX_AGE_MS = 7 * 24 * 60 * 60 * 1000;
/** How long a tool may run from its copy: an hour. */
const IN_USE_MS = 2 * 60 * 60 * 1000;

/** A private copy of a folder, by the fingerprint of both. */
export interface FolderCopy {
  readonly folder: string;
  readonly fingerprint: string;
}

/**
 * Copies a folder into jinn's cache directory, or finds the copy that was made before. The fingerprint is that of the
 * copy, so that it fits the copy whatever happens to the folder meanwhile. Returns undefined for a folder that cannot
 * be fingerprinted. Throws `conflict` if the folder changes while it is copied, `invalid_args` if it holds what is
 * neither file, directory nor link, and `write_failed`.
 */
export function copyByFingerprint(folder: string, cache: string | undefined): FolderCopy | undefined {
  const fingerprint = fingerprintFolder(folder);
  if (fingerprint === undefined) return undefined;
  if (cache === undefined) throw noCache();
  const copies = `${cache}/${COPIES}`;
  const copy = { folder: `${copies}/${fingerprint}/folder`, fingerprint };
  try {
    // Security: a tool that runs without a sandbox may have written into its copy.
    if (fingerprintFolder(copy.folder) !== fingerprint) makeCopy(folder, copies, fingerprint);
    fs.utimesSync(path.dirname(copy.folder), new Date(), new Date());
    return copy;
  } catch (error) {
    throw fromWriteError(error, 'the copy of a tool');
  }
}

function makeCopy(folder: string, copies: string, fingerprint: string): void {
  makePrivateDirectory(copies);
  prune(copies);
  const side = fs.mkdtempSync(`${copies}/${SIDE}`);
  try {
    copyEntries(fs.realpathSync.native(folder), `${side}/folder`);
    if (fingerprintFolder(`${side}/folder`) !== fingerprint) throw changedMeanwhile();
    replace(side, `${copies}/${fingerprint}`);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? changedMeanwhile(error) : error;
  } finally {
    fs.rmSync(side, { recursive: true, force: true });
  }
}

function replace(side: string, place: string): void {
  const fresh = `${side}/fresh`;
  fs.mkdirSync(fresh, { mode: 0o700 });
  fs.renameSync(`${side}/folder`, `${fresh}/folder`);
  if (fs.existsSync(place)) fs.renameSync(place, `${side}/old`);
  try {
    fs.renameSync(fresh, place);
  } catch (error) {
    // Another process has put the same copy there.
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

function copyEntries(from: string, to: string): void {
  fs.mkdirSync(to, { mode: 0o700 });
  for (const { name, stat } of folderEntries(from)) {
    const target = `${to}/${name}`;
    if (stat.isDirectory()) fs.mkdirSync(target, { mode: 0o700 });
    else if (stat.isSymbolicLink()) fs.symlinkSync(linkTargetOf(from, name), target);
    else if (stat.isFile()) copyFile(`${from}/${name}`, target, stat);
    else {
      throw new ToolError('invalid_args', `${name} in the folder of the tool is not a file, directory or link`, {
        suggestion: 'ask the user to remove it',
      });
    }
  }
}

function copyFile(from: string, to: string, stat: fs.BigIntStats): void {
  const fd = fs.openSync(to, 'wx', isProgram(stat) ? 0o500 : 0o400);
  try {
    for (const chunk of readChunks(from)) fs.writeFileSync(fd, chunk);
    fs.futimesSync(fd, stat.atime, stat.mtime);
  } finally {
    fs.closeSync(fd);
  }
}

function prune(copies: string): void {
  const found = fs
    .readdirSync(copies)
    .map((name) => ({ place: `${copies}/${name}`, usedMs: usedAt(`${copies}/${name}`) }));
  let bytes = 0;
  for (const [at, { place, usedMs }] of found.sort((a, b) => b.usedMs - a.usedMs).entries()) {
    const age = Date.now() - usedMs;
    if (age > IN_USE_MS) bytes += sizeOf(place);
    const isTooMuch = age > MAX_AGE_MS || at >= MAX_COPIES - 1 || bytes > MAX_BYTES;
    if (isTooMuch && age > IN_USE_MS) fs.rmSync(place, { recursive: true, force: true });
  }
}

function usedAt(place: string): number {
  return fs.statSync(place, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function sizeOf(place: string): number {
  try {
    return [...folderEntries(place)].reduce((sum, { stat }) => sum + Number(stat.size), 0);
  } catch {
    return 0; // Another process has removed it.
  }
}

function placeOfProgram({ folder }: FolderCopy, script: string): string {
  const { createHash } = process.getBuiltinModule('node:crypto');
  return `${path.dirname(folder)}/${createHash('sha256').update(script).digest('hex')}`;
}

/** Finds the program that was built from a script of a copy, or undefined if there is none. */
export function findBuilt(copy: FolderCopy, script: string): string | undefined {
  const place = placeOfProgram(copy, script);
  return fs.existsSync(place) ? place : undefined;
}

/** Keeps a program that was built from a script of a copy, as long as the copy. Returns its path. */
export function keepBuilt(copy: FolderCopy, script: string, program: Uint8Array): string {
  const place = placeOfProgram(copy, script);
  const temp = `${place}.${process.pid}-${Math.random().toString(36).slice(2)}`;
  fs.writeFileSync(temp, program, { mode: 0o500, flag: 'wx' });
  fs.renameSync(temp, place);
  return place;
}

function changedMeanwhile(cause?: unknown): ToolError {
  return new ToolError('conflict', 'the folder of the tool changed while it was copied, so the tool did not run', {
    suggestion: 'call it again',
    cause,
  });
}

function noCache(): ToolError {
  return new ToolError('write_failed', 'there is no directory for the copy of a tool', {
    suggestion: 'set XDG_CACHE_HOME or HOME for jinn',
  });
}
