// Does tasks of a coding agent with several sets of tools and prints what each took; --write puts the table into bench/RESULTS.md.
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT, setUp } from '../scripts/setup.mjs';
import { edits } from './agent/edits.mjs';
import { HANDS, openSymbols, work } from './agent/hands.mjs';
import { patches } from './agent/patches.mjs';
import { questions } from './agent/questions.mjs';
import { runs } from './agent/runs.mjs';
import { ENV, once, RG, scratch } from './measure.mjs';

const PACKAGES = { hono: '4.13.19', express: '5.3.0', zod: '4.6.7', commander: '15.1.0' };
const TASKS = [...questions, ...edits, ...patches, ...runs];
const PAGE = path.join(ROOT, 'bench/RESULTS.md');
const TABLE = /(<!-- agent:begin -->\n)[\s\S]*(<!-- agent:end -->)/;
const COUNTS = ['calls', 'answers', 'requests'];

const SUM_ROWS = [
  ['calls', 'calls'],
  ['tokens of calls and answers', 'tokens'],
];

/** The same facts on symbols by two tools: what one file declares, and where several names are declared. */
const SYMBOLS = [
  {
    what: 'tokens of `list_symbols`, of the 2,803 lines of command.js',
    peer: '`read_file` with `outline`',
    of: 'commander',
    ours: [['list_symbols', { path: 'lib/command.js' }]],
    theirs: [['read_file', { path: 'lib/command.js', outline: true }]],
  },
  {
    what: 'tokens of `find_symbol`, of three names in the sources of zod',
    peer: '`git grep -n` for their declarations',
    of: 'zod',
    ours: ['isValidJWT', 'ZodError', 'parseAsync'].map((pattern) => ['find_symbol', { pattern, path: 'src' }]),
    theirs: ['isValidJWT', 'ZodError', 'parseAsync'].map((name) => [
      'bash',
      {
        command: `git grep -inE '(function|class|const|let|interface|type|enum) \\w*${name}|^ *\\w*${name}\\w*(\\(|[?]?:)' src`,
      },
    ]),
  },
].map(({ what, peer, of, ours, theirs }) => ({
  what,
  peer,
  unit: '',
  target: { ratio: 1 },
  async run() {
    const dir = copyOf(of, 'symbols');
    return {
      ours: (await work(openSymbols, dir, ours)).answers,
      theirs: (await work(openSymbols, dir, theirs)).answers,
    };
  },
}));

/** Sums up the tasks for each toolset, beside bash. */
export const agent = [
  ...SYMBOLS,
  ...['jinn', 'lean'].flatMap((hand) => [
    ...SUM_ROWS.map(([what, count]) => ({
      what: `${TASKS.length} tasks of an agent with the toolset ${hand}: ${what}`,
      peer: 'bash',
      unit: '',
      target: { ratio: 1 },
      async run() {
        const sums = sumsOf(await results());
        return { ours: sums[hand][count], theirs: sums.bash[count] };
      },
    })),
    {
      what: 'the same: wrong results',
      peer: 'bash',
      unit: '',
      target: { atMost: 0 },
      async run() {
        const sums = sumsOf(await results());
        return { ours: sums[hand].wrong.length, theirs: sums.bash.wrong.length };
      },
    },
  ]),
];

const results = once((only = '') => doAll(TASKS.filter(({ what }) => what.includes(only))));

/** Does each task with each hand that can do it. */
async function doAll(chosen) {
  const rows = [];
  for (const task of chosen) {
    const done = {};
    for (const hand of Object.keys(HANDS)) {
      const steps = task.steps[hand] ?? (hand === 'lean' ? task.steps.jinn : undefined);
      if (steps) done[hand] = await doTask(task, hand, steps);
    }
    rows.push({ what: task.what, done });
  }
  return rows;
}

async function doTask(task, hand, steps) {
  const dir = copyOf(task.of, hand);
  task.prepare?.(dir);
  const total = await work(HANDS[hand], dir, steps);
  const all = total.texts.join('\n');
  const wrong = task.check({
    dir,
    saw: (text) => (text instanceof RegExp ? text.test(all) : all.includes(text)),
    read: (file) => fs.readFileSync(path.join(dir, file), 'utf8'),
    run: (command) => runIn(dir, command),
  });
  return { ...total, tokens: total.answers + total.requests, wrong: wrong.filter(Boolean) };
}

function runIn(cwd, command) {
  const env = { ...ENV, PATH: `${path.dirname(RG)}${path.delimiter}${ENV.PATH}` };
  return spawnSync('bash', ['-c', command], { cwd, env, encoding: 'utf8' }).stdout;
}

/** Makes a repository of the package, of which nothing is changed. */
function copyOf(name, hand) {
  const copy = path.join(scratch(`agent-${hand}`), name);
  fs.rmSync(copy, { recursive: true, force: true });
  execFileSync('cp', ['-a', path.join(installed(), name), copy]);
  return copy;
}

const installed = once(() => {
  const home = scratch('agent');
  const specs = Object.entries(PACKAGES).map(([name, version]) => `${name}@${version}`);
  execFileSync('npm', ['install', '--silent', '--no-audit', '--no-fund', '--prefix', home, ...specs], { cwd: home });
  for (const name of Object.keys(PACKAGES)) makeRepository(home, name);
  return home;
});

function makeRepository(home, name) {
  const cwd = path.join(home, name);
  const modules = path.join(home, 'node_modules');
  fs.cpSync(path.join(modules, name), cwd, { recursive: true });
  const { dependencies } = JSON.parse(fs.readFileSync(path.join(cwd, 'package.json'), 'utf8'));
  if (dependencies) fs.cpSync(modules, path.join(cwd, 'node_modules'), { recursive: true });
  fs.writeFileSync(path.join(cwd, '.gitignore'), 'node_modules/\n');
  const git = (...args) => execFileSync('git', args, { cwd, env: ENV });
  git('init', '-q');
  git('add', '.');
  git('-c', 'user.name=bench', '-c', 'user.email=bench@localhost', 'commit', '-qm', 'as published');
}

/** Sums what each hand took for the tasks that it can do. */
function sumsOf(rows) {
  return Object.fromEntries(
    Object.keys(HANDS).map((hand) => {
      const parts = rows.flatMap(({ done }) => done[hand] ?? []);
      const sum = (count) => parts.reduce((total, part) => total + part[count], 0);
      const sums = Object.fromEntries([...COUNTS, 'tokens'].map((count) => [count, sum(count)]));
      return [hand, { ...sums, tasks: parts.length, wrong: parts.flatMap(({ wrong }) => wrong) }];
    }),
  );
}

function tableOf(rows) {
  const hands = Object.keys(HANDS);
  const cell = (part) =>
    part ? [...COUNTS.map((count) => part[count].toLocaleString('en')), part.wrong.length].join('; ') : 'cannot';
  const sums = sumsOf(rows);
  return [
    `| calls; tokens of answers; tokens of calls; wrong | ${hands.join(' | ')} |`,
    `|---|${'---|'.repeat(hands.length)}`,
    ...rows.map(({ what, done }) => `| ${what} | ${hands.map((hand) => cell(done[hand])).join(' | ')} |`),
    `| sum | ${hands.map((hand) => `${cell(sums[hand])} (${sums[hand].tasks} tasks)`).join(' | ')} |`,
  ].join('\n');
}

async function main(args) {
  setUp();
  const rows = await results(args.find((argument) => !argument.startsWith('--')));
  console.log(tableOf(rows));
  for (const { what, done } of rows) {
    for (const [hand, { wrong, texts }] of Object.entries(done)) {
      if (wrong.length > 0) console.log(`${hand}, ${what}: ${wrong.join('; ')}`);
      if (args.includes('--texts')) console.log(`--- ${hand}, ${what}\n${texts.join('\n---\n')}`);
    }
  }
  if (args.includes('--write')) {
    const page = fs.readFileSync(PAGE, 'utf8');
    fs.writeFileSync(
      PAGE,
      page.replace(TABLE, (_, begin, end) => `${begin}${tableOf(rows)}\n${end}`),
    );
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main(process.argv.slice(2));
