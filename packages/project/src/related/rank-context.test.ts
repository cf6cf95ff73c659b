import { call, makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { relatedContext } from '../related-context.ts';
import { buildIndex } from './context-index.ts';
import { parseEntry } from './parse-entry.ts';
import { rankContext } from './rank-context.ts';

/** What somebody asks, and the entry that answers it: its path and text. */
const LIBRARY: readonly (readonly [query: string, path: string, text: string])[] = [
  [
    'fix goroutine data race',
    'kb/go/race-detector.md',
    '---\ndescription: Find and fix data races between goroutines with the race detector\ntags: [golang, concurrency]\n---\n# Race detector\n',
  ],
  [
    "error TS2345: Argument of type 'string | undefined' is not assignable to parameter of type 'string'",
    'kb/typescript/strict-null-checks.md',
    '---\ntags: [ts2345, ts2322, strictNullChecks]\n---\n# Strict null checks\n\nWhen an argument is not assignable because it may be undefined.\n',
  ],
  [
    'npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE unable to resolve dependency tree\nnpm ERR! peer react@"^17" from react-beautiful-dnd@13',
    'kb/npm/peer-dependency-conflicts.md',
    '# Peer dependency conflicts\n\nWhat to do about ERESOLVE: overrides, legacy peer deps, upgrades.\n',
  ],
  [
    'FATAL: sorry, too many clients already (PostgreSQL)',
    'kb/postgres/connection-pooling.md',
    '---\naliases: [too many clients, pgbouncer]\n---\n# Connection pooling\n\nPut a pooler before Postgres.\n',
  ],
  [
    'the container exits with code 137 in kubernetes',
    'kb/k8s/oom-killed.md',
    '# OOMKilled containers\n\nExit code 137 means that the kernel killed the container for its memory limit.\n',
  ],
  [
    'write a conventional commit message for these changes',
    'skills/commit-messages/SKILL.md',
    '---\nname: commit-messages\ndescription: Write commit messages in the conventional format. Use when committing.\n---\n# Messages\n',
  ],
  [
    'review my pull request',
    'skills/code-review/SKILL.md',
    '---\ndescription: Review a pull request for correctness, tests and style\n---\n# Code review\n',
  ],
  [
    'how do I rotate the signing keys of the JWTs',
    'kb/auth/key-rotation.md',
    '# Rotating signing keys\n\nJWKS with two keys, and how tokens are verified meanwhile.\n\n## Rollback\n',
  ],
  [
    'flaky playwright test times out waiting for selector',
    'kb/testing/flaky-e2e.md',
    '# Flaky browser tests\n\nPlaywright waits, selectors and traces.\n',
  ],
  [
    'Error: listen EADDRINUSE: address already in use :::3000',
    'kb/node/eaddrinuse.md',
    '# Port already in use\n\nFind and end the process that listens (EADDRINUSE).\n',
  ],
  [
    'rust borrow checker: cannot borrow `*self` as mutable more than once at a time',
    'kb/rust/two-mutable-borrows.md',
    '# Two mutable borrows\n\nE0499: split the borrow, or scope it in the borrow checker.\n',
  ],
  [
    'convert the PDF invoices to text',
    'skills/pdf/SKILL.md',
    '---\nname: pdf\ndescription: Extract text and tables from PDF files, fill forms, merge documents\n---\n',
  ],
  [
    '/release-notes for version 2.4',
    'commands/release-notes.md',
    '---\ndescription: Draft the notes of a release from merged changes\n---\n',
  ],
  [
    'useEffect runs twice in development',
    'kb/react/strict-mode.md',
    '# Strict mode\n\nWhy useEffect is called twice, and how to make effects idempotent.\n',
  ],
  [
    'slow query, add an index to the orders table without locking',
    'kb/postgres/create-index-concurrently.md',
    '# Indexes without locks\n\nCREATE INDEX CONCURRENTLY on large tables.\n',
  ],
  [
    'UnicodeDecodeError: utf-8 codec cannot decode byte 0xff in position 0',
    'kb/python/encodings.md',
    '# Encodings\n\nUnicodeDecodeError, byte order marks and utf-16 files.\n',
  ],
  [
    'security auditor',
    'agents/security-auditor.md',
    '---\nname: security-auditor\ndescription: Looks for vulnerabilities\n---\n',
  ],
  [
    'terraform state is locked',
    'kb/terraform/state-lock.md',
    '# State locks\n\nError acquiring the state lock, and force-unlock.\n',
  ],
  [
    'memory leak in a long running node process',
    'kb/node/heap-snapshots.md',
    '---\ntags: [memory, leaks]\n---\n# Heap snapshots\n\nFind what a Node process keeps.\n',
  ],
  [
    'deploying to staging failed: helm upgrade timed out',
    'kb/deploy/helm-rollback.md',
    '# Helm rollback\n\nWhen helm upgrade times out on staging or production deployments.\n',
  ],
];

const PLACES =
  'go typescript npm postgres k8s auth testing node rust python react deploy terraform docker redis kafka graphql css'.split(
    ' ',
  );
const THINGS =
  'cache queue index lock session token request response migration container pipeline secret metric trace build test deploy query schema error timeout retry connection pool config release commit review memory process state'.split(
    ' ',
  );
const DOINGS =
  'add fix write convert debug review rotate resolve speed-up monitor document refactor deploy test upgrade'.split(' ');

/** Numbers that look random and are the same each time. */
function createPicker() {
  let state = 42;
  return (words: readonly string[]) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return words[(state >>> 8) % words.length] as string;
  };
}

/** 2,000 entries: those that are asked for, and others that speak of the same things in the same words. */
function makeLibrary(): Record<string, string> {
  const files = Object.fromEntries(LIBRARY.map(([, path, text]) => [path, text]));
  const pick = createPicker();
  for (let i = 0; Object.keys(files).length < 2_000; i++) {
    const [place, doing, one, two, other] = [pick(PLACES), pick(DOINGS), pick(THINGS), pick(THINGS), pick(PLACES)];
    const tags = `tags: [${place}, ${pick(THINGS)}]`;
    const head = `---\ndescription: How to ${doing} the ${one} of a ${two} with ${place} and ${other}\n${tags}\n---\n`;
    files[`${pick(['kb', 'kb', 'skills', 'commands'])}/${place}/${doing}-${one}-${two}-${i}.md`] =
      `${head}# ${doing} ${one}\n\nThe ${pick(THINGS)} and the ${pick(THINGS)}.\n\n## ${two} in ${other}\n`;
  }
  return files;
}

test('ranks the answers of 20 queries over 2,000 entries among the first three', { tags: 'slow' }, async () => {
  const home = makeTempDirectory();
  const root = `${home}/.claude`;
  makeTree(root, makeLibrary());
  const misses: string[] = [];
  for (const [query, path] of LIBRARY) {
    const answer = await call(relatedContext, { query, limit: 3 }, { home, state: `${home}/state`, client: 'claude' });
    const { results, index } = JSON.parse(answer.result ?? '');
    expect(index.entry_count).toBe(2_000);
    const found = results.map((result: { path: string }) => result.path.slice(root.length + 1));
    if (!found.includes(path)) misses.push(`${query} → ${found.join(', ')}`);
  }
  expect(misses).toEqual([]);
});

function rank(query: string, texts: Record<string, string>, limit = 5) {
  const entries = Object.entries(texts).map(([path, text]) => ({
    ...parseEntry(text, path),
    source: 0,
    path,
    shortPath: path,
    support: '',
  }));
  const index = buildIndex({ entries, seen: [], warnings: [] });
  return rankContext(index, query, { limit, isWanted: () => true });
}

const order = (query: string, texts: Record<string, string>) =>
  rank(query, texts).map(({ at }) => Object.keys(texts)[at]);

test.for([
  [
    'a rare word above a common one',
    'sprocket widget',
    { 'a.md': '# widget', 'b.md': '# sprocket', 'c.md': '# widget' },
    'b.md',
  ],
  ['a title above a description', 'widget', { 'a.md': '# x\nthe widget', 'b.md': '# the widget\nx' }, 'b.md'],
  [
    'a tag above a heading',
    'widget',
    { 'a.md': '# x\ny\n## widget', 'b.md': '---\ntags: widget\n---\n# x\ny\n## z' },
    'b.md',
  ],
  ['more of the words above fewer', 'alpha beta', { 'a.md': '# alpha alpha\nx', 'b.md': '# alpha beta\nx' }, 'b.md'],
  [
    'a short entry above a long one',
    'widget',
    { 'a.md': '# widget one two three four five', 'b.md': '# widget' },
    'b.md',
  ],
  [
    'the exact name',
    'use deploy-staging now',
    { 'a.md': '# deploy staging deploy staging', 'deploy-staging.md': 'x' },
    'deploy-staging.md',
  ],
  ['the exact name, whatever its accents', 'use vu-déjà', { 'deja-vu.md': 'x', 'vu-deja.md': 'x' }, 'vu-deja.md'],
  ['the same run of letters', '認証設定', { 'a.md': '# 認証', 'b.md': '# 認証設定', 'c.md': '# 設定' }, 'b.md'],
  ['equal ones by their names', 'widget', { 'b/n.md': '# widget', 'a/m.md': '# widget' }, 'a/m.md'],
] as [string, string, Record<string, string>, string][])('puts %s first', ([, query, texts, first]) => {
  expect(order(query, texts)[0]).toBe(first);
});

test.for([
  ['goroutines racing', 'goroutine race'],
  ['caches', 'caching'],
  ['retries', 'retry'],
  ['stopped', 'stop'],
  ['migrations', 'migrate'],
  ['golang', 'go'],
  ['useState', 'state'],
  ['HTTPServer', 'server'],
  ['websocket', 'useWebSocketPool'],
  ['überWeb', 'machÜberWebSeite'],
  ['snake_case', 'case'],
  ['ＷＩＤＧＥＴ', 'widget'],
  ['über', 'Über'],
  ['データ', 'データ'],
  ['resume', 'Résumé'],
  ['résumé', 'Resume'],
  ['re\u0301sume\u0301', 'resume'],
  ['naïve cafés', 'Cafe'],
  ['ёлка', 'елка'],
  ['接続', 'データベース接続の設定'],
  ['データベースの密码', 'データベース'],
  ['jwt', '使用JWT认证'],
  ['JWT認証', 'JWT'],
  ['漢字かな交じりの文'.repeat(9), '漢字'],
  ['c++', 'C++'],
] as const)('%s finds %s', ([query, title]) => {
  expect(order(query, { 'x.md': `# ${title}`, 'y.md': '# other' })).toEqual(['x.md']);
});

test.for([
  ['が', 'か'],
  ['認証', '証認'],
  ['wt', '使用JWT认证'],
])('%s does not find %s', ([query = '', title]) => {
  expect(order(query, { 'x.md': `# ${title}` })).toEqual([]);
});

test('leaves out entries without a word of the query, and all entries if the query has only stop words', () => {
  const texts = { 'a.md': '# widget', 'b.md': '# c' };
  expect(order('gadget', texts)).toEqual([]);
  expect(order('how do I', texts)).toEqual([]);
  expect(order('!? …', texts)).toEqual([]);
  expect(order('constructor __proto__ toString', texts)).toEqual([]);
});

test('reports the matching words as they are written, and keeps the limit', () => {
  const [first] = rank('Widgets, widget and GADGETS', { 'a.md': '# Gadget widget' });
  expect(first?.matched).toEqual(['gadgets', 'widgets']);
  expect(rank('w', Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`${i}.md`, '# w'])), 4)).toHaveLength(4);
});

test.for(['a', 'word ', 'aB', '- ', 'ß', 'a1'])('answers a long query of %j in bounded time', (part) => {
  rank(part.repeat(500_000), { 'a.md': '# word' });
});
