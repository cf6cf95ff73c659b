import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT } from '../scripts/setup.mjs';

const JINN = path.join(ROOT, 'apps/jinn/dist/jinn.cjs');
const JINNI = path.join(ROOT, 'apps/jinni/dist/jinni.cjs');
const require = createRequire(import.meta.url);
/** The ripgrep that jinn brings along. */
export const RG = createRequire(require.resolve('@vscode/ripgrep')).resolve(
  `@vscode/ripgrep-${process.platform}-${process.arch}/bin/rg`,
);
export const BARE_NODE = { command: process.execPath, args: ['-e', '0'] };

const TMP = fs.mkdtempSync(path.join(os.tmpdir(), 'jinn-bench-'));
process.on('exit', () => fs.rmSync(TMP, { recursive: true, force: true }));

/** The home of jinn in the measurements. */
export const STATE = path.join(TMP, 'config/jinn');

/** The environment without the variable that makes every Node process read certificates at its start. */
export const ENV = {
  ...process.env,
  NODE_EXTRA_CA_CERTS: undefined,
  XDG_CACHE_HOME: path.join(TMP, 'cache'),
  JINN_CONFIG_DIR: path.join(TMP, 'config'),
};

/** Starts jinn, which loads what every call needs and does nothing. */
export const START = { command: process.execPath, args: [JINN, '--version'] };

/** Runs a jinn that answers one request and ends. */
export function oneShot(request, cwd) {
  const input = typeof request === 'string' ? request : `${JSON.stringify(request)}\n`;
  return { command: process.execPath, args: [JINN], input, cwd };
}

/** Runs a jinni with these flags, without the clipboard. */
export function dumper(cwd, ...flags) {
  return { command: process.execPath, args: [JINNI, '--no-copy', ...flags], cwd };
}

/** Returns the peak memory of a Node program, in MB. */
export function peakMemoryOf({ args, ...command }) {
  const print = path.join(TMP, 'print-memory.cjs');
  // The peak that the system reports of a child begins with the memory of its parent.
  const read = "/VmHWM:\\s+(\\d+)/.exec(require('fs').readFileSync('/proc/self/status', 'utf8'))[1]";
  fs.writeFileSync(print, `process.on('exit', () => console.error(${read}));`);
  const child = spawnSync(command.command, ['-r', print, ...args], { ...command, env: ENV, maxBuffer: 1024 ** 3 });
  return Number(String(child.stderr).trim().split('\n').at(-1)) / 1024;
}

/**
 * Returns the median wall time of each command in milliseconds. The commands take turns for `rounds` rounds. Whatever slows
 * the machine for a while slows all commands of a round, so the share of the round counts.
 */
export function medians(commands, rounds = 21) {
  for (const command of commands) timeOf(command); // Warms the disk's cache.
  const times = Array.from({ length: rounds }, () => commands.map(timeOf));
  const sums = times.map((round) => round.reduce((sum, ms) => sum + ms));
  return commands.map((_, i) => median(times.map((round, at) => round[i] / sums[at])) * median(sums));
}

export function timeOf({ command, args, input = '', cwd, env = {}, check }) {
  const start = process.hrtime.bigint();
  const child = spawnSync(command, args, { cwd, input, env: { ...ENV, ...env }, maxBuffer: 1024 ** 3 });
  const ms = Number(process.hrtime.bigint() - start) / 1e6;
  if (child.error || (check ? !check(String(child.stdout)) : child.status !== 0)) {
    throw new Error(
      `${command} ${args.join(' ')}: ${child.error ?? String(child.stdout).slice(0, 500)}${child.stderr}`,
    );
  }
  return ms;
}

export function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

/** Linux counts processor time in hundredths of a second. */
const MS_PER_TICK = 10;

/** Starts a jinn that stays open, or another program; with `oneCore`, on one core, if the system can do that. */
export function openSession(cwd, { oneCore = false, state, flags = [], env: more = {}, program = JINN } = {}) {
  const pinned = oneCore && spawnSync('taskset', ['-c', '0', 'true']).status === 0;
  const [command, ...args] = [...(pinned ? ['taskset', '-c', '0'] : []), process.execPath, program, ...flags];
  const env = { ...ENV, ...(state && { JINN_CONFIG_DIR: state }), ...more };
  const child = spawn(command, args, { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    send: (request) => child.stdin.write(typeof request === 'string' ? request : `${JSON.stringify(request)}\n`),
    receive: async () => (await lines.next()).value,
    /** Returns its peak memory in MB; Linux only. */
    peakMemory: () => {
      const status = `/proc/${child.pid}/status`;
      if (!fs.existsSync(status)) return undefined;
      return Number(/VmHWM:\s+(\d+) kB/.exec(fs.readFileSync(status, 'utf8'))?.[1]) / 1024;
    },
    /** Returns the processor time that it has taken, in ms; Linux only. */
    cpuMs: () => {
      const [user, system] = fs.readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1].split(' ').slice(11);
      return (Number(user) + Number(system)) * MS_PER_TICK;
    },
    close: () => child.stdin.end(),
  };
}

/** Counts the calls a second of a warm session, on one core if the system can do that. */
export async function callsPerSecond(cwd, request, count) {
  const session = openSession(cwd, { oneCore: true });
  const line = `${JSON.stringify(request)}\n`;
  const ask = async (calls) => {
    session.send(line.repeat(calls));
    for (let i = 0; i < calls; i++) if (!(await session.receive()).startsWith('{"ok":true')) throw new Error('failed');
  };
  await ask(1_000);
  const start = performance.now();
  await ask(count);
  const rate = count / ((performance.now() - start) / 1_000);
  session.close();
  return rate;
}

/** Returns a function that makes something when it is first called, and returns that ever after. */
export function once(make) {
  let made;
  return (...args) => {
    made ??= make(...args);
    return made;
  };
}

/** Makes an empty directory that is removed at the end. */
export function scratch(name) {
  const directory = path.join(TMP, name);
  fs.mkdirSync(directory, { recursive: true });
  return directory;
}

/** Returns the size of jinn's cache in bytes. */
export function spilledBytes() {
  const cache = path.join(TMP, 'cache/jinn');
  if (!fs.existsSync(cache)) return 0;
  return fs.readdirSync(cache).reduce((sum, name) => sum + fs.statSync(path.join(cache, name)).size, 0);
}

/** Makes `count` files, `perDirectory` in a directory, `depth` levels deep. Returns the top directory. */
export function makeTree(name, { count, perDirectory, contentOf, extension = 'txt' }) {
  const root = scratch(name);
  for (let i = 0; i < count; i++) {
    const group = Math.floor(i / perDirectory);
    const directory = path.join(root, `d${group % 30}`, `e${Math.floor(group / 30)}`);
    if (i % perDirectory === 0) fs.mkdirSync(directory, { recursive: true });
    fs.writeFileSync(path.join(directory, `file-${i}.${extension}`), contentOf(i));
  }
  return root;
}
