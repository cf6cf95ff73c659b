import fs from 'node:fs';
import { makeOwnDirectory } from '@jinn/workspace';
import { type CallDetail, type CallHead, SEPARATOR } from './journal-record.ts';

const { O_WRONLY, O_CREAT, O_APPEND, O_NOFOLLOW } = fs.constants;

/** The size at which the next file begins. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;
/** The most bytes of all files; the newest are kept. */
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
 * Records how a call begins or ends. Throws the error of the system, and an error if the directory is open to others.
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
  if (last?.startsWith(dayOf(today)) && sizeOf(`${directory}/${last}`) < MAX_FILE_BYTES) return last;
  removeOld(directory, files);
  return `${today.replaceAll(/[-:.Z]/g, '')}-${process.pid}.jsonl`;
}

function dayOf(time: string): string {
  return time.slice(0, 10).replaceAll('-', '');
}

/** Returns the bytes of a file; 0 if it is not there. */
export function sizeOf(file: string): number {
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
