import fs from 'node:fs';
import { dirname, join } from 'node:path';
import type { Script } from 'node:vm';
import { findCacheDirectory, makePrivateDirectory } from '@jinn/workspace';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, W_OK } = fs.constants;
const WEEK_MS = 7 * 24 * 60 * 60 * 1_000;
const BUILD_NAME = /^[0-9a-f]{16}-v\d/;
const OPEN_TO_OTHERS = 0o077;
const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;

/**
 * The code that V8 made of the chunks of one build, a file each. Security: V8 runs it without a look at the source, so
 * only we may be able to put it there. If anything is odd, a program runs without it.
 */
export class KeptCode {
  readonly #directory: string | undefined;
  readonly #safeDirectory: string | undefined;

  constructor(build: string) {
    const cache = findCacheDirectory(process.env, process.env['HOME']);
    this.#directory = cache && `${cache}/code/${build}`;
    this.#safeDirectory = attempt(() => findSafe(this.#directory));
  }

  /** Reads the code of a chunk, and how often it was written. */
  read(name: string): { code: Buffer; writes: number } | undefined {
    const directory = this.#safeDirectory;
    const file = directory === undefined ? undefined : attempt(() => readOwn(`${directory}/${name}`));
    return file && { code: file.subarray(0, -1), writes: file.at(-1) ?? 0 };
  }

  /** Keeps the code of these chunks, if the home exists, can be written to and has room. */
  write(scripts: Iterable<readonly [name: string, kept: { script: Script; writes: number }]>): void {
    attempt(() => {
      const isFirst = this.#directory !== undefined && make(this.#directory);
      const directory = findSafe(this.#directory);
      if (directory === undefined) return;
      fs.accessSync(directory, W_OK);
      for (const [name, { script, writes }] of scripts) {
        replace(`${directory}/${name}`, Buffer.concat([script.createCachedData(), Buffer.of(writes)]));
      }
      if (isFirst) removeOld(dirname(directory));
    });
  }
}

/** Returns the directory for the code of each build, or undefined if a tool or another user could write to it. */
export function findCodeDirectory(): string | undefined {
  const cache = findCacheDirectory(process.env, process.env['HOME']);
  return attempt(() => (cache !== undefined && isOutOfReach(realOf(cache)) ? `${cache}/code` : undefined));
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

function findSafe(directory: string | undefined): string | undefined {
  if (directory === undefined || !fs.existsSync(directory)) return undefined; // Throwing an error would take longer.
  const real = fs.realpathSync.native(directory);
  return isOutOfReach(real) && isOwn(fs.lstatSync(real)) ? real : undefined;
}

function make(directory: string): boolean {
  const real = realOf(directory);
  if (fs.existsSync(directory) || !isOutOfReach(real)) return false;
  makePrivateDirectory(directory);
  return true;
}

/** Returns the real path of a directory, or of the nearest one above it that exists. */
function realOf(directory: string): string {
  return fs.existsSync(directory) ? fs.realpathSync.native(directory) : realOf(dirname(directory));
}

function isOutOfReach(real: string): boolean {
  return !`${real}/`.startsWith(join(process.cwd(), '/')) && isUnmovable(real);
}

/** Others can rename entries of a directory if they may write to it, unless it is sticky. */
function isUnmovable(directory: string): boolean {
  const { uid, mode } = fs.lstatSync(directory);
  if (uid !== 0 && uid !== process.getuid?.()) return false;
  if ((mode & WRITABLE_BY_OTHERS) !== 0 && (mode & STICKY) === 0) return false;
  const parent = dirname(directory);
  return parent === directory || isUnmovable(parent);
}

function isOwn({ uid, mode }: fs.Stats): boolean {
  return uid === process.getuid?.() && (mode & OPEN_TO_OTHERS) === 0;
}

function readOwn(file: string): Buffer | undefined {
  if (!fs.existsSync(file)) return undefined;
  const fd = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    return isOwn(fs.fstatSync(fd)) ? fs.readFileSync(fd) : undefined;
  } finally {
    fs.closeSync(fd);
  }
}

/** Flushed first: V8 crashes on code that a power loss has damaged. Other processes may read the file now. */
function replace(file: string, content: Buffer): void {
  const temporary = `${file}.${process.pid}-${Math.random().toString(36).slice(2)}`;
  try {
    fs.writeFileSync(temporary, content, { flag: 'wx', mode: 0o600, flush: true });
    fs.renameSync(temporary, file);
  } finally {
    fs.rmSync(temporary, { force: true });
  }
}

function removeOld(builds: string): void {
  for (const name of fs.readdirSync(builds).filter((name) => BUILD_NAME.test(name))) {
    const { mtimeMs } = fs.lstatSync(`${builds}/${name}`);
    if (Date.now() - mtimeMs > WEEK_MS) fs.rmSync(`${builds}/${name}`, { recursive: true, force: true });
  }
}
