import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '../..');
const CORPUS = path.join(ROOT, 'packages/shell/src/risk/corpus');
const GROUPS = ['everyday', 'changing', 'credentials', 'destructive', 'obfuscated'];
/** The quick run judges every so many commands. */
const STEP = 10;

/** Whether the risk of commands is told as a careful person would, and as bash proves. */
export const suite = {
  name: 'risk',
  title: 'Commands judged before they run',
  async *run({ jinn, quick }) {
    const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'jinn-risk-'));
    const session = startSession(jinn, scratch);
    try {
      for (const group of GROUPS) yield await judgeGroup(group, { session, quick });
      yield await proveHarmful(session, scratch);
    } finally {
      session.end();
      fs.rmSync(scratch, { recursive: true, force: true });
    }
  },
};

/** Judges the commands of one file of the corpus. It holds if a command has the verdict of the corpus, or the known one. */
async function judgeGroup(group, { session, quick }) {
  const all = await readEntries(group);
  const entries = quick ? all.filter((_, i) => i % STEP === 0) : all;
  const risks = await Promise.all(entries.map(({ command }) => session.judge(command)));
  const wrong = entries.flatMap(({ command, expected, known }, i) =>
    risks[i] === (known ?? expected) ? [] : [`${risks[i]}, not ${expected}: ${command}`],
  );
  const known = entries.filter((entry) => entry.known).length;
  const notes = known > 0 ? [`${known} of them are judged otherwise, which is known`, ...wrong] : wrong;
  return {
    what: `commands, ${group}`,
    tried: entries.length,
    held: entries.length - wrong.length,
    failed: wrong.length,
    notes,
  };
}

/**
 * Runs without jinn what looks as if it only read, and removes the directory `d`, as `evil/ls` and `p.so` do. It holds if
 * the command does harm, and jinn calls it dangerous.
 */
async function proveHarmful(session, scratch) {
  const row = { what: 'commands that do harm when bash runs them', tried: 0, held: 0, failed: 0, notes: [] };
  for (const [i, { command }] of (await readEntries('executed')).entries()) {
    const directory = makeVictim(path.join(scratch, `victim-${i}`));
    spawnSync('bash', ['-c', command], {
      cwd: directory,
      env: { PATH: process.env.PATH, HOME: directory },
      timeout: 20_000,
      input: '',
    });
    if (fs.existsSync(path.join(directory, 'd'))) {
      row.notes.push(`does no harm here, so that nothing is proven: ${command}`);
      continue;
    }
    row.tried++;
    const risk = await session.judge(command);
    if (risk === 'dangerous') row.held++;
    else {
      row.failed++;
      row.notes.push(`${risk}, and does harm: ${command}`);
    }
  }
  return row;
}

function makeVictim(directory) {
  for (const name of ['d', 'evil', '1']) fs.mkdirSync(path.join(directory, name), { recursive: true });
  const program = `#!/bin/sh\n/bin/rm -rf "${directory}/d"\n`;
  for (const name of ['evil/ls', '1/ls']) fs.writeFileSync(path.join(directory, name), program, { mode: 0o755 });
  fs.writeFileSync(path.join(directory, 'f'), 'text\n');
  const source = `#include <unistd.h>\n__attribute__((constructor)) static void run(void) { rmdir("${directory}/d"); }\n`;
  fs.writeFileSync(path.join(directory, 'p.c'), source);
  spawnSync('cc', ['-shared', '-fPIC', '-o', 'p.so', 'p.c'], { cwd: directory });
  spawnSync('cc', ['-c', '-o', 'a.o', 'p.c'], { cwd: directory });
  return directory;
}

/** Reads a file of the corpus. Its reader is written in TypeScript, for the tests. */
async function readEntries(group) {
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({ input: path.join(CORPUS, '../fixture/read-corpus.ts'), platform: 'node' });
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'jinn-corpus-')), 'read-corpus.mjs');
  try {
    await bundle.write({ file, format: 'esm' });
    const reader = await import(pathToFileURL(file).href);
    return reader.readEntries(fs.readFileSync(path.join(CORPUS, `${group}.txt`), 'utf8'));
  } finally {
    fs.rmSync(path.dirname(file), { recursive: true, force: true });
  }
}

/** Starts one session of jinn, which judges commands in dry runs. */
function startSession(jinn, cwd) {
  const { PATH } = process.env;
  const env = { PATH, HOME: cwd, JINN_CONFIG_DIR: `${cwd}/config`, XDG_CACHE_HOME: `${cwd}/cache` };
  const child = spawn(process.execPath, [jinn], { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = [];
  createInterface({ input: child.stdout }).on('line', (line) => waiting.shift()?.(JSON.parse(line).risk));
  child.on('close', () => {
    for (const resolve of waiting.splice(0)) resolve('not judged');
  });
  return {
    judge: (command) =>
      new Promise((resolve) => {
        waiting.push(resolve);
        child.stdin.write(`${JSON.stringify({ tool: 'run_shell', args: { command, dry_run: true } })}\n`);
      }),
    end: () => child.stdin.end(),
  };
}
