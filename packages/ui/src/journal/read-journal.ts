import fs from 'node:fs';
import { estimate } from '@jinn/context/tokens';

export type { CallDetail, CallHead } from './journal-record.ts';

import { diffLines, type LineChange, linesIn } from '@jinn/fs-tools/diff/line-diff';
import { type CallDetail, type CallHead, RECORD_VERSION, SEPARATOR } from './journal-record.ts';
import { fileSizeOf, isJournalFile, journalFiles } from './write-journal.ts';

const NEWLINE = 10;
/** How much is read at once, so that a search of everything keeps no one waiting. The rest comes with the next read. */
const MAX_SCANNED = 64 * 1024 * 1024;

/** The length that counts for a missing text, and the most that counts for a long one. */
const CHARACTERS_A_TOKEN = 4;
const MAX_COUNTED = 8_192;
/** Beyond this many edits, all lines of a change count. */
const MAX_EDITS = 500;

/** A call in a list, and the place of its line. */
export interface JournalRow extends CallHead {
  readonly at: string;
  /** The estimated tokens of the arguments, and of the answer once it exists. */
  readonly tokens?: readonly [args: number, answer: number];
  /** The lines that its changes add and remove. */
  readonly lines?: readonly [added: number, removed: number];
}

/** The query for calls. */
export interface JournalQuery {
  /** The place where an earlier page ended. If absent, the newest calls are read. */
  readonly before?: string | undefined;
  readonly limit: number;
  /** Reports whether a call is wanted. */
  wants(head: CallHead): boolean;
  /** The most calls to look at. All if absent. */
  readonly most?: number;
  /** A text that the line must hold, in small letters. */
  readonly text?: string | undefined;
  readonly onRow?: RowListener;
}

type RowListener = (row: JournalRow, detail: CallDetail) => void;

/**
 * Calls, the newest first, and the place where the next page starts. Undefined at the end. A call that runs has only
 * begun.
 */
export interface JournalPage {
  readonly rows: readonly JournalRow[];
  readonly next?: string | undefined;
}

interface JournalLine {
  readonly at: string;
  readonly bytes: Buffer;
}

/** Reads calls backwards. Each comes once: as it ended, or as it started if no end is known. */
export function readCalls(directory: string, query: JournalQuery): JournalPage {
  const rows: JournalRow[] = [];
  const known = new Set<string>();
  const { most = Number.POSITIVE_INFINITY } = query;
  let scanned = 0;
  for (const { at, bytes } of linesBackwards(directory, query.before)) {
    if (rows.length >= query.limit || known.size >= most || scanned > MAX_SCANNED) return { rows, next: at };
    scanned += bytes.length;
    const head = readHead(bytes);
    if (!head || known.has(head.id)) continue;
    known.add(head.id);
    const { text } = query;
    if ((text && !bytes.toString().toLowerCase().includes(text)) || !query.wants(head)) continue;
    const { row, detail } = readCall(head, { at, bytes });
    rows.push(row);
    query.onRow?.(row, detail);
  }
  return { rows };
}

function* linesBackwards(directory: string, before: string | undefined): Iterable<JournalLine> {
  const [last, offset] = before === undefined ? [] : splitPlace(before);
  const files = journalFiles(directory).filter((name) => last === undefined || name <= last);
  for (const name of files.reverse()) {
    const content = readIfThere(`${directory}/${name}`);
    let end = name === last ? Math.min(offset ?? 0, content.length) : content.length;
    while (end > 0) {
      const from = end > 1 ? content.lastIndexOf(NEWLINE, end - 2) + 1 : 0;
      // `at` names the end of the line: reading continues before it, or finds the line by going back from it.
      if (end - from > 1) yield { at: `${name}:${end}`, bytes: content.subarray(from, end) };
      end = from;
    }
  }
}

function readIfThere(file: string): Buffer {
  try {
    return fs.readFileSync(file);
  } catch {
    return Buffer.alloc(0);
  }
}

/** Splits the place of a line. Security: a place comes from the browser, so it can name no other file. */
function splitPlace(at: string): [file: string, end: number] {
  const [name = '', end = ''] = at.split(':');
  if (!isJournalFile(name) || !/^\d{1,10}$/.test(end)) throw new Error('not a place in the journal');
  return [name, Number(end)];
}

/** Reads the detail of a call, or undefined if the line is gone. Throws for a text that is not a place. */
export function readDetail(directory: string, at: string): CallDetail | undefined {
  const [name, end] = splitPlace(at);
  const content = readIfThere(`${directory}/${name}`);
  if (end > content.length || end < 2) return undefined;
  return detailIn(content.subarray(content.lastIndexOf(NEWLINE, end - 2) + 1, end));
}

function detailIn(line: Buffer): CallDetail | undefined {
  return parse(line.subarray(line.indexOf(SEPARATOR) + 1).toString()) as CallDetail | undefined;
}

/**
 * Reads a whole line, and adds the tokens and the changed lines. They are counted here, so that the call does not spend
 * time on it. The tokens of a cut text are estimated by its length.
 */
function readCall(head: CallHead, { at, bytes }: JournalLine): { row: JournalRow; detail: CallDetail } {
  const { lengths } = head;
  const detail = detailIn(bytes);
  if (!lengths || !detail) return { row: { ...head, at }, detail: detail ?? { args: undefined } };
  const tokens = [countTokens(JSON.stringify(detail.args), lengths[0]), countTokens(detail.text, lengths[1])] as const;
  const lines = countLines(detail);
  return { row: { ...head, at, tokens, ...(lines && { lines }) }, detail };
}

function countLines({ changes, visualization }: CallDetail): readonly [added: number, removed: number] | undefined {
  const counts = changes?.map(({ before = '', after = '' }) => {
    const found = diffLines(linesIn(before), linesIn(after), MAX_EDITS);
    const sum = (of: (change: LineChange) => number) => found.reduce((total, change) => total + of(change), 0);
    return [sum(({ otherStart, otherEnd }) => otherEnd - otherStart), sum(({ start, end }) => end - start)] as const;
  });
  const drawn =
    visualization?.type === 'diffs' ? visualization.items : visualization?.type === 'diff' && [visualization];
  const all = counts ?? (drawn || undefined)?.map(({ additions, deletions }) => [additions, deletions] as const);
  return all?.reduce(([added, removed], [more, less]) => [added + more, removed + less], [0, 0]);
}

function countTokens(kept: string | undefined, length: number): number {
  if (!kept) return Math.ceil(length / CHARACTERS_A_TOKEN);
  const sample = kept.slice(0, MAX_COUNTED);
  return Math.ceil((estimate.count(Buffer.from(sample)) * length) / sample.length);
}

function readHead(line: Buffer): CallHead | undefined {
  const end = line.indexOf(SEPARATOR);
  const head = parse(line.subarray(0, Math.max(end, 0)).toString()) as CallHead | undefined;
  return head && typeof head === 'object' && head.v <= RECORD_VERSION && typeof head.id === 'string' ? head : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Calls back with each line that is written from now on, soon after. Returns a function that stops it. */
export function followJournal(directory: string, onRow: RowListener): () => void {
  let name = journalFiles(directory).at(-1) ?? '';
  let read = fileSizeOf(`${directory}/${name}`);
  const readOn = () => {
    for (const each of journalFiles(directory).filter((file) => file >= name)) {
      if (each !== name) [name, read] = [each, 0];
      read += readFrom(`${directory}/${name}`, read, (bytes, end) => {
        const head = readHead(bytes);
        if (!head) return;
        const { row, detail } = readCall(head, { at: `${name}:${end}`, bytes });
        onRow(row, detail);
      });
    }
  };
  const watcher = fs.watch(directory, readOn);
  watcher.on('error', () => watcher.close());
  return () => watcher.close();
}

function readFrom(file: string, from: number, onLine: (bytes: Buffer, end: number) => void): number {
  const size = fileSizeOf(file) - from;
  if (size <= 0) return 0;
  const fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW);
  try {
    const content = Buffer.alloc(size);
    const count = fs.readSync(fd, content, 0, size, from);
    let start = 0;
    for (let end = content.indexOf(NEWLINE); end >= 0 && end < count; end = content.indexOf(NEWLINE, start)) {
      if (end > start) onLine(content.subarray(start, end + 1), from + end + 1);
      start = end + 1;
    }
    return start;
  } finally {
    fs.closeSync(fd);
  }
}
