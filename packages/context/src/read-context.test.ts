import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { call, makeTempDirectory, makeTree } from '@jinn/testkit';
import { describe, expect, test } from 'vitest';
import { readContext } from './read-context.ts';
import { loadExactCounter } from './tokens/tokens.ts';

const exact = await loadExactCounter();

import { usage } from './usage.ts';

const FILES = {
  'main.py': 'main\n',
  'src/app.py': 'app\n',
  'src/utils.py': 'utils\n',
  'docs/r.md': 'doc\n',
  'data.csv': '1\n',
  'node_modules/i.js': 'x\n',
  '.env': 'KEY=1\n',
  '.gitignore': '*.csv\n',
  '.contextfiles': '!**/utils.py\n',
};

function project() {
  const root = makeTempDirectory();
  makeTree(root, FILES);
  return root;
}

/** Returns the paths that an answer lists. */
async function list(root: string, args: object) {
  const answer = await call(readContext, { project_root: root, list_only: true, ...args }, { root });
  return answer.ok ? answer.result?.split('\n').filter(Boolean) : answer;
}

test('gives the whole project without targets, as the program prints it', async () => {
  const root = project();
  const { ok, result } = await call(readContext, { project_root: root }, { root });
  expect(ok).toBe(true);
  expect(result).toBe(
    '```path=main.py\nmain\n\n```\n\n\n```path=docs/r.md\ndoc\n\n```\n\n\n```path=src/app.py\napp\n\n```\n',
  );
});

test.for<[string, object, string[]]>([
  ['an empty list of targets', { targets: [] }, ['main.py', 'docs/r.md', 'src/app.py']],
  [
    'targets relative to the project',
    { targets: ['src', './main.py', 'src/utils.py'] },
    ['src/app.py', 'src/utils.py', 'main.py'],
  ],
  ['rules, at the end', { rules: ['!*', '*.py', '*.csv'] }, ['data.csv', 'main.py', 'src/app.py', 'src/utils.py']],
  ['words', { not_keywords: ['docs'] }, ['main.py', 'src/app.py']],
  ['words in a directory', { not_in: ['src:app'] }, ['main.py', 'docs/r.md']],
  ['patterns of files', { not_files: ['*.py'] }, ['docs/r.md']],
  ['what to keep', { keep_only: ['src'] }, ['src/app.py']],
])('takes %s', async ([, args, expected]) => {
  expect(await list(project(), args)).toEqual(expected);
});

test('takes the project by a relative path, and the working directory if none is named', async () => {
  const root = project();
  expect(await list(root, { project_root: 'src' })).toEqual(['app.py', 'utils.py']);
  expect(await list(root, { project_root: 'src', targets: ['app.py'] })).toEqual(['app.py']);
  expect(await list(root, { project_root: undefined })).toEqual(['main.py', 'docs/r.md', 'src/app.py']);
});

test('takes a project below the working directory, with rules from there on', async () => {
  const root = project();
  expect(await list(root, { project_root: `${root}/src` })).toEqual(['app.py', 'utils.py']);
  const answer = await call(readContext, { project_root: `${root}/src`, targets: ['../main.py'] }, { root });
  expect(answer).toMatchObject({
    ok: false,
    error_code: 'path_outside_sandbox',
    error: expect.stringContaining('../main.py'),
  });
});

test('takes absolute targets, and the address of an editor in WSL', async () => {
  const root = project();
  expect(await list(root, { targets: [`${root}/src`] })).toEqual(['src/app.py']);
  expect(await list(root, { project_root: `vscode-remote://wsl+Ubuntu${root}/src` })).toEqual(['app.py', 'utils.py']);
  const args = { project_root: `vscode-remote://wsl+Ubuntu${root}` };
  const kept = await call(readContext, args, { root, environment: { JINNI_NO_WSL_TRANSLATE: '1' } });
  expect(kept).toMatchObject({ ok: false, error_code: 'file_not_found' });
});

test.for<[string, (root: string) => object, string, string]>([
  [
    'a project_root that is a file',
    (root) => ({ project_root: `${root}/main.py` }),
    'not_a_directory',
    'not a directory',
  ],
  ['a project_root that is not there', (root) => ({ project_root: `${root}/nope` }), 'file_not_found', 'nope'],
  [
    'a project_root outside',
    (root) => ({ project_root: path.dirname(root) }),
    'path_outside_sandbox',
    'outside the working directory',
  ],
  ['a target that is not there', (root) => ({ project_root: root, targets: ['nope'] }), 'file_not_found', 'nope'],
  [
    'a target outside',
    (root) => ({ project_root: root, targets: ['/etc/hosts'] }),
    'path_outside_sandbox',
    'outside the working directory',
  ],
  ['a secret', (root) => ({ project_root: root, targets: ['.env'] }), 'path_outside_sandbox', 'sensitive'],
  [
    'a scope without words',
    (root) => ({ project_root: root, not_in: ['src'] }),
    'invalid_args',
    'not_in takes DIRECTORY:WORD,WORD, not "src"',
  ],
  ['what to keep outside', (root) => ({ project_root: root, keep_only: ['../x'] }), 'invalid_args', 'keep_only takes'],
  ['what to include outside', (root) => ({ project_root: root, include: ['../x'] }), 'invalid_args', 'include takes'],
  [
    'an outline of what is outside',
    (root) => ({ project_root: root, outline: ['../x'] }),
    'invalid_args',
    'outline takes',
  ],
  [
    'a part that there is not',
    (root) => ({ project_root: root, part: 2 }),
    'invalid_args',
    'the answer has only one part',
  ],
])('refuses %s', async ([, args, error_code, message]) => {
  const root = project();
  const answer = await call(readContext, args(root), { root });
  expect(answer).toMatchObject({ ok: false, error_code, error: expect.stringContaining(message) });
});

test('stops at the limit of the argument, else of the variable', async () => {
  const root = makeTempDirectory();
  makeTree(root, { 'a.txt': 'x\n'.repeat(400_000), 'b.txt': 'x\n'.repeat(400_000) });
  const ask = (args: object, environment = {}) =>
    call(readContext, { project_root: root, ...args }, { root, environment });
  expect(await ask({ size_limit_mb: 1 })).toMatchObject({
    ok: false,
    error: expect.stringContaining('exceeds limit of 1MB'),
  });
  expect(await ask({}, { JINNI_MAX_SIZE_MB: '1' })).toMatchObject({ ok: false, error_code: 'resource_limit' });
  expect(await ask({ size_limit_mb: 5 }, { JINNI_MAX_SIZE_MB: '1' })).toMatchObject({ ok: true });
  expect(await ask({ size_limit_mb: 0 })).toMatchObject({ ok: true });
  const odd = await ask({}, { JINNI_MAX_SIZE_MB: 'lots' });
  expect(odd).toMatchObject({ ok: true, meta: { warnings: [expect.stringContaining('JINNI_MAX_SIZE_MB is "lots"')] } });
});

test('says what to leave out when an answer would be too large', async () => {
  const root = makeTempDirectory();
  makeTree(root, { 'a.txt': 'x\n'.repeat(9_000_000), 'b.txt': 'b\n' });
  for (const limit of [{}, { size_limit_mb: 200 }]) {
    const answer = await call(readContext, { project_root: root, ...limit }, { root });
    expect(answer).toMatchObject({ ok: false, error_code: 'resource_limit' });
    expect(answer.error).toMatch(
      /^Total content size exceeds limit of 16MB \(it is 17\.17 MB\)\.[\s\S]* - a\.txt \(17\.17 MB\)/,
    );
    expect(answer.suggestion).toMatch(/put these lines into \.contextfiles:\n {2}!\/a\.txt\nA result has no more/);
  }
});

test('names the largest directories where the largest files are not enough', async () => {
  const root = makeTempDirectory();
  const many = (directory: string, count: number) =>
    Array.from({ length: count }, (_, i) => [`${directory}/${i}.txt`, 'x\n'.repeat(50_000)] as const);
  makeTree(root, Object.fromEntries([...many('data/a', 20), ...many('logs[1]', 15), ...many('src', 5)]));
  const { suggestion } = await call(readContext, { project_root: root, size_limit_mb: 1 }, { root });
  expect(suggestion).toContain('The largest directories:\n  !/data/ (1.91 MB)\n  !/logs\\[1\\]/ (1.43 MB)\nOr raise');
  makeTree(root, Object.fromEntries([...many('t/x', 20), ...many('t/y/z', 15)]));
  const below = await call(readContext, { project_root: root, targets: ['t'], size_limit_mb: 1 }, { root });
  expect(below.suggestion).toContain('directories:\n  !/t/x/ (1.91 MB)\n  !/t/y/ (1.43 MB)\nOr raise');
});

test('says to put a rule behind those that were given', async () => {
  const root = makeTempDirectory();
  makeTree(root, { 'a.py': 'x\n'.repeat(524_289), 'b.py': 'b\n' });
  const args = { project_root: root, rules: ['!*', '*.py'], size_limit_mb: 1 };
  const answer = await call(readContext, args, { root });
  expect(answer.error).toContain('limit of 1MB (it is 1048580 bytes)');
  expect(answer.suggestion).toContain('put these lines into rules:\n  !/a.py\nOr raise the limit');
  expect(await call(readContext, { ...args, rules: [...args.rules, '!/a.py'] }, { root })).toMatchObject({ ok: true });
});

test.for<[string, string, string]>([
  ['.', 'mian.py', 'did you mean main.py?'],
  ['.', './mian.py', 'did you mean ./main.py?'],
  ['.', 'src/ap.py', 'did you mean src/app.py?'],
  ['src', 'ap.py', 'did you mean app.py?'],
  ['src', 'app.py/x', 'it is a file: read it as one, or pass the directory that it is in'],
])('suggests from %s, for the target %s, a path without the host: %s', async ([directory, target, expected]) => {
  const root = project();
  const args = { project_root: path.join(root, directory), targets: [target] };
  const { ok, error, suggestion } = await call(readContext, args, { root });
  expect([ok, suggestion]).toEqual([false, expected]);
  expect(error).not.toContain(root);
});

test('names a target as it was asked for, and says which was left out', async () => {
  const root = makeTempDirectory();
  makeTree(root, { a: 'a\n', '.env': 'x', fifo: { fifo: true } });
  for (const target of ['nope', '.env', 'a/b']) {
    const answer = await call(readContext, { project_root: root, targets: [target] }, { root });
    expect(answer.error).toContain(target);
    expect(answer.error).not.toContain(root);
  }
  const answer = await call(readContext, { project_root: root, targets: ['a', 'fifo'] }, { root });
  expect(answer).toMatchObject({ ok: true, meta: { warnings: ['fifo: not a regular file, skipped'] } });
});

test('explains its decisions in the log only', async () => {
  const root = project();
  const lines: string[] = [];
  const args = { project_root: root, debug_explain: true, list_only: true };
  const { result } = await call(readContext, args, { root, log: (line) => void lines.push(line) });
  expect(result).toBe('main.py\ndocs/r.md\nsrc/app.py');
  expect(lines).toContain('Excluded file data.csv: rule "*.csv" of .gitignore, line 1');
  expect(lines).toContain('Excluded directory node_modules/: rule "!node_modules/" of built-in rules, line 3');
});

test('usage gives the page on the rules', async () => {
  const { ok, result } = await call(usage, {});
  expect(ok).toBe(true);
  expect(result).toContain('.contextfiles');
});

describe('a budget', () => {
  const many = Object.fromEntries(
    Array.from({ length: 300 }, (_, i) => [
      `lib/part${i % 7}/file${i}.py`,
      `def run${i}(a, b):\n${'    a = b + 1\n'.repeat(60)}`,
    ]),
  );
  const files = { 'README.md': '# It\n\nWhat it is.\n', 'pyproject.toml': '[project]\nname = "it"\n', ...many };

  function read(args: object, tree: Parameters<typeof makeTree>[1] = files) {
    const root = makeTempDirectory();
    makeTree(root, tree);
    return { root, answer: call(readContext, { project_root: root, ...args }, { root }) };
  }

  test('holds without being asked for, and says which call gives more', async () => {
    const { root, answer } = read({});
    const { result = '' } = await answer;
    expect(exact.count(Buffer.from(result))).toBeLessThanOrEqual(20_000);
    expect(result).toContain('```path=README.md\n# It\n');
    expect(result).toContain('Fitted to 20000 tokens: ');
    const [, asked = ''] = /^For more: read_context (\{.*\})$/m.exec(result) ?? [];
    expect(JSON.parse(asked)).toEqual({ project_root: root, part: 2 });
    const more = await call(readContext, JSON.parse(asked), { root });
    expect(more).toMatchObject({ ok: true, result: expect.stringContaining('Part 2, fitted to 20000 tokens: ') });
  });

  test('may be chosen', async () => {
    const { result = '' } = await read({ max_tokens: 3_000 }).answer;
    expect(exact.count(Buffer.from(result))).toBeLessThanOrEqual(3_000);
    expect(await read({ max_tokens: 99 }).answer).toMatchObject({ ok: false, error_code: 'invalid_args' });
  });

  test('goes further with outlines', async () => {
    const { result = '' } = await read({ outline: ['lib/**'], include: ['lib/part3/'] }).answer;
    expect(result.match(/\[outline: 1 symbol of/g)?.length).toBe(
      Object.keys(many).filter((name) => name.includes('part3/')).length,
    );
    expect(result).not.toContain('a = b + 1');
    expect(result).not.toContain('path=README.md');
  });

  test('takes in only the files that globs name', async () => {
    const { root } = read({});
    expect(await list(root, { include: ['*.md', 'lib/part1/file1.py'] })).toEqual(['README.md', 'lib/part1/file1.py']);
    expect(await list(root, { include: ['*.py'], keep_only: ['lib/part6'], not_files: ['file6.py'] })).toEqual(
      expect.arrayContaining(['lib/part6/file13.py']),
    );
  });
});

describe('the calls for more', () => {
  const step = (i: number) => `  step${i}(input: string): string {\n    return this.next(input, ${i});\n  }\n`;
  const body = (name: string, lines: number) =>
    `export class ${name} {\n${Array.from({ length: lines }, (_, i) => step(i)).join('')}}\n`;
  const project: Record<string, string> = {
    'README.md': `# Widgets\n\n${'What it is for. '.repeat(40)}\n`,
    'package.json': `{"name":"widgets","scripts":{${Array.from({ length: 30 }, (_, i) => `"s${i}":"x"`).join()}}}`,
    'CHANGELOG.md': '## 1.0.0\n- a change\n'.repeat(400),
    'src/large.ts': body('Large', 400),
    'data/one-line.json': `[${'"é",'.repeat(2_000)}0]`,
    'docs/no-end.md': 'words without an end '.repeat(80),
    'docs/empty.md': '',
  };
  for (let i = 0; i < 24; i++) {
    project[`src/parts/part${i}.ts`] = `import x from '../large.js';\n${body(`Part${i}`, 5 + (i % 30))}`;
    project[`tests/part${i}.test.ts`] = body(`Test${i}`, 10);
  }

  /** Follows the calls that answers name. Returns the answers, and what they give of each file, in order. */
  async function follow(args: object, { root, maxResult }: { root: string; maxResult?: number }) {
    const answers: string[] = [];
    const given = new Map<string, string[]>();
    for (let next: object | undefined = args; next; ) {
      const answer = await call(readContext, next, { root, maxResult });
      expect(answer.error).toBeUndefined();
      const { result = '' } = answer;
      answers.push(result);
      for (const [, name = '', content = ''] of result.matchAll(/^```path=(.*)\n([\s\S]*?)\n```$/gm)) {
        given.set(name, [...(given.get(name) ?? []), content]);
      }
      const [, more] = /^For more: read_context (\{.*\})$/m.exec(result) ?? [];
      next = more === undefined ? undefined : JSON.parse(more);
      expect(answers.length).toBeLessThan(2_000);
    }
    return { answers, given };
  }

  /** Joins the pieces of a file that is cut, and checks that each says where it is. */
  function join(pieces: readonly string[]): string {
    let joined = Buffer.alloc(0);
    for (const piece of pieces) {
      const [, from] = /^\[from byte (\d+) of \d+\]\n/.exec(piece) ?? [];
      expect(from ?? '1').toBe(String(joined.length + 1));
      const rest = piece.replace(/^\[from byte .*\n/, '');
      const [end, first, next] =
        /\n\[(?:the first (\d+)|to byte (\d+)) of \d+(?: bytes)?(?:; [\s\S]*)?\]?[\s\S]*$/.exec(rest) ?? [];
      const text = end === undefined ? rest : rest.slice(0, -end.length);
      const length = Number(first ?? next ?? 0) - joined.length;
      const isLine = end !== undefined && Buffer.byteLength(text) < length;
      joined = Buffer.concat([joined, Buffer.from(isLine ? `${text}\n` : text)]);
      if (end !== undefined) expect(joined.length).toBe(Number(first ?? next));
    }
    return joined.toString();
  }

  function checkFiles(given: ReadonlyMap<string, readonly string[]>, names: readonly string[]) {
    expect([...given.keys()].toSorted()).toEqual(names.toSorted());
    for (const [name, pieces] of given) {
      if (pieces.length === 1 && pieces[0]?.startsWith('[outline: ')) continue;
      expect(join(pieces)).toBe(project[name]);
    }
  }

  const names = Object.keys(project);
  test.for<[object, (name: string) => boolean]>([
    [{ max_tokens: 1_500 }, () => true],
    [{ max_tokens: 4_000 }, () => true],
    [{}, () => true],
    [{ max_tokens: 2_000, include: ['src/**/*.ts', 'docs/'] }, (name) => /^(?:src|docs)\//.test(name)],
    [{ max_tokens: 2_000, targets: ['src', 'README.md'] }, (name) => /^(?:src\/|README)/.test(name)],
    [{ max_tokens: 2_000, not_keywords: ['tests'], not_in: ['src:parts'] }, (name) => !/^tests|parts/.test(name)],
    [{ max_tokens: 2_000, rules: ['!*', 'tests/'] }, (name) => name.startsWith('tests/')],
    [{ max_tokens: 600, keep_only: ['data', 'docs'] }, (name) => /^(?:data|docs)\//.test(name)],
  ])('lead through all of a project, each file once: %j', async ([args, isMeant]) => {
    const root = makeTempDirectory();
    makeTree(root, project);
    const { answers, given } = await follow(args, { root });
    checkFiles(given, names.filter(isMeant));
    for (const answer of answers) {
      const most = 'max_tokens' in args ? Number(args.max_tokens) : 20_000;
      expect(exact.count(Buffer.from(answer))).toBeLessThanOrEqual(most);
    }
    expect(answers.at(-1)).toMatch(/^(?:```left-out\nPart \d+, fitted .*, 0 left out\.\n```|```path=)/);
  });

  test('go on in the smallest budget', { tags: 'slow' }, async () => {
    const root = makeTempDirectory();
    makeTree(root, project);
    const { given } = await follow({ max_tokens: 100, targets: ['docs'] }, { root });
    checkFiles(given, ['docs/no-end.md', 'docs/empty.md']);
  });

  test('keep outlines and what changed', { tags: 'slow' }, async () => {
    const root = makeTempDirectory();
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: root, stdio: 'pipe' });
    git('init', '-q', '-b', 'main');
    makeTree(root, { 'src/old.ts': body('Old', 3), 'src/other.ts': 'x\n' });
    git('add', '.');
    git('commit', '-qm', 'x');
    const changed = Object.fromEntries(Object.entries(project).filter(([name]) => name.startsWith('src/parts/')));
    makeTree(root, changed);
    const some = await follow({ changed: 'main', max_tokens: 2_000 }, { root });
    checkFiles(some.given, Object.keys(changed));
    const outlined = await follow({ outline: ['**'], max_tokens: 500, targets: ['src/parts'] }, { root });
    expect([...outlined.given.keys()].toSorted()).toEqual(Object.keys(changed).toSorted());
    for (const [, pieces] of outlined.given) expect(pieces[0]).toMatch(/^\[outline: /);
  });

  test('have parts that a host takes, if no budget is asked for', async () => {
    const root = makeTempDirectory();
    makeTree(root, project);
    const maxResult = 10_000;
    const { answers, given } = await follow({ no_defaults: true }, { root, maxResult });
    checkFiles(given, names);
    for (const answer of answers) {
      expect(Buffer.byteLength(answer)).toBeLessThanOrEqual(maxResult);
      expect(answer).not.toContain('for more pass offset');
    }
    const [first = ''] = answers;
    expect(Buffer.byteLength(first)).toBeGreaterThan(0.85 * maxResult);
  });

  test('say what is needed where a budget shows nothing', async () => {
    const root = makeTempDirectory();
    const name = `${'long-name-of-a-directory/'.repeat(8)}and-a-file.txt`;
    makeTree(root, { [name]: 'text\n'.repeat(100), 'b.txt': 'text\n'.repeat(100) });
    const answer = await call(readContext, { max_tokens: 100, targets: ['long-name-of-a-directory'] }, { root });
    expect(answer).toMatchObject({ ok: false, error_code: 'invalid_args', suggestion: 'ask with max_tokens 200' });
    expect(answer.error).toContain(`max_tokens 100 is too small to show any of ${name}`);
  });
});

test('puts what a focus asks for first, and keeps the focus in the call for more', async () => {
  const root = makeTempDirectory();
  const source = (name: string) => `export class ${name} {\n${'  call(a) {\n    return a;\n  }\n'.repeat(30)}}\n`;
  const files = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`src/Part${i}.ts`, source(`Part${i}`)]));
  makeTree(root, files);
  const { result = '' } = await call(readContext, { focus: 'src/Part17.ts', max_tokens: 2_000 }, { root });
  expect(result).toContain(`path=src/Part17.ts\n${files['src/Part17.ts']}`);
  const [, more = '{}'] = /For more: read_context (\{.*\})/.exec(result) ?? [];
  expect(JSON.parse(more)).toEqual({ focus: 'src/Part17.ts', max_tokens: 2_000, part: 2 });
  expect(await call(readContext, { focus: ' ' }, { root })).toMatchObject({ ok: true });
});

test('says so if nothing is found', async () => {
  const root = project();
  for (const args of [{ include: ['*.zzz'] }, { include: ['*.zzz'], list_only: true }]) {
    const answer = await call(readContext, { project_root: root, ...args }, { root });
    expect(answer).toMatchObject({
      ok: true,
      result: '',
      meta: { warnings: ['include *.zzz matches nothing', expect.stringMatching(/^no files found: /)] },
    });
  }
});

test('understands the exclusions of the original', async () => {
  const root = makeTempDirectory();
  makeTree(root, {
    'src/a.ts': 'a\n',
    'src/tests/t.ts': 't\n',
    'lib/docs/d.md': 'd\n',
    'docs/e.md': 'e\n',
    'x.min.js': 'x\n',
  });
  const all = ['docs/e.md', 'lib/docs/d.md', 'src/a.ts', 'src/tests/t.ts'];
  expect(((await list(root, {})) as string[]).toSorted()).toEqual(all);
  const exclusions = { global: ['tests'], scoped: { lib: ['docs', 'examples'] }, patterns: ['a.*'] };
  expect(await list(root, { exclusions })).toEqual(['docs/e.md']);
  expect(await list(root, { exclusions, not_keywords: ['docs'] })).toEqual([]);
  const wrong = await call(readContext, { project_root: root, exclusions: { globals: ['tests'] } }, { root });
  expect(wrong).toMatchObject({ ok: false, error_code: 'invalid_args', error: expect.stringContaining('globals') });
});

test('takes in only what changed', async () => {
  const root = project();
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: root, stdio: 'pipe' });
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-qm', 'x');
  makeTree(root, { 'src/app.py': 'changed\n', 'src/new.py': 'new\n' });
  expect(await list(root, { changed: 'HEAD' })).toEqual(['src/app.py', 'src/new.py']);
  const refused = await call(readContext, { project_root: root, changed: 'nope' }, { root });
  expect(refused).toMatchObject({ ok: false, error_code: 'not_found' });
});

test('leaves out lock files, and says so', async () => {
  const root = project();
  makeTree(root, { 'poetry.lock': 'x\n'.repeat(100) });
  const { result, meta } = await call(readContext, { project_root: root, list_only: true }, { root });
  expect(result).not.toContain('poetry.lock');
  expect(meta).toMatchObject({ warnings: [expect.stringMatching(/^omitted 1 lock, .*; no_defaults takes them in$/)] });
  expect(await list(root, { no_defaults: true })).toContain('poetry.lock');
});

test('warns only of secrets in the answer, and counts those beyond twenty', async () => {
  const root = makeTempDirectory();
  const key = `key = "AKIA${'ABCD'.repeat(4)}"\n`;
  makeTree(root, {
    'a.py': `${'x = 1\n'.repeat(40)}${key}${'y = 2\n'.repeat(2_000)}`,
    ...Object.fromEntries(
      Array.from({ length: 60 }, (_, i) => [`lib/m${i}.py`, `def run${i}():\n    ${key}${'    pass\n'.repeat(400)}`]),
    ),
  });
  const { result = '', meta } = await call(readContext, { max_tokens: 600, outline: ['lib/**'] }, { root });
  expect(result).toContain('[outline: 1 ');
  expect([result.includes('AKIA'), meta]).toEqual([false, undefined]);
  const all = await call(readContext, { max_tokens: 100_000 }, { root });
  const { warnings } = all.meta as { warnings: string[] };
  expect([warnings.length, warnings.at(-1)]).toEqual([21, '41 more warnings left out']);
});

test('warns of secrets', async () => {
  const root = project();
  makeTree(root, { 'src/app.py': `key = "AKIA${'ABCD'.repeat(4)}"\n` });
  const { meta } = await call(readContext, { project_root: root }, { root });
  expect(meta).toMatchObject({ warnings: ['src/app.py: line 1 looks like an AWS access key'] });
});
