import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { BARE_NODE, makeTree, median, medians, oneShot, openSession, RG } from './measure.mjs';
import { bundled, sourceFile } from './syntax.mjs';

const FILES = 5_000;
const FUNCTIONS = 25;
const ROUNDS = 60;
const FLAGS = ['--toolset', 'symbols'];
const LIST = { tool: 'list_symbols', args: { path: 'source.ts' } };

const SLOW_PHASE = 'met at the usual speed of the machine, missed in its slow phases';

/** Measures the tools that read symbols, as an agent calls them. */
export const symbols = [
  {
    what: 'one-shot `list_symbols` of 1,000 lines of TypeScript',
    peer: '`node -e 0`',
    target: { extraMs: 60 },
    missed: SLOW_PHASE,
    run() {
      const [theirs, ours] = medians([BARE_NODE, withSymbols(LIST, path.dirname(sourceFile()))], 41);
      return { ours, theirs };
    },
  },
  {
    what: 'the same in a session, median',
    peer: '5 ms',
    target: { atMost: 5 },
    run: async () => ({ ours: await sessionMedian(path.dirname(sourceFile()), () => LIST) }),
  },
  {
    what: 'one-shot `read_file` of a symbol of it',
    peer: '`node -e 0`',
    target: { extraMs: 60 },
    missed: SLOW_PHASE,
    run() {
      const request = { tool: 'read_file', args: { path: 'source.ts', symbol: 'walkTo' } };
      const [theirs, ours] = medians([BARE_NODE, oneShot(request, path.dirname(sourceFile()))], 21);
      return { ours, theirs };
    },
  },
  {
    what: '`find_symbol` in 5,000 files, one-shot, a name that many have',
    peer: '2.5 times `rg -c ""`, and the parsing of all of them',
    target: { ratio: 1 },
    async run() {
      const rg = { command: RG, args: ['--no-config', '-c', '', '.'], cwd: sources() };
      const [counting, ours] = medians([rg, withSymbols(find('handle'), sources())], 5);
      return { ours, theirs: 2.5 * counting + (await parsingMs()) };
    },
  },
  {
    what: 'the same, a name that one file has',
    peer: '2.5 times `rg -c ""`, and `node -e 0`',
    target: {},
    run() {
      const rg = { command: RG, args: ['--no-config', '-c', '', '.'], cwd: sources() };
      const [counting, bare, ours] = medians([rg, BARE_NODE, withSymbols(find('handle77x3'), sources())], 11);
      return { ours, theirs: 2.5 * counting + bare };
    },
  },
  {
    what: 'the same in a session, another name each time, median',
    peer: '30 ms',
    target: { atMost: 30 },
    missed: 'each search looks at the metadata of all 5,000 files',
    run: async () => ({ ours: await sessionMedian(sources(), (i) => find(`handle${i}x1`)) }),
  },
];

function find(pattern) {
  return { tool: 'find_symbol', args: { pattern } };
}

function withSymbols(request, cwd) {
  const { args, ...command } = oneShot(request, cwd);
  return { ...command, args: [...args, ...FLAGS] };
}

async function sessionMedian(cwd, requestOf) {
  const session = openSession(cwd, { flags: FLAGS });
  const times = [];
  for (let i = 0; i < ROUNDS; i++) {
    const start = performance.now();
    session.send(requestOf(i));
    if (!(await session.receive()).startsWith('{"ok":true')) throw new Error('failed');
    times.push(performance.now() - start);
  }
  session.close();
  // The first calls read and parse.
  return median(times.slice(10));
}

let tree;

function sources() {
  tree ??= makeTree('symbols', { count: FILES, perDirectory: 40, extension: 'ts', contentOf: sourceOf });
  return tree;
}

function sourceOf(file) {
  const functions = Array.from(
    { length: FUNCTIONS },
    (_, i) =>
      `/** Handles ${i}. */\nexport function handle${file}x${i}(value: number): number {\n  return value + ${i};\n}\n`,
  );
  return `import { other } from './other.ts';\n\n${functions.join('\n')}`;
}

/** The time that the parser takes for all files, in a process that has read them and does nothing else. */
async function parsingMs() {
  const { program } = await bundled();
  const files = fs.readdirSync(sources(), { recursive: true }).filter((name) => name.endsWith('.ts'));
  const times = Array.from({ length: 3 }, () =>
    Number(spawnSync(process.execPath, [program, ...files], { cwd: sources(), encoding: 'utf8' }).stdout),
  );
  return median(times);
}
