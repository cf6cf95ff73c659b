import { isUtf8 } from 'node:buffer';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { tryRequest } from './bounds.mjs';
import { createRandom, makeDirectory, startSession } from './jinn-process.mjs';

const MB = 1024 * 1024;

const require = createRequire(import.meta.url);
const RG = createRequire(require.resolve('@vscode/ripgrep')).resolve(
  `@vscode/ripgrep-${process.platform}-${process.arch}/bin/rg`,
);

export const suite = {
  name: 'search',
  title: 'search_files and find_files beside ripgrep, and hostile input to them',
  async *run({ jinn, quick, seed, count }) {
    const random = createRandom(seed);
    const root = makeDirectory();
    makeSearchedTree(root, random);
    const session = startSession(jinn, { cwd: root, home: makeDirectory() });
    try {
      const share = quick ? 0.1 : 1;
      const runs = (most) => count ?? Math.ceil(most * share);
      yield await comparePatterns(session, root, random, runs(550));
      yield await compareLookAround(session, root, random, runs(150));
      yield await compareMultiline(session, root, random, runs(150));
      yield await compareGlobs(session, root, random, runs(240));
    } finally {
      await session.close();
    }
    for (const hostile of HOSTILE) if (!quick || hostile.isQuick) yield await runHostile(jinn, hostile);
  },
};

const WORDS = [
  'alpha',
  'beta',
  'Gamma',
  'x1',
  'é',
  'naïve',
  'func',
  '{',
  '}',
  ';',
  '(a)',
  '  ',
  '\t',
  '.',
  '_',
  '7',
  'ß',
  '\u{1f600}',
];
const NAMES = ['a.ts', 'b.js', 'c.test.ts', 'read me.md', 'd.TS', '[x].txt', 'e.go', 'Makefile', 'é.py', 'f{1}.rs'];
const DIRECTORIES = ['.', 'src', 'src/deep', 'src/deep/er', 'lib', 'lib/src', 'docs'];

/** Some 70 files: short lines, long ones, byte order marks, UTF-16, bytes that are not UTF-8, and NULs. */
function makeSearchedTree(root, random) {
  const pick = (list) => list[Math.floor(random() * list.length)];
  const line = () => Array.from({ length: Math.floor(random() * 8) }, () => pick(WORDS)).join(pick(['', ' ']));
  const long = () => `${line()}${pick(['x', 'é', 'ab '].map((text) => text.repeat(300)))}${line()}`;
  for (const directory of DIRECTORIES) {
    fs.mkdirSync(path.join(root, directory), { recursive: true });
    for (const name of NAMES) {
      const lines = Array.from({ length: Math.floor(random() * 30) }, () => (random() < 0.05 ? long() : line()));
      const text = lines.map((one) => `${one}\n`).join('');
      fs.writeFileSync(path.join(root, directory, name), pick(ENCODINGS)(text));
    }
  }
}

/** Plain text is the most frequent. */
const ENCODINGS = [
  ...Array.from({ length: 12 }, () => (text) => Buffer.from(text)),
  (text) => Buffer.from(`\ufeff${text}`),
  (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  (text) => Buffer.concat([Buffer.from(text), Buffer.from([0xff, 0x0a])]),
  (text) => Buffer.from(`${text}\0`),
];

const ATOMS = [
  'a',
  'b',
  'é',
  'x',
  '7',
  '\\{',
  '\\(',
  '\\.',
  '.',
  '\\w',
  '\\W',
  '\\d',
  '\\s',
  '\\S',
  '[ab]',
  '[^a]',
  '[a-m&&[^b]]',
  '[[:alpha:]]',
  '\\p{L}',
  '\\p{Lu}',
  '(?:alpha|beta)',
  '(a|b)',
  '\\x61',
  'na',
  'func',
];
const ANCHORS = ['^', '$', '\\b', ''];
const REPEATS = ['', '', '', '*', '+', '?', '{2}', '{1,3}', '+?'];

function makePattern(random, extra = []) {
  const pick = (list) => list[Math.floor(random() * list.length)];
  const parts = Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(ATOMS) + pick(REPEATS));
  const pattern = [pick(ANCHORS), ...parts, pick(extra.length > 0 ? extra : ANCHORS)].join('');
  return random() < 0.15 ? `(?i)${pattern}` : random() < 0.15 ? `${pattern}|${pick(ATOMS)}` : pattern;
}

function comparePatterns(session, root, random, runs) {
  const make = () => ({ pattern: makePattern(random), flags: [] });
  return compareSearches('patterns in lines, beside rg', { session, root, make, runs });
}

/** PCRE2 reads some classes otherwise: there \s matches the end of a line, and [[:alpha:]] any letter. */
function compareLookAround(session, root, random, runs) {
  const looks = ['(?=a)', '(?!a)', '(?=\\w)', '(?! )'];
  const behind = ['', '', '(?<=a)', '(?<!a)', '(?<=\\w)'];
  const pick = () =>
    makePattern(random, looks).replace(/^(?:\(\?i\))?/, `$&${behind[Math.floor(random() * behind.length)]}`);
  const differs = /\[\[|&&|\\[sSWD]|\[\^/;
  const make = () => {
    let pattern = pick();
    while (differs.test(pattern)) pattern = pick();
    return { pattern, flags: ['--pcre2'] };
  };
  return compareSearches('look-around, beside rg --pcre2', { session, root, make, runs });
}

function compareMultiline(session, root, random, runs) {
  const make = () => {
    const [one, two] = [makePattern(random), makePattern(random)].map(
      (part) => `(?:${part.replace(/^\(\?i\)/, '').replaceAll(/(?<!\[)\^|\$|\\b/g, '')})`,
    );
    return { pattern: `${one}\\n${two}`, flags: ['--multiline'], args: { multiline: true } };
  };
  return compareSearches('patterns that cross lines, beside rg --multiline', { session, root, make, runs });
}

/** The most lines that a pattern of the suite goes over. */
const MOST_CROSSED = 3;

async function compareSearches(what, { session, root, make, runs }) {
  const row = { what, tried: 0, held: 0, failed: 0, notes: [] };
  while (row.tried < runs) {
    const { pattern, flags, args = {} } = make();
    const printed = ripgrep(root, ['--line-number', '--sort=path', ...flags, '--', pattern, '.']);
    // What ripgrep's engines do not accept is not compared.
    if (printed === undefined) continue;
    const lines = args.multiline ? MOST_CROSSED : 1;
    const expected = linesOf(printed).filter((line) => isText(root, line, lines));
    const answer = await session.ask({
      tool: 'search_files',
      args: { pattern, format: 'text', max_matches: 10_000, no_ignore: true, ...args },
    });
    const shown = (answer?.result ?? '').startsWith('[no matches') ? [] : linesOf(answer?.result ?? '');
    const found = shown.filter((line) => isText(root, line, lines));
    judge(row, answer?.ok === true && sameSet(found, expected), () => {
      const [missing, extra] = differences(expected, found);
      return `${JSON.stringify({ pattern, ...args })}: ${answer?.error ?? `missing ${missing}, extra ${extra}`}`;
    });
  }
  return row;
}

/** Reports whether so many lines are UTF-8: of others, ripgrep matches no foreign byte by `.` or `[^a]`, and jinn does. */
function isText(root, line, count) {
  const [file, number] = line.split(':');
  const lines = fs.readFileSync(path.join(root, file), 'latin1').split('\n');
  return isUtf8(Buffer.from(lines.slice(number - 1, Number(number) + count - 1).join('\n'), 'latin1'));
}

/** The paths and numbers of lines. No name of the tree holds a colon. */
function linesOf(text) {
  return text
    .split('\n')
    .map((line) => /^(?:\.\/)?([^:]+:\d+):/.exec(line)?.[1])
    .filter((line) => line !== undefined);
}

async function compareGlobs(session, root, random, runs) {
  const row = { what: 'globs, beside rg --files --glob', tried: 0, held: 0, failed: 0, notes: [] };
  const pick = (list) => list[Math.floor(random() * list.length)];
  const part = () =>
    pick([
      '*',
      '?',
      'a',
      'src',
      'deep',
      '*.ts',
      '*.{ts,js}',
      '[a-e]*',
      '[!a]*',
      '**',
      '*.test.*',
      'read*',
      'é*',
      '\\[x\\]*',
      'lib',
    ]);
  while (row.tried < runs) {
    const pattern = Array.from({ length: 1 + Math.floor(random() * 3) }, part).join('/');
    const listed = ripgrep(root, ['--files', '--sort=path', '--glob', pattern, '.']);
    if (listed === undefined) continue;
    const expected = listed
      .split('\n')
      .filter(Boolean)
      .map((name) => name.replace(/^\.\//, ''));
    const answer = await session.ask({ tool: 'find_files', args: { pattern, limit: 10_000, no_ignore: true } });
    const found = JSON.parse(answer?.result ?? '{"files":[]}').files;
    judge(row, answer?.ok === true && sameSet(found, expected), () => {
      const [missing, extra] = differences(expected, found);
      return `${pattern}: ${answer?.error ?? `missing ${missing}, extra ${extra}`}`;
    });
  }
  return row;
}

/** Undefined when ripgrep refuses. */
function ripgrep(cwd, args) {
  const child = spawnSync(RG, ['--no-config', '--no-ignore', '--crlf', '--color=never', ...args], {
    cwd,
    maxBuffer: 1024 ** 3,
  });
  return child.status > 1 ? undefined : String(child.stdout);
}

function sameSet(a, b) {
  return a.length === b.length && new Set([...a, ...b]).size === new Set(a).size;
}

function differences(expected, found) {
  const without = (list, other) => JSON.stringify(list.filter((one) => !other.includes(one)).slice(0, 3));
  return [without(expected, found), without(found, expected)];
}

function judge(row, isRight, describe) {
  row.tried++;
  if (isRight) row.held++;
  else {
    row.failed++;
    if (row.notes.length < 20) row.notes.push(describe());
  }
}

const write = (name, content) => (root) => fs.writeFileSync(path.join(root, name), content);
const sparse = (name, size) => (root) => {
  fs.writeFileSync(path.join(root, name), '');
  fs.truncateSync(path.join(root, name), size);
};

/** Each makes a workspace and the arguments of calls. `codes` are the refusals that are right as well. */
const HOSTILE = [
  ...[2, 8, 16, 64].map((size) => ({
    what: `one line of ${size} MB, matched at every character`,
    isQuick: size === 16,
    make: write('f', Buffer.alloc(size * MB, 'a')),
    calls: [{ pattern: 'a' }, { pattern: '[ab]' }, { pattern: 'a', multiline: true }, { pattern: 'a(?=a)' }],
  })),
  {
    what: 'sparse files of 100 GB',
    isQuick: true,
    make: (root) => {
      sparse('s', 100e9)(root);
      write('.gitignore', 'ignored\n')(root);
      write('ignored', 'a')(root);
    },
    calls: [{ pattern: 'a' }, { pattern: 'a(?=b)' }, { pattern: 'a', multiline: true }, { pattern: 'a', path: 's' }],
  },
  {
    what: 'patterns that backtrack',
    isQuick: true,
    make: write('f', `${'a'.repeat(5_000)}!\n`.repeat(100)),
    calls: ['(a+)+$', '(a|a)+(?!.)', '(?=a)(a*)*b|a', 'a*a*a*a*(?!!)b|!', '(\\w+)+\\1!!'].map((pattern) => ({
      pattern,
    })),
    codes: ['timeout'],
  },
  {
    what: 'a million matches with context',
    isQuick: true,
    make: write('f', 'hit\n'.repeat(1_000_000)),
    calls: [
      { pattern: 'hit', context_lines: 1e9, max_matches: 1e9 },
      { pattern: 'hit', offset: 900_000, format: 'json' },
    ],
  },
  {
    what: 'look-around in 200,000 files',
    make: (root) => {
      for (let i = 0; i < 200_000; i++) {
        if (i % 1_000 === 0) fs.mkdirSync(path.join(root, `d${i / 1_000}`));
        fs.writeFileSync(
          path.join(root, `d${Math.floor(i / 1_000)}/f${i}.txt`),
          `line ${i}\nfoo${i % 5_000 === 0 ? 'bar' : ''}\n`,
        );
      }
    },
    calls: [{ pattern: 'fooba(?=r)' }, { pattern: 'foo(?=bar)' }, { pattern: '(?=bar)' }, { pattern: '(?<!x)o' }],
    codes: ['timeout'],
  },
];

async function runHostile(jinn, { what, make, calls, codes = [] }) {
  const row = { what, tried: 0, held: 0, failed: 0, notes: [] };
  const root = makeDirectory();
  make(root);
  const session = startSession(jinn, { cwd: root, home: makeDirectory() });
  try {
    for (const args of calls) {
      const { faults, outcome } = await tryRequest(session, { tool: 'search_files', args }, codes);
      judge(row, faults.length === 0, () => `${JSON.stringify(args)}: ${faults.join('; ')} (${outcome})`);
    }
  } finally {
    await session.close();
  }
  return row;
}
