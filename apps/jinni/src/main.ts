import fs from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { beginWork, writeFully } from '@jinn/core';
import { readRegular, withOwnPath } from '@jinn/workspace';
import packageJson from '../package.json' with { type: 'json' };
import type { ChangeWatch, Machine, OutputFile } from './program-machine.ts';
import { run } from './run.ts';

const machine: Machine = {
  get variables() {
    return withOwnPath(process.env, workingDirectory());
  },
  get ownVariables() {
    return process.env;
  },
  get cwd() {
    return workingDirectory();
  },
  begin: beginWork,
  isDevice: isCharacterDevice,
  isTerminal: (fd) => isCharacterDevice(fd) && process.getBuiltinModule('node:tty').isatty(fd),
  write,
  writeToTerminal: (text) => {
    try {
      const fd = fs.openSync('/dev/tty', 'w');
      fs.writeSync(fd, text);
      fs.closeSync(fd);
      return true;
    } catch {
      return false;
    }
  },
  readFile: (path) => fs.readFileSync(path),
  // Security: the tree may have a FIFO of that name, or a link to a device without end.
  readSmallFile: (path, most) => readRegular(path, most, { followsLinks: true }),
  readStdin: () => fs.readFileSync(0),
  exists: (path) => fs.existsSync(path),
  makeTempDirectory,
  remove,
  create: (path) => {
    makeDirectory(dirname(resolve(path)));
    return toOutput(fs.openSync(path, 'w'));
  },
  createHere: (name) => {
    // Security: the tree may have a link or a FIFO of that name.
    const { O_WRONLY, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
    const fd = fs.openSync(name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o666);
    if (!fs.fstatSync(fd).isFile()) throw Object.assign(new Error('no regular file'), { code: 'EINVAL' });
    fs.ftruncateSync(fd);
    return toOutput(fd);
  },
  outputPath: () => {
    try {
      return fs.fstatSync(1).isFile() ? fs.readlinkSync('/proc/self/fd/1') : undefined;
    } catch {
      return undefined;
    }
  },
  startWatch,
  realPath: (path) => {
    const absolute = resolve(path);
    const directory = dirname(absolute);
    return tryRealPath(absolute) ?? join(tryRealPath(directory) ?? directory, basename(absolute));
  },
};

function toOutput(fd: number): OutputFile {
  return { write: (bytes) => writeFully(fd, bytes), close: () => fs.closeSync(fd) };
}

/** Makes a directory that is removed at the latest when the process ends: by itself, by a signal, or for a closed pipe. */
function makeTempDirectory(): string {
  const directory = fs.mkdtempSync(join(process.getBuiltinModule('node:os').tmpdir(), 'jinni-'));
  process.once('exit', () => remove(directory));
  for (const [signal, number] of [
    ['SIGHUP', 1],
    ['SIGINT', 2],
    ['SIGTERM', 15],
  ] as const) {
    process.once(signal, () => process.exit(128 + number));
  }
  return directory;
}

/** A change often comes with others. */
const SETTLED_MS = 200;

function startWatch(except: ReadonlySet<string>): ChangeWatch {
  const watchers = new Map<string, fs.FSWatcher>();
  let tell = () => {};
  const change = new Promise<void>((resolve) => {
    tell = resolve;
  });
  return {
    add: (directory) => {
      if (watchers.has(directory)) return;
      const onChange = (_: string, name: string | null) => {
        if (name === null || !except.has(join(directory, name))) tell();
      };
      watchers.set(directory, fs.watch(directory, onChange).on('error', tell));
    },
    changed: async () => {
      await change;
      for (const watcher of watchers.values()) watcher.close();
      await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
    },
  };
}

function remove(directory: string): void {
  fs.rmSync(directory, { recursive: true, force: true });
}

function workingDirectory(): string {
  try {
    return process.cwd();
  } catch {
    process.stderr.write('Error: The working directory is gone; change to one that is there\n');
    process.exit(1);
  }
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

/** Returns undefined for a file without a path, such as a pipe that is named by /dev/stdout. */
function tryRealPath(path: string): string | undefined {
  try {
    return fs.realpathSync.native(path);
  } catch {
    return undefined;
  }
}

function isCharacterDevice(fd: number): boolean {
  try {
    return fs.fstatSync(fd).isCharacterDevice();
  } catch {
    return false; // The descriptor may be closed.
  }
}

/** Ends the process when the reader of its output has gone away. */
function write(fd: 1 | 2, bytes: Buffer): void {
  try {
    writeFully(fd, bytes);
  } catch (error) {
    if (codeOf(error) !== 'EPIPE') throw error;
    process.exit(fd === 1 ? 0 : 1);
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

if (process.platform === 'win32') {
  process.stderr.write('Error: jinni runs on Linux and macOS; on Windows, run it inside WSL\n');
  process.exit(2);
}

run(process.argv.slice(2), machine, packageJson.version).then(
  (status) => process.exit(status),
  (error: unknown) => {
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    process.stderr.write(`Error: An unexpected error occurred: ${text}\n`);
    process.exit(1);
  },
);
