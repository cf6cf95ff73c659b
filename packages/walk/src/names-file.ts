import fs from 'node:fs';
import { createStateFiles, type DirectoryStamp } from '@jinn/core';
import type { NamedEntry, Names } from './read-names.ts';
import { byPath, type EntryKind } from './walk-entry.ts';

const MAX_BYTES = 64 * 1024 * 1024;
const MAX_AGE_MS = 7 * 24 * 60 * 60 * 1000;
const MAX_FILES = 20;
const FILE_NAME = /^names-[0-9a-z]+\.bin$/;
const LINE_FEED = 10;
/** Numbers a directory: device, inode, when it changed, and where its names begin and end. */
const NUMBERS = 5;
const NUMBER_BYTES = 8;
const KINDS: Readonly<Record<string, EntryKind>> = { f: 'file', d: 'directory', l: 'link', s: 'special' };
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;

/**
 * The names of directories as a process left them for the next: a line of JSON, the numbers of each directory, all
 * names. Private (0600, in the cache directory), and a hint alone: what is not certain is read anew.
 */
export class NamesFile {
  readonly #numbers: Float64Array;
  readonly #names: Buffer;
  readonly #places = new Map<string, number>();

  private constructor(numbers: Float64Array, names: Buffer) {
    this.#numbers = numbers;
    this.#names = names;
    for (let at = 0; at < numbers.length; at += NUMBERS) this.#places.set(`${numbers[at]}:${numbers[at + 1]}`, at);
  }

  /** Undefined when there is none that can be used. */
  static load(directory: string, root: string): NamesFile | undefined {
    try {
      const bytes = readOwn(`${directory}/${nameFor(root)}`);
      const end = bytes.indexOf(LINE_FEED);
      if (bytes.toString('utf8', 0, end) !== headerOf(root)) return undefined;
      const count = bytes.readDoubleLE(end + 1);
      const start = end + 1 + NUMBER_BYTES;
      const length = count * NUMBERS * NUMBER_BYTES;
      // Numbers must stand at a multiple of their size.
      const numbers = new Float64Array(new Uint8Array(bytes.subarray(start, start + length)).buffer);
      return new NamesFile(numbers, bytes.subarray(start + length));
    } catch {
      return undefined;
    }
  }

  /** Leaves what directories hold for the next process; a cache directory that cannot be written costs nothing else. */
  static save(directory: string, root: string, kept: Iterable<readonly [DirectoryStamp, Names]>): void {
    try {
      const content = encode(root, kept);
      if (content.length > MAX_BYTES) return;
      if (fs.existsSync(directory)) prune(directory);
      createStateFiles(directory).write(nameFor(root), content);
    } catch {
      // The next process reads the tree itself.
    }
  }

  /** What a directory held, if it is still what it was. */
  get({ dev, ino, ctimeMs }: DirectoryStamp): Names | undefined {
    const at = this.#places.get(`${dev}:${ino}`);
    if (at === undefined || this.#numbers[at + 2] !== ctimeMs) return undefined;
    return toNames(this.#names.toString('utf8', this.#numbers[at + 3], this.#numbers[at + 4]));
  }
}

/** `fdf/a/b/c/`: a letter for the kind of each, and the names between slashes, in the order of a walk. */
function toNames(text: string): Names | undefined {
  const slash = text.indexOf('/');
  if (slash < 0) return undefined;
  const joined = text.slice(slash);
  const entries: NamedEntry[] = [];
  for (let i = 0, at = 1; i < slash; i++) {
    const end = joined.indexOf('/', at);
    if (end < 0) return undefined;
    entries.push({ name: joined.slice(at, end), kind: KINDS[text[i] as string] ?? 'special' });
    at = end + 1;
  }
  return { entries, joined, sorted: true, unreadable: 0 };
}

function encode(root: string, kept: Iterable<readonly [DirectoryStamp, Names]>): Buffer {
  const numbers: number[] = [];
  const parts: Buffer[] = [];
  let at = 0;
  for (const [{ dev, ino, ctimeMs }, { entries }] of kept) {
    const sorted = entries.toSorted(byPath);
    const kinds = sorted.map(({ kind }) => kind[0]).join('');
    const part = Buffer.from(`${kinds}/${sorted.map(({ name }) => `${name}/`).join('')}`);
    numbers.push(dev, ino, ctimeMs, at, at + part.length);
    parts.push(part);
    at += part.length;
  }
  const count = Buffer.from(new Float64Array([numbers.length / NUMBERS]).buffer);
  const header = Buffer.from(`${headerOf(root)}\n`);
  return Buffer.concat([header, count, Buffer.from(new Float64Array(numbers).buffer), ...parts]);
}

function headerOf(root: string): string {
  return JSON.stringify({ format: 'jinn names 1', root });
}

/** FNV-1a: node:crypto takes longer to load than all the rest; the header tells roots apart. */
function nameFor(root: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < root.length; i++) hash = Math.imul(hash ^ root.charCodeAt(i), 0x01000193);
  return `names-${(hash >>> 0).toString(36)}.bin`;
}

/** Security: only our own plain file, closed to others. */
function readOwn(file: string): Buffer {
  const fd = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stat = fs.fstatSync(fd);
    const isOurs = stat.isFile() && stat.uid === process.getuid?.() && (stat.mode & 0o077) === 0;
    if (!isOurs || stat.size > MAX_BYTES) throw new Error('not ours');
    return fs.readFileSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** Removes what is old, and the oldest when there are many. */
function prune(directory: string): void {
  const files = fs.readdirSync(directory).filter((name) => FILE_NAME.test(name));
  const aged = files.map((name) => {
    const file = `${directory}/${name}`;
    return { file, at: fs.lstatSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 };
  });
  for (const [i, { file, at }] of aged.sort((a, b) => b.at - a.at).entries()) {
    if (i >= MAX_FILES - 1 || Date.now() - at > MAX_AGE_MS) fs.rmSync(file, { force: true });
  }
}
