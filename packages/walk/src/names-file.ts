import fs from 'node:fs';
import { createStateFiles, type DirectoryStat } from '@jinn/core';
import { DirectoryNames } from './names.ts';

const MAX_BYTES = 64 * 1024 * 1024;
const MAX_AGE_MS = 7 * 24 * 60 * 60 * 1000;
const MAX_FILES = 20;
const FILE_NAME = /^names-[0-9a-z]+\.bin$/;
/** The numbers of a directory: device, inode, time of change, and where its names begin and end in the text. */
const NUMBERS = 5;
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;

/**
 * A file with the names in directories, which one process saves for the next. It holds how many numbers there are, how
 * long the text is, the numbers of each directory, and the text: a line of JSON and all names. It is private (0600, in
 * the cache directory), and only a hint: what is not certain is read again.
 */
export class NamesFile {
  readonly #numbers: Float64Array;
  readonly #text: string;
  /** Where the numbers of each inode are. Of two directories with the same inode on two devices, the last is known. */
  readonly #offsets = new Map<number, number>();

  private constructor(numbers: Float64Array, text: string) {
    this.#numbers = numbers;
    this.#text = text;
    for (let at = 0; at < numbers.length; at += NUMBERS) this.#offsets.set(numbers[at + 1] as number, at);
  }

  /** Returns undefined when there is no file that can be used. */
  static load(directory: string, root: string): NamesFile | undefined {
    try {
      const bytes = readOwn(`${directory}/${nameFor(root)}`);
      const count = new Float64Array(bytes.buffer, bytes.byteOffset, 1)[0] as number;
      const all = new Float64Array(bytes.buffer, bytes.byteOffset, 2 + count);
      const text = bytes.toString('utf8', all.byteLength);
      // A power loss may have cut it short.
      const isWhole = text.length === all[1] && text.startsWith(headerOf(root));
      return isWhole ? new NamesFile(all.subarray(2), text) : undefined;
    } catch {
      return undefined;
    }
  }

  /** Saves the names in directories for the next process. A cache directory that cannot be written is no error. */
  static save(directory: string, root: string, kept: Iterable<readonly [DirectoryStat, DirectoryNames]>): void {
    try {
      const content = encode(root, kept);
      if (content.length > MAX_BYTES) return;
      if (fs.existsSync(directory)) prune(directory);
      createStateFiles(directory).write(nameFor(root), content);
    } catch {
      // The next process reads the tree.
    }
  }

  /** The names in a directory, if its stat is still the same. */
  get({ dev, ino, ctimeMs }: DirectoryStat): DirectoryNames | undefined {
    const at = this.#offsets.get(ino);
    if (at === undefined || this.#numbers[at] !== dev || this.#numbers[at + 2] !== ctimeMs) return undefined;
    return DirectoryNames.decode(this.#text.slice(this.#numbers[at + 3], this.#numbers[at + 4]));
  }
}

function encode(root: string, kept: Iterable<readonly [DirectoryStat, DirectoryNames]>): Buffer {
  const numbers: number[] = [];
  const parts = [headerOf(root)];
  let at = headerOf(root).length;
  for (const [{ dev, ino, ctimeMs }, names] of kept) {
    const part = names.encode();
    numbers.push(dev, ino, ctimeMs, at, at + part.length);
    parts.push(part);
    at += part.length;
  }
  const text = parts.join('');
  const all = new Float64Array([numbers.length, text.length, ...numbers]);
  return Buffer.concat([Buffer.from(all.buffer), Buffer.from(text)]);
}

function headerOf(root: string): string {
  return `${JSON.stringify({ format: 'jinn names 4', root })}\n`;
}

/** Hashes by FNV-1a, because node:crypto takes longer to load than all else here. The header tells roots apart. */
function nameFor(root: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < root.length; i++) hash = Math.imul(hash ^ root.charCodeAt(i), 0x01000193);
  return `names-${(hash >>> 0).toString(36)}.bin`;
}

/** Security: reads only a regular file that is ours and closed to others. */
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

/** Removes old files, and the oldest where there are many. */
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
