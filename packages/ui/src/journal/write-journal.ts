import fs from 'node:fs';
import { makeOwnDirectory } from '@jinn/workspace';
import { type CallDetail, type CallHead, SEPARATOR } from './journal-record.ts';

/** The page renews its mark more often than this. An older one was left by a process that has died. */
const FRESH_MS = 30_000;

/** The address of a running page. */
export interface LivePage {
  readonly pid: number;
  /** The Unix socket for questions. Absent if its path would be too long for the system. */
  readonly socket?: string | undefined;
}

const { O_WRONLY, O_CREAT, O_APPEND, O_NOFOLLOW } = fs.constants;

/** The size at which the next file starts. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;
/** The most bytes of all files. The newest are kept. */
const MAX_BYTES = 256 * 1024 * 1024;
const MAX_AGE_MS = 7 * 24 * 60 * 60 * 1000;
const NAME = /^\d{8}T\d{9}-\w+\.jsonl$/;

/** Reports whether a name is one of the journal's files. */
export function isJournalFile(name: string): boolean {
  return NAME.test(name);
}

/** Returns the names of the journal's files, the oldest first. */
export function journalFiles(directory: string): string[] {
  try {
    return fs.readdirSync(directory).filter(isJournalFile).sort();
  } catch {
    return [];
  }
}

/**
 * Records how a call starts or ends. Throws the error of the system, and an error if the directory is open to others.
 */
export function writeCall(directory: string, head: CallHead, detail: CallDetail): void {
  appendLine(directory, `${JSON.stringify(head)}${SEPARATOR}${JSON.stringify(detail)}`);
}

/**
 * Appends a line to the newest file, which all processes write. A line is one write, with a line end on both sides, so
 * that a torn line spoils no other.
 */
export function appendLine(directory: string, line: string): void {
  if (!makeOwnDirectory(directory)) throw new Error('the directory of the journal is not private, or cannot be made');
  const fd = fs.openSync(`${directory}/${newestFile(directory)}`, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0o600);
  try {
    fs.writeSync(fd, `\n${line}\n`);
  } finally {
    fs.closeSync(fd);
  }
}

function newestFile(directory: string): string {
  const files = journalFiles(directory);
  const last = files.at(-1);
  const today = new Date().toISOString();
  if (last?.startsWith(dayOf(today)) && fileSizeOf(`${directory}/${last}`) < MAX_FILE_BYTES) return last;
  removeOld(directory, files);
  return `${today.replaceAll(/[-:.Z]/g, '')}-${process.pid}.jsonl`;
}

function dayOf(time: string): string {
  return time.slice(0, 10).replaceAll('-', '');
}

/** Returns the bytes of a file, or 0 if it is not there. */
export function fileSizeOf(file: string): number {
  return fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Removes files that are too old, and the oldest ones if there are too many bytes. */
export function removeOld(directory: string, files: readonly string[] = journalFiles(directory)): void {
  let bytes = MAX_FILE_BYTES;
  for (const name of files.toReversed()) {
    const file = `${directory}/${name}`;
    const stat = fs.statSync(file, { throwIfNoEntry: false });
    bytes += stat?.size ?? 0;
    if (stat && (bytes > MAX_BYTES || Date.now() - stat.mtimeMs > MAX_AGE_MS)) fs.rmSync(file, { force: true });
  }
}

/** Returns the directory of the journal below the cache directory of jinn. */
export function journalDirectory(cache: string): string {
  return `${cache}/journal`;
}

/** Returns the file by which the page says that it runs. `mayRecord` looks there. */
export function liveFile(directory: string): string {
  return `${directory}/live`;
}

/** Returns the address of the running page, or undefined if none runs. */
export function readLivePage(directory: string): LivePage | undefined {
  try {
    const file = liveFile(directory);
    if (Date.now() - fs.statSync(file).mtimeMs <= FRESH_MS) return JSON.parse(fs.readFileSync(file, 'utf8'));
    // A page that only slept makes it again.
    fs.rmSync(file, { force: true });
    return undefined;
  } catch {
    return undefined;
  }
}
