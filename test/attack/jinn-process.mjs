import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';

const made = [];
process.on('exit', () => made.forEach(removeDirectory));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

/** Makes a directory of its own, by its real path; it goes when this process ends. */
export function makeDirectory(under = os.tmpdir()) {
  const directory = fs.realpathSync(fs.mkdtempSync(path.join(under, 'jinn-attack-')));
  made.push(directory);
  return directory;
}

/** Removes a directory, whatever the modes in it are. */
export function removeDirectory(directory) {
  if (!fs.existsSync(directory)) return;
  spawnSync('chmod', ['-R', 'u+rwX', directory]);
  fs.rmSync(directory, { recursive: true, force: true });
}

/** The environment of a jinn whose home and state lie in `home`. */
export function environmentOf(home) {
  const { PATH, TMPDIR } = process.env;
  return {
    PATH,
    ...(TMPDIR && { TMPDIR }),
    HOME: home,
    JINN_CONFIG_DIR: `${home}/config`,
    XDG_CACHE_HOME: `${home}/cache`,
  };
}

/**
 * Runs one request in a process of its own. `before` is a program and its arguments that start jinn (strace, prlimit).
 * `answer` is undefined if there was none; `ms` is wall time.
 */
export function callOnce(jinn, request, { cwd, home, flags = [], before = [], timeoutMs = 60_000 }) {
  const [command, ...args] = [...before, process.execPath, jinn, ...flags];
  const started = performance.now();
  const child = spawnSync(command, args, {
    cwd,
    env: environmentOf(home),
    input: `${JSON.stringify(request)}\n`,
    encoding: 'utf8',
    maxBuffer: 1024 ** 3,
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  return { answer: parseAnswer(child.stdout), ms: performance.now() - started, ...child };
}

function parseAnswer(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Starts a jinn that answers many requests. `ask` resolves to the answer, or to undefined if the process ends. */
export function startSession(jinn, { cwd, home, flags = [], env = {} }) {
  const child = spawn(process.execPath, [jinn, ...flags], {
    cwd,
    env: { ...environmentOf(home), ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const waiting = [];
  const ended = new Promise((resolve) => child.on('close', resolve));
  createInterface({ input: child.stdout }).on('line', (line) => waiting.shift()?.(parseAnswer(line)));
  void ended.then(() => {
    for (const resolve of waiting.splice(0)) resolve(undefined);
  });
  child.stdin.on('error', () => {}); // The process has ended; whoever waits learns it from `ended`.
  const ask = (request) =>
    new Promise((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) return resolve(undefined);
      waiting.push(resolve);
      child.stdin.write(`${JSON.stringify(request)}\n`);
    });
  return {
    pid: child.pid,
    ask,
    kill: (signal = 'SIGKILL') => child.kill(signal),
    close: () => {
      child.stdin.end();
      return ended;
    },
    /** The time that the process has used so far, in milliseconds, on all processors; undefined as below. */
    cpuMs: () => {
      const file = `/proc/${child.pid}/stat`;
      if (!fs.existsSync(file)) return undefined;
      const stat = fs.readFileSync(file, 'latin1');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return 10 * (Number(fields[11]) + Number(fields[12]));
    },
    /** The most memory that the process has held so far, in MB; undefined where the system does not say. */
    peakMb: () => {
      const file = `/proc/${child.pid}/status`;
      const status = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
      const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(status) ?? [];
      return kilobytes && Number(kilobytes) / 1024;
    },
  };
}

/** Gives random numbers in [0, 1) that depend on the seed alone (mulberry32). */
export function createRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
