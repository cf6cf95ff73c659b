import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { ROOT } from '../scripts/setup.mjs';
import { BARE_NODE, dumper, makeTree, medians, once, peakMemoryOf, RG, scratch } from './measure.mjs';
import { repomix } from './repomix.mjs';

/** 24 MB of text in 6,379 files. */
const PACKAGES = ['date-fns@4.1.0', 'lodash@4.17.21'];
const MAX_MB = 120;

const trees = [
  { of: '6,379 files of two npm packages, 24 MB', root: once(unpackPackages), rounds: 9 },
  { of: '50,000 generated files, 11 MB', root: once(generateTree), rounds: 5 },
];

const BUDGET = 20_000;
/** How the sections of a document are found in each form: a file begins with its path, and the list has its name. */
const FORMS = {
  fences: (text) => matches(text, /^(?<around>`{3,})(?:path=)?(?<name>\S.*)\n(?<content>[\s\S]*?)\n\k<around>$/gm),
  markdown: (text) => matches(text, /^## (?<name>\S.*)\n\n(?<around>`{3,})\w*\n(?<content>[\s\S]*?)\n\k<around>$/gm),
  xml: (text) => [
    ...matches(text, /<file path="(?<name>[^"]*)">(?:<!\[CDATA\[)?(?<content>[\s\S]*?)(?:\]\]>)?<\/file>\n/g),
    ...matches(text, /^<(?<name>left-out)>\n(?<content>[\s\S]*?)\n<\/left-out>/gm),
  ],
  json: (text) => {
    const { files, ...sections } = JSON.parse(text);
    return [...files.map(({ path: name, content }) => [name, content]), ...Object.entries(sections)];
  },
};
const LIST = 'left-out';
const BUDGETED = ['date-fns@4.1.0', 'lodash@4.17.21', 'rxjs@7.8.2', 'zod@3.25.76'];

/** Measures how much of a budget is content, and how much the list of what was left out. */
const budgets = BUDGETED.flatMap((name) => [
  {
    what: `\`jinni --max-tokens ${BUDGET}\` of ${name}: content, in the form that holds least`,
    peer: 'the budget',
    unit: ' %',
    target: { atLeast: 75 },
    run: () => ({ ours: Math.min(...sharesOf(name).map(({ content }) => content)) }),
  },
  {
    what: `\`jinni --max-tokens ${BUDGET}\` of ${name}: the list of what was left out`,
    peer: 'the budget',
    unit: ' %',
    target: { atMost: 5 },
    run: () => ({ ours: Math.max(...sharesOf(name).map(({ list }) => list)) }),
  },
]);

/** Measures jinni beside its peers. */
export const dumping = trees
  .flatMap(({ of, root, rounds }) => [
    {
      what: `\`jinni\`: ${of}`,
      peer: '`rg --files | xargs cat`',
      target: { ratio: 1.5, peakMb: MAX_MB },
      missed: 'each text is searched for secrets, which takes a quarter of the time',
      run() {
        const cwd = root();
        const cat = { command: 'bash', args: ['-c', `'${RG}' --files | xargs cat`], cwd };
        const [theirs, ours] = medians([cat, dumper(cwd)], rounds);
        return { ours, theirs, peakMb: peakMemoryOf(dumper(cwd)) };
      },
    },
    {
      what: `\`jinni\`, beside repomix: ${of}`,
      peer: 'repomix on Node 24, its security check off',
      target: { ratio: 1 / 3 },
      run() {
        const cwd = root();
        const [theirs, ours] = medians([repomix(cwd), dumper(cwd)], 1);
        return { ours, theirs };
      },
    },
    {
      what: `\`jinni -l\`: ${of}`,
      peer: '`rg --files` and `node -e 0`',
      target: {},
      run: () => listBeside(root(), rounds * 5),
    },
  ])
  .concat(budgets);

/**
 * Returns percentages of the budget for each form, counted with o200k_base; content counts as it is in the file.
 */
function sharesOf(name) {
  return Object.keys(FORMS).map((form) => shareOf(name, form));
}

function shareOf(name, form) {
  const cwd = unpack(name);
  const flags = ['--max-tokens', String(BUDGET), '--tokens', 'exact', '--format', form, '--ignore-config'];
  const { command, args } = dumper(cwd, ...flags);
  const text = execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const sections = new Map(FORMS[form](text));
  const share = (texts) => (countTokens(texts.join('\n')) / BUDGET) * 100;
  const contents = [...sections].filter(([section]) => section !== LIST).map(([, content]) => content);
  return { content: share(contents), list: share([sections.get(LIST) ?? '']) };
}

function matches(text, pattern) {
  return [...text.matchAll(pattern)].map(({ groups }) => [groups.name, groups.content]);
}

const TOKENIZER = 'gpt-tokenizer/encoding/o200k_base';

function countTokens(text) {
  const require = createRequire(path.join(ROOT, 'apps/mcp-server/package.json'));
  return require(TOKENIZER).countTokens(text);
}

function unpack(name) {
  const cwd = scratch(`package-${name}`);
  if (fs.readdirSync(cwd).length > 0) return cwd;
  const file = path.join(cwd, npm(['pack', '--silent', name], cwd).trim());
  execFileSync('tar', ['-xzf', file, '--strip-components=1'], { cwd });
  fs.rmSync(file);
  return cwd;
}

/** Measures a listing beside programs that list. */
function listBeside(cwd, rounds) {
  const rg = { command: RG, args: ['--files'], cwd };
  const [listed, bare, ours] = medians([rg, BARE_NODE, dumper(cwd, '-l')], rounds);
  return { ours, theirs: listed + bare };
}

function unpackPackages() {
  const cwd = scratch('packages');
  for (const name of PACKAGES) {
    const file = npm(['pack', '--silent', name], cwd).trim();
    const directory = path.join(cwd, file.replace(/\.tgz$/, ''));
    fs.mkdirSync(directory);
    execFileSync('tar', ['-xzf', file, '-C', directory], { cwd });
    fs.rmSync(path.join(cwd, file));
  }
  return cwd;
}

function generateTree() {
  const line = 'export const value = compute(first, second);\n';
  const contentOf = (i) => `// ${i}\n${line.repeat(5)}`;
  return makeTree('sources', { count: 50_000, perDirectory: 40, contentOf, extension: 'ts' });
}

function npm(args, cwd) {
  return execFileSync('npm', args, { cwd, encoding: 'utf8' });
}
