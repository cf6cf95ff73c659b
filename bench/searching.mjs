import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { BARE_NODE, makeTree, median, medians, oneShot, openSession, RG, scratch, timeOf } from './measure.mjs';

const DIRECTORIES = 1_200;
const PER_DIRECTORY = 50;
const IGNORED_DIRECTORIES = 760;
const ENDINGS = ['ts', 'js', 'md', 'json'];
const WORDS = 'alpha beta gamma delta const let return import export value index count total name path line'.split(' ');
const RARE = 'xylophone';
const MANY = 100_000;

const FD = ['fd', 'fdfind'].find((name) => spawnSync(name, ['--version']).status === 0);

const CHINESE = '数值';
const CHINESE_REQUEST = { tool: 'search_files', args: { pattern: CHINESE } };
const RARE_REQUEST = { tool: 'search_files', args: { pattern: RARE } };
const WIDE_REQUEST = { tool: 'search_files', args: { pattern: 'xylophon\\w' } };
const FIND_REQUEST = { tool: 'find_files', args: { pattern: '**/*.ts', limit: 50_000 } };

const SMALL_FIND = { tool: 'find_files', args: { pattern: '**/*.js', limit: 50_000 } };
const ONE_FILE = { tool: 'search_files', args: { pattern: `${RARE}|nowhere`, path: 'src/module-12/file-3.js' } };

const WALK = 'each directory is opened by itself, through the guard, and no earlier process left its names';

/** Measures searching beside ripgrep and fd. */
export const searching = [
  {
    what: '`search_files` of a rare word in 1,300 files, in a session',
    peer: '`rg`',
    target: { ratio: 1.5 },
    run: () => sessionBeside(smallTree(), RARE_REQUEST, { ...rg([RARE, '.']), cwd: smallTree() }),
  },
  {
    what: 'the same, one-shot',
    peer: '`rg`, then `node -e 0`',
    target: { ratio: 1.3 },
    missed: WALK,
    run: () => oneShotBeside(smallTree(), RARE_REQUEST, { ...rg([RARE, '.']), cwd: smallTree() }),
  },
  {
    what: '`search_files` of a rare word in 1,300 files of 120 lines each, in a session',
    peer: '`rg`',
    target: { ratio: 1.5 },
    run() {
      const cwd = evenTree();
      return sessionBeside(cwd, RARE_REQUEST, { ...rg([RARE, '.']), cwd });
    },
  },
  {
    what: '`find_files` `**/*.js` in 1,300 files, in a session',
    peer: '`rg --files -g`',
    target: { ratio: 1.3 },
    run: () => sessionBeside(smallTree(), SMALL_FIND, { ...rg(['--files', '-g', '**/*.js', '.']), cwd: smallTree() }),
  },
  {
    what: 'the same, one-shot',
    peer: '`rg --files -g`, then `node -e 0`',
    target: { ratio: 1.3 },
    missed: WALK,
    run: () => oneShotBeside(smallTree(), SMALL_FIND, { ...rg(['--files', '-g', '**/*.js', '.']), cwd: smallTree() }),
  },
  {
    what: '`search_files` in one file of 8 kB, in a session',
    peer: '`rg`',
    target: { atMost: 2 },
    run: () =>
      sessionBeside(smallTree(), ONE_FILE, { ...rg([ONE_FILE.args.pattern, ONE_FILE.args.path]), cwd: smallTree() }),
  },
  {
    what: '`search_files` of a rare word in 60,000 files, in a session',
    peer: '`rg`',
    target: { ratio: 1.15 },
    run: () => sessionBeside(largeTree(), RARE_REQUEST, rg([RARE, '.'])),
  },
  {
    what: 'the same, one-shot',
    peer: '`rg`, then `node -e 0`',
    target: {},
    run: () => oneShotBeside(largeTree(), RARE_REQUEST, rg([RARE, '.'])),
  },
  {
    what: '`search_files` of `xylophon\\w` in the same files, which also finds the files that are not UTF-8',
    peer: '`rg`',
    target: {},
    run: () => sessionBeside(largeTree(), WIDE_REQUEST, rg(['xylophon\\w', '.'])),
  },
  {
    what: '`search_files` of a Chinese word in 20,000 files, 5 % of them GBK, in a session',
    peer: '`rg --encoding gb18030`, which reads each file so',
    target: { ratio: 3 },
    run: () =>
      sessionBeside(mixedTree(), CHINESE_REQUEST, { ...rg(['-E', 'gb18030', CHINESE, '.']), cwd: mixedTree() }),
  },
  {
    what: '`search_files` of a rare word in the same files',
    peer: '`rg`',
    target: { ratio: 1.5 },
    run: () => sessionBeside(mixedTree(), RARE_REQUEST, { ...rg([RARE, '.']), cwd: mixedTree() }),
  },
  {
    what: '`find_files` `**/*.ts` in 60,000 files, in a session',
    peer: '`rg --files -g`',
    target: { ratio: 1 },
    run: () => sessionBeside(largeTree(), FIND_REQUEST, rg(['--files', '-g', '**/*.ts', '.'])),
  },
  ...(FD === undefined
    ? []
    : [
        {
          what: 'the same',
          peer: '`fd`',
          target: { ratio: 1 },
          run: () =>
            sessionBeside(largeTree(), FIND_REQUEST, { command: FD, args: ['-g', '*.ts', '.'], cwd: largeTree() }),
        },
      ]),
  {
    what: 'the same, one-shot',
    peer: '`rg --files -g`, then `node -e 0`',
    target: {},
    run: () => oneShotBeside(largeTree(), FIND_REQUEST, rg(['--files', '-g', '**/*.ts', '.'])),
  },
  {
    what: '500 of 100,000 matches, all counted, in a session',
    peer: '`rg --count`',
    target: { ratio: 1.5, peakMb: 150 },
    run: () =>
      sessionBeside(
        manyMatches(),
        { tool: 'search_files', args: { pattern: 'match' } },
        { ...rg(['--count', 'match', '.']), cwd: manyMatches() },
      ),
  },
];

function rg(args) {
  return { command: RG, args: ['--no-config', ...args], cwd: largeTree() };
}

/** Returns the median times of a call in a warm session and of a command; they take turns. */
async function sessionBeside(cwd, request, peer) {
  const session = openSession(cwd);
  const [ours, theirs] = [[], []];
  for (let round = 0; round < 21; round++) {
    const start = performance.now();
    session.send(request);
    await session.receive();
    ours.push(performance.now() - start);
    theirs.push(timeOf(peer));
  }
  const peakMb = session.peakMemory();
  session.close();
  return { ours: median(ours.slice(3)), theirs: median(theirs.slice(3)), peakMb };
}

function oneShotBeside(cwd, request, peer) {
  const [ours, rgMs, nodeMs] = medians([oneShot(request, cwd), peer, BARE_NODE], 15);
  return { ours, theirs: rgMs + nodeMs };
}

/** Makes 60,000 files of about 40 lines in 1,200 directories, and 38,000 that git ignores. */
function largeTree() {
  const root = scratch('large-tree');
  if (fs.existsSync(path.join(root, '.git'))) return root;
  const random = createRandom();
  for (let i = 0; i < DIRECTORIES; i++) {
    const directory = path.join(root, `package-${Math.floor(i / 40)}`, `module-${i % 40}`);
    fs.mkdirSync(directory, { recursive: true });
    for (let j = 0; j < PER_DIRECTORY; j++) {
      const rare = i === DIRECTORIES / 2 && j === 7 ? `a ${RARE}\n` : '';
      fs.writeFileSync(path.join(directory, `file-${j}.${ENDINGS[j % ENDINGS.length]}`), lines(random) + rare);
    }
  }
  for (let i = 0; i < IGNORED_DIRECTORIES; i++) {
    const directory = path.join(root, 'out', `part-${i}`);
    fs.mkdirSync(directory, { recursive: true });
    for (let j = 0; j < PER_DIRECTORY; j++) fs.writeFileSync(path.join(directory, `file-${j}.js`), lines(random));
  }
  fs.writeFileSync(path.join(root, '.gitignore'), 'out/\n*.log\n');
  spawnSync('git', ['init', '-q'], { cwd: root });
  fs.mkdirSync(path.join(root, '.git'), { recursive: true });
  return root;
}

/** Makes a repository of 1,300 files of about 8 kB in 80 directories. */
function smallTree() {
  const root = scratch('small-tree');
  if (fs.existsSync(path.join(root, '.git'))) return root;
  const random = createRandom();
  for (let i = 0; i < 1_300; i++) {
    const directory = path.join(root, 'src', `module-${i % 79}`);
    fs.mkdirSync(directory, { recursive: true });
    const rare = i === 700 ? `a ${RARE}\n` : '';
    const file = path.join(directory, `file-${Math.floor(i / 79)}.${ENDINGS[i % 2]}`);
    fs.writeFileSync(file, lines(random) + rare + lines(random) + lines(random) + lines(random));
  }
  // The file that is searched by its name.
  fs.writeFileSync(path.join(root, ONE_FILE.args.path), `${lines(random)}a ${RARE}\n${lines(random)}`);
  fs.writeFileSync(path.join(root, '.gitignore'), 'out/\n*.log\n');
  spawnSync('git', ['init', '-q'], { cwd: root });
  fs.mkdirSync(path.join(root, '.git'), { recursive: true });
  return root;
}

/** Makes a repository of 1,300 files of 120 lines in 82 directories. */
function evenTree() {
  const random = createRandom();
  const contentOf = (i) => `${lines(random, 119)}${i === 700 ? `a ${RARE}\n` : lines(random, 1)}`;
  const root = makeTree('even-tree', { count: 1_300, perDirectory: 16, contentOf, extension: 'ts' });
  spawnSync('git', ['init', '-q'], { cwd: root });
  return root;
}

/** Makes a repository of 20,000 files of 40 lines, of which each twentieth has Chinese comments in GBK. */
function mixedTree() {
  const random = createRandom();
  const comments = spawnSync('iconv', ['-t', 'GBK'], {
    input: `// 读取配置文件，然后返回默认值\n// ${CHINESE}\n`.repeat(5),
  }).stdout;
  const contentOf = (i) => {
    const code = `${lines(random, 30)}${i === 7_000 ? `a ${RARE}\n` : ''}`;
    return i % 20 === 0 ? Buffer.concat([Buffer.from(code), comments]) : code;
  };
  const root = makeTree('mixed-tree', { count: 20_000, perDirectory: 50, contentOf, extension: 'ts' });
  spawnSync('git', ['init', '-q'], { cwd: root });
  return root;
}

function manyMatches() {
  const root = scratch('many-matches');
  if (fs.readdirSync(root).length > 0) return root;
  const perFile = 100;
  for (let i = 0; i < MANY / perFile; i++) {
    fs.writeFileSync(
      path.join(root, `file-${i}.txt`),
      'a line with a match in it, and some more text\nanother line\n'.repeat(perFile),
    );
  }
  return root;
}

function lines(random, count = 30 + random(20)) {
  const line = () => Array.from({ length: 8 }, () => WORDS[random(WORDS.length)]).join(' ');
  return Array.from({ length: count }, () => `${line()}\n`).join('');
}

/** Returns the same random numbers in every run. */
function createRandom() {
  let seed = 1;
  return (limit) => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
    return (seed >> 8) % limit;
  };
}
