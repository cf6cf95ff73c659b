import fs from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { writeFully } from '@jinn/core';
import { fromWriteError, ToolError } from '@jinn/core/errors';
import {
  createStateFiles,
  findDirectories,
  readRegular,
  realPathIfThere,
  type StateFiles,
  withOwnPath,
} from '@jinn/workspace';

// The program reaches its process and the system only through this file.

/** A file that is being written. */
export interface OutputFile {
  write(bytes: Buffer): void;
  close(): void;
}

/** Returns the variables of the process. `PATH` has no directory of the working directory. */
export function variables(): Readonly<Record<string, string | undefined>> {
  return withOwnPath(process.env, workingDirectory());
}

/** Returns the variables of the process, with the PATH as the user set it. */
export function ownVariables(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

/** Returns the settings that jinn has for all of its programs. They are looked for when they are read. */
export function userSettings(): { readonly state: StateFiles } {
  return {
    get state() {
      return createStateFiles(findDirectories(process.env, process.env['HOME']).state);
    },
  };
}

export function workingDirectory(): string {
  try {
    return process.cwd();
  } catch {
    process.stderr.write('Error: the working directory does not exist. Change to another one\n');
    process.exit(1);
  }
}

/** Reports whether a descriptor is a device, such as a terminal. It is false for a pipe and a file. */
export function isDevice(fd: 1 | 2): boolean {
  try {
    return fs.fstatSync(fd).isCharacterDevice();
  } catch {
    return false; // The descriptor may be closed.
  }
}

export function isTerminal(fd: 1 | 2): boolean {
  return isDevice(fd) && process.getBuiltinModule('node:tty').isatty(fd);
}

/** Writes all bytes to standard output or standard error. Ends the process if their reader has gone away. */
export function writeTo(fd: 1 | 2, bytes: Buffer): void {
  try {
    writeFully(fd, bytes);
  } catch (error) {
    if (codeOf(error) !== 'EPIPE') throw error;
    process.exit(fd === 1 ? 0 : 1);
  }
}

/** Writes to the terminal of the process. Returns false if it has none. */
export function writeToTerminal(text: string): boolean {
  try {
    const fd = fs.openSync('/dev/tty', 'w');
    fs.writeSync(fd, text);
    fs.closeSync(fd);
    return true;
  } catch {
    return false;
  }
}

export function exists(path: string): boolean {
  return fs.existsSync(path);
}

/** Reads a file that the user named for a purpose, such as `prompt`. Throws ToolError if it cannot be read. */
export function readNamedFile(purpose: string, asked: string, path = asked): Buffer {
  try {
    return fs.readFileSync(path);
  } catch (error) {
    const code = codeOf(error);
    const title = purpose.charAt(0).toUpperCase() + purpose.slice(1);
    if (code === 'ENOENT') throw new ToolError('file_not_found', `${title} file not found: ${asked}`);
    throw new ToolError('permission_denied', `The ${purpose} file '${asked}' cannot be read (${code ?? 'unknown'})`);
  }
}

/** Security: the tree may have a FIFO of that name, or a link to a device without end. Undefined for those. */
export function readTreeFile(path: string, most: number): Buffer | undefined {
  return readRegular(path, most, { followsLinks: true });
}

export function readStdin(): Buffer {
  return fs.readFileSync(0);
}

/** Makes a directory that is removed at the latest when the process ends: by itself, by a signal, or for a closed pipe. */
export function makeTempDirectory(): string {
  const directory = fs.mkdtempSync(join(process.getBuiltinModule('node:os').tmpdir(), 'jinni-'));
  process.once('exit', () => remove(directory));
  for (const [signal, number] of Object.entries({ SIGHUP: 1, SIGINT: 2, SIGTERM: 15 })) {
    process.once(signal, () => process.exit(128 + number));
  }
  return directory;
}

/** Removes a directory with all that it holds. */
export function remove(directory: string): void {
  fs.rmSync(directory, { recursive: true, force: true });
}

/** Creates a file and its directories, or empties the file. */
export function createOutput(path: string): OutputFile {
  makeDirectory(dirname(resolve(path)));
  return toOutput(fs.openSync(path, 'w'));
}

/** Creates or empties a file in the working directory. Security: the tree may have a link or a FIFO of that name. */
export function createHere(name: string): OutputFile {
  const { O_WRONLY, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
  const fd = fs.openSync(name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o666);
  if (!fs.fstatSync(fd).isFile()) throw Object.assign(new Error('no regular file'), { code: 'EINVAL' });
  fs.ftruncateSync(fd);
  return toOutput(fd);
}

/** Creates a file. Returns undefined if the name is taken. Security: a link is not followed. */
export function createNew(name: string): OutputFile | undefined {
  try {
    return toOutput(fs.openSync(name, 'wx'));
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return undefined;
    throw fromWriteError(error, name);
  }
}

function toOutput(fd: number): OutputFile {
  return { write: (bytes) => writeFully(fd, bytes), close: () => fs.closeSync(fd) };
}

/** Creates directories one by one. Node's recursive way never ends in some that take no entries, such as /proc. */
function makeDirectory(path: string): void {
  if (fs.existsSync(path)) return;
  makeDirectory(dirname(path));
  try {
    fs.mkdirSync(path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error; // Another process was faster.
  }
}

/** Returns the file that standard output goes to, or undefined if it is not a file, or the system does not report it. */
export function standardOutputPath(): string | undefined {
  try {
    return fs.fstatSync(1).isFile() ? fs.readlinkSync('/proc/self/fd/1') : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the absolute path without links. The file need not exist yet, unlike its directory. */
export function resolveLinks(path: string): string {
  const absolute = resolve(path);
  const directory = dirname(absolute);
  return realPathIfThere(absolute) ?? join(realPathIfThere(directory) ?? directory, basename(absolute));
}

/** A change often comes with others. */
const SETTLED_MS = 200;

/** Waits for the first change in some directories. All paths are absolute. */
export class ChangeWatch {
  readonly #watchers = new Map<string, fs.FSWatcher>();
  readonly #except: ReadonlySet<string>;
  readonly #change: Promise<void>;
  #onChange = () => {};

  constructor(except: ReadonlySet<string>) {
    this.#except = except;
    this.#change = new Promise((resolve) => {
      this.#onChange = resolve;
    });
  }

  add(directory: string): void {
    if (this.#watchers.has(directory)) return;
    const onEvent = (_: string, name: string | null) => {
      if (name === null || !this.#except.has(join(directory, name))) this.#onChange();
    };
    this.#watchers.set(directory, fs.watch(directory, onEvent).on('error', this.#onChange));
  }

  /** Resolves soon after a change. Then the watch is over. */
  async changed(): Promise<void> {
    await this.#change;
    for (const watcher of this.#watchers.values()) watcher.close();
    await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
