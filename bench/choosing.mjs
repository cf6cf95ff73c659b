// Measures what a budget chooses of known packages, beside repomix; --write puts the tables into bench/RESULTS.md.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT, setUp } from '../scripts/setup.mjs';
import { countChosen, documentOf } from './choosing/chosen.mjs';
import { packedOf } from './choosing/packed.mjs';
import { fetchSource } from './choosing/sources.mjs';
import { dumper, makeTree, medians, once, openSession } from './measure.mjs';

/** Written down before the ranking was made: the files that a maintainer would name, and those that a question is about. */
const { packages, questions } = JSON.parse(fs.readFileSync(path.join(ROOT, 'bench/choosing/lists.json'), 'utf8'));
const BUDGETS = [8_000, 30_000];
const PAGE = path.join(ROOT, 'bench/RESULTS.md');
const TABLE = /(<!-- choosing:begin -->\n)[\s\S]*(<!-- choosing:end -->)/;

/** The parts of these files that a document must show, and that it must have whole. */
const BARS = [
  { budget: 8_000, count: 'shown', least: 70, what: 'at least as outlines' },
  { budget: 30_000, count: 'shown', least: 90, what: 'at least as outlines' },
  { budget: 30_000, count: 'whole', least: 60, what: 'whole' },
];

const architecture = once(() =>
  Object.entries(packages).map(([name, { from, architecture: files }]) => measure({ name, from, files })),
);

const focused = once(() =>
  questions.map(({ package: name, focus, files }) => measure({ name, from: packages[name].from, files, focus })),
);

/** Sums up what is chosen, and how long it takes. */
export const choosing = [
  ...BARS.flatMap((bar) => [
    rowOf(bar, `"explain the architecture" of ${Object.keys(packages).length} packages`, architecture),
    rowOf(bar, `${questions.length} questions with \`--focus\``, focused),
  ]),
  {
    what: '`jinni --max-tokens 30000` of 1,000 source files, 10 MB, cold',
    peer: '`jinni` of them without a budget',
    target: { atMost: 2_000 },
    run() {
      const cwd = sources();
      const [ours, theirs] = medians([dumper(cwd, '--max-tokens', '30000'), dumper(cwd)], 5);
      return { ours, theirs };
    },
  },
  {
    what: '`read_context` with 30,000 tokens of the same, again in a session',
    peer: 'half a second',
    target: { atMost: 500 },
    run: async () => ({ ours: await againInSession(sources()) }),
  },
];

function rowOf({ budget, count, least, what }, of, results) {
  return {
    what: `${of}, in ${budget} tokens: files that a maintainer would name, ${what}`,
    peer: 'repomix, as many tokens of what it writes',
    unit: ' %',
    target: { atLeast: least },
    run() {
      const rows = results();
      const sum = (of) => rows.reduce((total, row) => total + of(row), 0);
      const all = sum(({ files }) => files);
      const share = (by) => (sum((row) => row[by][budget][count]) / all) * 100;
      return { ours: share('jinni'), theirs: share('repomix') };
    },
  };
}

function measure({ name, from, files, focus }) {
  const cwd = fetchSource(name, from);
  const flags = focus === undefined ? [] : ['--focus', focus];
  const byBudget = (count) => Object.fromEntries(BUDGETS.map((budget) => [budget, count(budget)]));
  return {
    what: focus === undefined ? name : `${name}: ${focus}`,
    files: files.length,
    jinni: byBudget((budget) => countChosen(documentOf(cwd, budget, flags), cwd, files)),
    repomix: byBudget((budget) => packedOf(cwd, budget, files)),
  };
}

const sources = once(() => {
  const contentOf = (i) =>
    `import { run${(i * 7) % 1_000} } from './file-${(i * 7) % 1_000}';\n\n` +
    Array.from(
      { length: 120 },
      (_, j) => `export function run${i}x${j}(input: string) {\n  return next(input, ${j});\n}\n`,
    ).join('');
  return makeTree('thousand', { count: 1_000, perDirectory: 25, contentOf, extension: 'ts' });
});

async function againInSession(cwd) {
  const session = openSession(cwd, { flags: ['--toolset', 'jinni'] });
  const ask = async () => {
    const start = performance.now();
    session.send({ tool: 'read_context', args: { max_tokens: 30_000 } });
    const answer = await session.receive();
    if (!answer.startsWith('{"ok":true')) throw new Error(answer.slice(0, 500));
    return performance.now() - start;
  };
  await ask();
  const times = [await ask(), await ask(), await ask()];
  session.close();
  return times.toSorted((a, b) => a - b)[1];
}

function tableOf(results) {
  const lines = [
    '| | files | 8,000 tokens: shown, whole | 30,000 tokens: shown, whole | repomix, 8,000 | repomix, 30,000 |',
    '|---|---|---|---|---|---|',
  ];
  for (const { what, files, jinni, repomix } of results) {
    const cells = [jinni, repomix].flatMap((by) => BUDGETS.map((budget) => `${by[budget].shown}, ${by[budget].whole}`));
    lines.push(`| ${[what, files, ...cells].join(' | ')} |`);
  }
  const total = (by, budget, count) => results.reduce((sum, row) => sum + row[by][budget][count], 0);
  const sums = ['jinni', 'repomix'].flatMap((by) =>
    BUDGETS.map((budget) => `${total(by, budget, 'shown')}, ${total(by, budget, 'whole')}`),
  );
  lines.push(`| sum | ${results.reduce((sum, { files }) => sum + files, 0)} | ${sums.join(' | ')} |`);
  return lines.join('\n');
}

function main() {
  setUp();
  const text = `${tableOf(architecture())}\n\n${tableOf(focused())}\n`;
  console.log(text);
  if (!process.argv.includes('--write')) return;
  const page = fs.readFileSync(PAGE, 'utf8').replace(TABLE, (_, begin, end) => begin + text + end);
  fs.writeFileSync(PAGE, page);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) main();
