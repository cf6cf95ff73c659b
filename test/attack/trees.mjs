import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { tryRequest } from './bounds.mjs';
import { newRow, note } from './doors.mjs';
import { makeDirectory, removeDirectory, startSession } from './jinn-process.mjs';

const TOOLSETS = ['--toolset', 'jinn,jinni'];
const NEEDLE_EVERY = 1_000;

export const suite = {
  name: 'trees',
  title: 'large trees, long rule files, and repositories that block',
  async *run(options) {
    for (const attack of ATTACKS) yield* attack(options);
  },
};

const context = (args) => ({ tool: 'read_context', args });
const CHANGED = context({ changed: 'HEAD' });

/** What is asked of a large tree. `codes` are the bounds that it may hit. */
const QUESTIONS = [
  [{ tool: 'list_dir', args: {} }],
  [{ tool: 'list_dir', args: { depth: 10, max_entries: 10_000 } }],
  [{ tool: 'find_files', args: { pattern: '*9.txt' } }],
  [{ tool: 'find_files', args: { pattern: '*' } }],
  [{ tool: 'search_files', args: { pattern: 'needle' } }, ['timeout']],
  [{ tool: 'search_files', args: { pattern: '(?<=need)le' } }, ['timeout']],
  [{ tool: 'search_files', args: { pattern: 'absent', multiline: true } }, ['timeout']],
  [{ tool: 'search_files', args: { pattern: 'x' } }, ['timeout', 'resource_limit']],
  [{ tool: 'search_files', args: { pattern: '(?<!b)x' } }, ['timeout', 'resource_limit']],
  [{ tool: 'search_replace', args: { pattern: 'absent', replacement: 'x', files: '**/*.txt' } }, ['resource_limit']],
  [{ tool: 'checksum_tree', args: {} }, ['resource_limit']],
  [context({ list_only: true }), ['resource_limit']],
  [context({}), ['resource_limit']],
  [{ tool: 'detect_project', args: {} }],
];

const ATTACKS = [
  askOfRuleFiles,
  askOfBlockingRepositories,
  ({ jinn, quick }) => askOfTree(jinn, { directories: 1, files: quick ? 20_000 : 300_000, quick }),
  ({ jinn, quick }) => askOfTree(jinn, { directories: quick ? 200 : 2_000, files: quick ? 100 : 1_000, quick }),
];

async function* askOfRuleFiles({ jinn }) {
  const shapes = [(i) => `dir${i}/sub*/x${i}`, (i) => `*name${i}*`, (i) => `!a?${i}b`, (i) => `*e*x${i}*`];
  const lines = (count) => Array.from({ length: count }, (_, i) => shapes[i % shapes.length](i)).join('\n');
  const files = [
    ['.contextfiles', 20_000],
    ['.contextfiles', 50_000],
    ['.gitignore', 20_000],
    ['.gitignore', 80_000],
  ];
  const requests = [context({ list_only: true }), { tool: 'list_dir', args: {} }, search('hello')];
  for (const [name, count] of files) {
    const place = makePlace();
    spawnSync('git', ['init', '-q'], { cwd: place.cwd });
    for (let i = 0; i < 300; i++) fs.writeFileSync(path.join(place.cwd, `file${i}.txt`), 'hello\n');
    fs.writeFileSync(path.join(place.cwd, name), lines(count).slice(0, 1024 * 1024));
    const row = newRow(`${name} of ${count} rules`);
    await inSession(jinn, place, async (session) => {
      for (const request of [...requests, ...requests]) {
        const { faults, outcome } = await tryRequest(session, request);
        note(row, faults.length === 0, `${request.tool} (${outcome}): ${faults.join('; ')}`);
      }
    });
    yield row;
  }
}

function search(pattern) {
  return { tool: 'search_files', args: { pattern } };
}

/** Git opens these names, and would wait for whoever writes into a FIFO. */
async function* askOfBlockingRepositories({ jinn }) {
  const row = newRow('a FIFO in .git');
  if (spawnSync('git', ['--version']).status !== 0) return yield { ...row, notes: ['not tried: git is not installed'] };
  for (const name of ['index', 'HEAD', 'config', 'packed-refs', 'commondir', 'info/exclude', 'refs/heads/x']) {
    const place = makePlace();
    spawnSync('git', ['init', '-q'], { cwd: place.cwd });
    fs.writeFileSync(path.join(place.cwd, 'a'), 'a');
    const fifo = path.join(place.cwd, '.git', name);
    fs.rmSync(fifo, { force: true });
    spawnSync('mkfifo', [fifo]);
    await inSession(jinn, place, async (session) => {
      for (const [request, codes] of [
        [CHANGED, ['not_a_file']],
        [context({}), []],
        [search('a'), []],
      ]) {
        const { faults, outcome } = await tryRequest(session, request, codes);
        note(row, faults.length === 0, `${name}, ${request.tool} (${outcome}): ${faults.join('; ')}`);
      }
    });
  }
  yield row;
}

async function* askOfTree(jinn, { directories, files, quick }) {
  const place = makePlace();
  fillTree(place.cwd, directories, files);
  const row = newRow(`${directories} directories of ${files} files`);
  for (const [request, codes] of QUESTIONS) {
    await inSession(jinn, place, async (session) => {
      const { faults, outcome } = await tryRequest(session, request, codes);
      note(row, faults.length === 0, `${JSON.stringify(request)} (${outcome}): ${faults.join('; ')}`);
      if (!quick) console.error(`  ${JSON.stringify(request)}: ${outcome}`);
    });
  }
  removeDirectory(place.cwd);
  yield row;
}

/** Makes files that are links to two, where the file system gives one file so many names: that takes less room. */
function fillTree(cwd, directories, files) {
  const [needle, hay] = ['needle\n', 'x\n'].map((text, i) => {
    const file = path.join(cwd, `first${i}.txt`);
    fs.writeFileSync(file, text);
    return file;
  });
  for (let d = 0; d < directories; d++) {
    const directory = path.join(cwd, `d${d}`);
    fs.mkdirSync(directory);
    for (let i = 0; i < files; i++) {
      linkOrCopy(i % NEEDLE_EVERY === 0 ? needle : hay, path.join(directory, `file${i}.txt`));
    }
  }
}

function linkOrCopy(from, to) {
  try {
    fs.linkSync(from, to);
  } catch {
    fs.copyFileSync(from, to);
  }
}

function makePlace() {
  return { cwd: makeDirectory(fs.existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir()), home: makeDirectory() };
}

async function inSession(jinn, place, use) {
  const session = startSession(jinn, { ...place, flags: TOOLSETS });
  await session.ask({ tool: 'list_tools', args: {} });
  try {
    await use(session);
  } finally {
    session.kill();
    await session.close();
  }
}
