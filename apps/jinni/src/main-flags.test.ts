import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { describe, expect, test } from 'vitest';

const JINNI = path.join(import.meta.dirname, '../dist/jinni.cjs');

type Tree = Parameters<typeof makeTree>[1];

const SOURCE = 'export function start(port: number): void {\n  listen(port);\n  wait(port);\n  log(port);\n}\n';
const FILES = {
  'README.md': '# Widgets\n',
  'src/main.ts': SOURCE,
  'src/deep/part.py': `def part(a):\n${'    a = a + 1\n'.repeat(50)}`,
  'docs/guide.md': '# Guide\n\nwords\n',
};

function jinni(files: Tree, argv: string[], cwd = makeTempDirectory()) {
  makeTree(cwd, files);
  const { status, stdout, stderr } = spawnSync(process.execPath, [JINNI, '--no-copy', ...argv], {
    cwd,
    encoding: 'utf8',
  });
  return { cwd, status, stdout, stderr };
}

function commit(cwd: string, subject: string, files: Tree) {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=a@b', ...args], { cwd, stdio: 'pipe' });
  if (!fs.existsSync(`${cwd}/.git`)) git('init', '-q', '-b', 'main');
  makeTree(cwd, files);
  git('add', '.');
  git('commit', '-qm', subject);
  return git;
}

describe('--outline', () => {
  test('replaces all files that have one, or those of a glob', () => {
    const all = jinni(FILES, ['--outline']).stdout;
    expect(all).toContain('export function start(port: number): void\n```');
    expect(all).not.toContain('a = a + 1');
    const some = jinni(FILES, ['--outline', '*.py', 'src']).stdout;
    expect(some).toContain(`path=src/main.ts\n${SOURCE}`);
    expect(some).not.toContain('a = a + 1');
  });

  test('leaves a path behind it alone', () => {
    expect(jinni(FILES, ['-l', 'docs', '--outline', 'src/main.ts']).stdout).toBe('docs/guide.md\nsrc/main.ts\n');
  });
});

describe('--tree', () => {
  test('with --tokens gives totals by directory, the largest first', () => {
    const { stdout } = jinni(FILES, ['--tree', '--tokens']);
    expect(stdout.replace(/\d+ tokens/g, 'N tokens')).toBe(
      [
        'N tokens, 4 files',
        '├── src/  N tokens, 2 files',
        '│   ├── deep/  N tokens, 1 file',
        '│   │   └── part.py  N tokens',
        '│   └── main.ts  N tokens',
        '├── docs/  N tokens, 1 file',
        '│   └── guide.md  N tokens',
        '└── README.md  N tokens',
        '',
      ].join('\n'),
    );
    expect(jinni(FILES, ['-L', '--tree']).stdout).toBe(stdout);
  });

  test('with -l stands alone', () => {
    expect(jinni(FILES, ['-l', '--tree', 'src']).stdout).toBe(
      '└── src/\n    ├── main.ts\n    └── deep/\n        └── part.py\n',
    );
  });
});

describe('--split-output', () => {
  const large = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`f${i}.txt`, `${i}\n`.repeat(1_000)]));

  test('writes numbered files that hold whole files', () => {
    const { cwd, stderr } = jinni(large, ['-o', 'out/all.md', '--split-output', '5kb']);
    expect(stderr).toContain('Output successfully written to out/all.1.md to out/all.5.md\n9 files, ');
    const parts = [1, 2, 3, 4, 5].map((part) => fs.readFileSync(`${cwd}/out/all.${part}.md`, 'utf8'));
    expect(parts.map((text) => text.match(/^```path=/gm)?.length)).toEqual([2, 2, 2, 2, 1]);
    for (const text of parts) expect(Buffer.byteLength(text)).toBeLessThan(5 * 1024);
  });

  test('never takes in the parts of an earlier run', () => {
    const { cwd } = jinni(large, ['-o', 'all.md', '--split-output', '5kb']);
    const before = fs.readFileSync(`${cwd}/all.1.md`, 'utf8');
    const { stderr } = jinni({}, ['-o', 'all.md', '--split-output', '5kb'], cwd);
    expect(stderr).toContain('\n9 files, ');
    expect(fs.readFileSync(`${cwd}/all.1.md`, 'utf8')).toBe(before);
  });

  test('says which parts of an earlier run are still there, and removes none', () => {
    const { cwd, stderr: first } = jinni(large, ['-o', 'all.md', '--split-output', '5kb']);
    expect(first).not.toContain('earlier run');
    const { stderr } = jinni({}, ['-o', 'all.md', '--split-output', '1mb'], cwd);
    expect(stderr).toContain('Warning: all.2.md to all.5.md are of an earlier run, and not a part of this document\n');
    expect([1, 2, 3, 4, 5].every((part) => fs.existsSync(`${cwd}/all.${part}.md`))).toBe(true);
    for (const part of [3, 4, 5]) fs.rmSync(`${cwd}/all.${part}.md`);
    const one = jinni({}, ['-o', 'all.md', '--split-output', '1mb'], cwd).stderr;
    expect(one).toContain('Warning: all.2.md is of an earlier run, and not');
  });

  test('makes each part a document of its own', () => {
    const { cwd } = jinni(large, ['-o', 'all.json', '--format', 'json', '--split-output', '5k']);
    const files = [1, 2, 3, 4, 5].flatMap(
      (part) => JSON.parse(fs.readFileSync(`${cwd}/all.${part}.json`, 'utf8')).files,
    );
    expect(files.map(({ path: name }) => name)).toEqual(Object.keys(large));
  });

  test.for([
    [['--split-output', '1mb'], '--split-output goes with -o FILE'],
    [['-o', 'x', '--split-output', '10'], '--split-output takes a size of 1kb or more'],
    [['-o', 'x', '--split-output', 'big'], '--split-output takes a size'],
  ] as const)('refuses %j', ([argv, message]) => {
    expect(jinni(FILES, [...argv])).toMatchObject({ status: 2, stderr: expect.stringContaining(message) });
  });
});

describe('--remote', () => {
  test('clones a repository, and leaves nothing behind', () => {
    const origin = makeTempDirectory();
    commit(origin, 'x', FILES);
    const before = fs.readdirSync(path.dirname(origin)).filter((name) => name.startsWith('jinni-'));
    const { status, stdout } = jinni({ 'own.txt': 'x' }, ['--remote', `file://${origin}`, '-l', 'src']);
    expect([status, stdout]).toEqual([0, 'src/main.ts\nsrc/deep/part.py\n']);
    const after = fs.readdirSync(path.dirname(origin)).filter((name) => name.startsWith('jinni-'));
    expect(after).toEqual(before);
  });

  test('fetches as much of the history as --git-log and --sort change need', () => {
    const origin = makeTempDirectory();
    commit(origin, 'one', FILES);
    commit(origin, 'two', { 'src/main.ts': 'changed\n' });
    commit(origin, 'three', { 'z.txt': 'z\n' });
    commit(origin, 'four', { 'docs/guide.md': 'changed\n' });
    const log = jinni({}, ['--remote', `file://${origin}`, '--git-log', '3', 'z.txt']).stdout;
    expect(log).toMatch(
      /Ann: four\n\nM\tdocs\/guide\.md\n.*Ann: three\n\nA\tz\.txt\n.*Ann: two\n\nM\tsrc\/main\.ts\n```/,
    );
    const sorted = jinni({}, ['--remote', `file://${origin}`, '--sort', 'change', '-l']).stdout;
    expect(sorted.split('\n').slice(-4)).toEqual(['src/main.ts', 'z.txt', 'docs/guide.md', '']);
  });

  test('leaves nothing behind when the reader of the document has gone away', () => {
    const origin = makeTempDirectory();
    commit(origin, 'x', { 'large.txt': 'x'.repeat(2_000_000) });
    const temporary = makeTempDirectory();
    const command = `"${process.execPath}" "${JINNI}" --no-copy --remote "file://${origin}" | head -c 1`;
    const env = { ...process.env, TMPDIR: temporary };
    expect(execFileSync('bash', ['-c', command], { env, encoding: 'utf8', stdio: 'pipe' })).toBe('`');
    expect(fs.readdirSync(temporary)).toEqual([]);
  });

  test('refuses a text that is not an address', () => {
    const { status, stderr } = jinni({}, ['--remote', 'ext::sh']);
    expect([status, stderr]).toEqual([1, expect.stringContaining('is not an address of a git repository')]);
  });
});

test('--header-text and --prompt stand at the head', () => {
  const files = { 'a.txt': 'a\n', 'ask.md': 'What does it do?\n' };
  const { stdout } = jinni(files, ['--header-text', 'Read this.', '--prompt', 'ask.md', 'a.txt']);
  expect(stdout).toMatch(/^```instructions\nRead this\.\n\nWhat does it do\?\n```\n\n\n```path=a\.txt\n/);
  expect(jinni(files, ['--prompt', 'nope'])).toMatchObject({
    status: 1,
    stderr: 'Error: Prompt file not found: nope\n',
  });
});

describe('settings', () => {
  const config = {
    not: ['docs'],
    lineNumbers: true,
    profiles: { small: { 'max-tokens': 100, format: 'json' }, docs: { include: ['*.md'] } },
  };
  const files = { ...FILES, 'jinni.config.json': JSON.stringify(config) };

  test('come from jinni.config.json, and flags win', () => {
    const { stdout } = jinni(files, []);
    expect(stdout).toContain('1\texport function');
    expect(stdout).not.toContain('docs/guide.md');
    expect(jinni(files, ['--ignore-config']).stdout).toContain('path=docs/guide.md\n# Guide');
    expect(JSON.parse(jinni(files, ['--profile', 'small']).stdout)).toHaveProperty('left-out');
    expect(jinni(files, ['--profile=small', '--format=xml']).stdout).toContain('<documents>');
    expect(jinni(files, ['--profile=docs', '-l']).stdout).toBe('README.md\n');
  });

  test('come from pyproject.toml', () => {
    const toml =
      '[project]\nname = "x"\n[tool.jinni]\ninclude = ["*.py"]\n[tool.jinni.profiles.ts]\ninclude = ["*.ts"]\n';
    expect(jinni({ ...FILES, 'pyproject.toml': toml }, ['-l']).stdout).toBe('src/deep/part.py\n');
    expect(jinni({ ...FILES, 'pyproject.toml': toml }, ['-l', '--profile', 'ts']).stdout).toContain('src/main.ts\n');
    expect(jinni({ ...FILES, 'pyproject.toml': '[tool.jinni' }, ['-l']).status).toBe(0);
  });

  test.for([
    [{ output: '/etc/x' }, 'may not set "output"'],
    [{ prompt: '/etc/passwd' }, 'may not set "prompt"'],
    [{ remote: 'a/b' }, 'may not set "remote"'],
    [{ overrides: '/etc/passwd' }, 'may not set "overrides"'],
    [{ tre: true }, 'did you mean tree?'],
    [{ tree: 'yes' }, 'tree in jinni.config.json must be true or false'],
    [{ not: [{}] }, 'not in jinni.config.json must be a list of strings'],
    [{ format: 'pdf' }, '--format takes fences'],
    [[], 'jinni.config.json: it must hold an object'],
    ['{', 'jinni.config.json: invalid JSON'],
    ['{"tree":true,"tree":false}', 'jinni.config.json: invalid JSON: duplicate key "tree"'],
  ] as const)('are refused: %j', ([content, message]) => {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    const { status, stderr, stdout } = jinni({ ...FILES, 'jinni.config.json': text }, []);
    expect(stdout).toBe('');
    expect(status).toBeGreaterThan(0);
    expect(stderr).toContain(message);
  });

  test('are only read from a regular file', () => {
    const cwd = makeTempDirectory();
    execFileSync('mkfifo', [`${cwd}/jinni.config.json`]);
    fs.symlinkSync('/dev/zero', `${cwd}/pyproject.toml`);
    expect(jinni({ 'a.txt': 'a\n' }, ['-l'], cwd)).toMatchObject({ status: 0, stdout: 'a.txt\n' });
  });

  test('of documents are no reason for a warning on a list', () => {
    const settings = { format: 'xml', 'max-tokens': 5_000, summary: true };
    const list = { ...FILES, 'jinni.config.json': JSON.stringify(settings) };
    expect(jinni(list, ['-l', 'src'])).toMatchObject({ status: 0, stderr: '' });
    expect(jinni(list, ['-l', '--summary', 'src']).stderr).toBe('Warning: --summary: without effect on a list\n');
  });

  test('have the profile that is asked for', () => {
    expect(jinni(files, ['--profile', 'none']).stderr).toContain('has no profile none\n\nit has small, docs');
    expect(jinni(FILES, ['--profile', 'none']).stderr).toContain('there is no jinni.config.json');
  });
});

describe('--secrets', () => {
  const files = { 'a.txt': 'fine\n', 'k.txt': `AKIA${'ABCD'.repeat(4)}\n` };

  test('warns, also of what is only printed', () => {
    const { status, stdout, stderr } = jinni(files, ['--secrets=warn']);
    expect([status, stdout]).toEqual([0, expect.stringContaining('path=k.txt')]);
    expect(stderr).toContain('Warning: k.txt: line 1 looks like an AWS access key\n');
  });

  test.for([[[]], [['--tree']], [['-o', 'out.md']], [['--max-tokens', '1000']], [['--format', 'json']]])(
    'leaves lines out by default, on a pipe as in a file: %j',
    ([argv = []]) => {
      const { cwd, stdout, stderr } = jinni({ ...files, 'many.txt': `x\n${files['k.txt']}${files['k.txt']}` }, argv);
      const text = argv[0] === '-o' ? fs.readFileSync(`${cwd}/out.md`, 'utf8') : stdout;
      const note = '[line omitted: it looks like an AWS access key]\n';
      const shown = argv[0] === '--format' ? JSON.stringify(note).slice(1, -1) : note;
      expect(text).toContain('fine');
      expect(text).not.toContain('AKIA');
      expect(text.split(shown)).toHaveLength(4);
      expect(stderr).toContain(
        'Warning: k.txt: line 1 was omitted: it looks like an AWS access key; --secrets=warn keeps it\n',
      );
      expect(stderr).toContain(
        'many.txt: line 2 was omitted: it looks like an AWS access key, and 1 more like secrets; --secrets=warn keeps them\n',
      );
      expect(jinni(files, ['-l']).stdout).toBe('a.txt\nk.txt\n');
    },
  );

  test('leaves out all lines of a private key, and no line after it', () => {
    const body = `${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n'.repeat(3)}dGhlIGVuZA==\n`;
    const key = `-----BEGIN PRIVATE KEY-----\n${body}-----END PRIVATE KEY-----\n`;
    const quoted = key.trimEnd().replace(/^.*$/gm, '  "$&\\n" +');
    const { stdout } = jinni(
      {
        'a.pem': key,
        'b.js': `const key = (\n${quoted}\n  ''\n);\nrun(key);\n`,
        'c.py': `head = '-----BEGIN PRIVATE KEY-----'\nrun(head)\n`,
      },
      ['--max-tokens', '2000'],
    );
    expect(stdout).not.toMatch(/MIIE|dGhl/);
    expect(stdout).toContain(`path=a.pem\n[line omitted: it looks like a private key]\n\n\n\n\n\n\n`);
    expect(stdout).toMatch(
      /const key = \(\n\[line omitted: it looks like a private key\]\n{6} {2}''\n\);\nrun\(key\);/,
    );
    expect(stdout).toContain("head = '-----BEGIN PRIVATE KEY-----'");
  });

  test('are in no other form of a file either', { tags: 'slow' }, () => {
    const source = `export function run() {}\nexport const password = 'Xk29sLq81mZp';\n${'export const a = 1;\n'.repeat(200)}`;
    const tree = { 'a.ts': source, 'b.ts': 'x();\n'.repeat(2_000) };
    for (const argv of [
      ['--outline'],
      ['--compress'],
      ['--max-tokens', '400'],
      ['--remove-comments'],
      ['--line-numbers'],
    ]) {
      expect(jinni(tree, argv).stdout).not.toContain('Xk29');
    }
  });

  test('fails before anything is written', () => {
    const { cwd, status, stdout } = jinni(files, ['--secrets=fail', '-o', 'out.md']);
    expect([status, stdout, fs.existsSync(`${cwd}/out.md`)]).toEqual([1, '', false]);
    expect(jinni({ 'a.txt': 'fine\n' }, ['--secrets=fail']).status).toBe(0);
  });
});

describe('git', () => {
  test('--git-log puts commits at the head, and --sort=change what changed last at the end', () => {
    const cwd = makeTempDirectory();
    commit(cwd, 'one', { 'z.txt': 'z\n', 'a.txt': 'a\n' });
    commit(cwd, 'two', { 'a.txt': 'b\n' });
    const { stdout } = jinni({}, ['--git-log', '1', '--sort', 'change'], cwd);
    expect(stdout).toMatch(
      /^```git-log\n\w+ \d{4}-\d\d-\d\d Ann: two\n\nM\ta\.txt\n```\n\n\n```path=z\.txt\n[\s\S]*```path=a\.txt\n/,
    );
  });

  test('--sort=change puts uncommitted work at the very end, in a list too', () => {
    const cwd = makeTempDirectory();
    commit(cwd, 'one', Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`m${i}.txt`, 'x\n'])));
    for (const subject of ['two', 'three', 'four']) commit(cwd, subject, { 'm7.txt': `${subject}\n` });
    commit(cwd, 'five', { 'm3.txt': 'y\n' });
    const expected = ['m0', 'm1', 'm2', 'm4', 'm6', 'm7', 'm3', 'm5', 'zz'].map((name) => `${name}.txt`);
    const { stdout, stderr } = jinni({ 'm5.txt': 'y\n', 'zz.txt': 'z\n' }, ['-l', '--sort', 'change'], cwd);
    expect([stdout, stderr]).toEqual([`${expected.join('\n')}\n`, '']);
    const sizes = jinni({}, ['-lS', '--sort', 'change', '--format', 'json'], cwd).stdout;
    expect(JSON.parse(sizes).map(({ path: name }: { path: string }) => name)).toEqual(expected);
    const { stdout: document } = jinni({}, ['--sort', 'change'], cwd);
    expect([...document.matchAll(/path=(.*)/g)].map(([, name]) => name)).toEqual(expected);
  });

  test('--max-tokens holds what is not committed yet', () => {
    const cwd = makeTempDirectory();
    const source = (i: number) => `export function run${i}() {\n${'  call(a, b);\n'.repeat(60)}}\n`;
    commit(cwd, 'one', Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`src/m${i}.ts`, source(i)])));
    commit(cwd, 'two', { 'src/m7.ts': source(70) });
    const edited = source(500);
    const { stdout } = jinni({ 'src/m50.ts': edited }, ['--max-tokens', '3000'], cwd);
    expect(stdout).toContain(`path=src/m50.ts\n${edited}`);
  });

  test('-l --diff shows a rename into a target as a rename', () => {
    const cwd = makeTempDirectory();
    const git = commit(cwd, 'one', { 'src/m2.ts': 'a line\n'.repeat(40), 'src/gone.ts': 'x\n', 'lib/a.ts': 'a\n' });
    git('checkout', '-qb', 'feature');
    git('mv', 'src/m2.ts', 'lib/renamed.ts');
    git('rm', '-q', 'src/gone.ts');
    commit(cwd, 'two', {});
    const { stdout } = jinni({}, ['-l', '--diff', '--changed', 'main', 'lib'], cwd);
    expect(stdout).toMatch(/similarity index 100%\nrename from src\/m2\.ts\nrename to lib\/renamed\.ts\n$/);
    expect(stdout).not.toContain('gone');
  });

  test('-l --diff gives the diff alone', () => {
    const cwd = makeTempDirectory();
    commit(cwd, 'one', { 'a.txt': 'a\n', 'b.txt': 'b\n' });
    const { stdout } = jinni({ 'a.txt': 'c\n' }, ['-l', '--diff'], cwd);
    expect(stdout).toMatch(/^diff --git a\/a\.txt b\/a\.txt\n[\s\S]*-a\n\+c\n$/);
  });

  test('--changed main...HEAD compares with where the branch began', () => {
    const cwd = makeTempDirectory();
    const git = commit(cwd, 'one', { 'a.txt': 'a\n' });
    git('checkout', '-qb', 'feature');
    commit(cwd, 'mine', { 'mine.txt': 'x\n' });
    git('checkout', '-q', 'main');
    commit(cwd, 'theirs', { 'a.txt': 'theirs\n' });
    git('checkout', '-q', 'feature');
    for (const ref of ['main', 'main...HEAD']) {
      expect(jinni({}, ['-l', '--changed', ref], cwd).stdout).toBe('mine.txt\n');
    }
  });
});

test('--cut-base64 cuts data, and notebooks are shown by their cells', () => {
  const data = Buffer.from(Array.from({ length: 3_000 }, (_, i) => (i * 7919) % 256)).toString('base64');
  const notebook = {
    cells: [
      { cell_type: 'markdown', source: ['# Title\n', 'words'] },
      {
        cell_type: 'code',
        source: 'plot(x)',
        outputs: [
          { output_type: 'stream', text: ['done\n'] },
          { output_type: 'display_data', data: { 'image/png': data, 'text/plain': ['<Figure>'] } },
        ],
      },
    ],
    metadata: { language_info: { name: 'python' } },
  };
  const files = { 'a.ipynb': JSON.stringify(notebook), 'b.css': `a{background:url(data:image/png;base64,${data})}\n` };
  const { stdout } = jinni(files, []);
  expect(stdout).toContain(
    `path=a.ipynb\n# %% [1] markdown\n# Title\nwords\n\n# %% [2] python\nplot(x)\n# output:\ndone\n# output:\n<Figure>\n[image/png, ${data.length} characters left out]\n`,
  );
  expect(stdout).toContain(data);
  const cut = jinni(files, ['--cut-base64', 'b.css']).stdout;
  expect(cut).toContain(`${data.slice(0, 32)}[${data.length - 32} characters of base64 cut])}\n`);
  expect(jinni(files, ['--raw-notebooks', 'a.ipynb']).stdout).toContain(JSON.stringify(notebook));
  expect(jinni({ 'x.ipynb': '{"cells": 1}' }, []).stdout).toContain('{"cells": 1}');
});

test.for([[], ['--tokens', 'exact']])('says at the end how many tokens a budget took: %j', { tags: 'slow' }, (argv) => {
  const source = (i: number) =>
    `export function run${i}(a: string) {\n${'  call(a, "text in quotes", 1234);\n'.repeat(40)}}\n`;
  const files = Object.fromEntries(Array.from({ length: 90 }, (_, i) => [`src/m${i}.ts`, source(i)]));
  for (const [given, budget] of [
    ['1000', 1_000],
    ['5k', 5_000],
    ['20K', 20_000],
  ] as const) {
    const { stderr } = jinni(files, ['--max-tokens', given, ...argv]);
    const [, tokens] = /, (\d+) tokens, not copied/.exec(stderr) ?? [];
    expect(Number(tokens)).toBeLessThanOrEqual(budget);
    expect(Number(tokens)).toBeGreaterThanOrEqual(budget * 0.9);
  }
});

test('--focus puts what is asked for first, and --explain says of each file why', () => {
  const source = (name: string) => `export class ${name} {\n${'  call(a) {\n    return a;\n  }\n'.repeat(30)}}\n`;
  const names = Array.from({ length: 40 }, (_, i) => `Part${i}`);
  const files = Object.fromEntries(names.map((name) => [`src/${name}.ts`, source(name)]));
  const flags = ['--max-tokens', '2000', '--focus', 'fix Part17', '--explain'];
  const { stdout, stderr } = jinni({ ...files, '.hidden': 'x', 'yarn.lock': 'x' }, flags);
  expect(stdout).toContain(`path=src/Part17.ts\n${files['src/Part17.ts']}`);
  expect(stderr).toMatch(/^whole src\/Part17\.ts: rank 1, \d+ tokens, what is asked for, /m);
  for (const name of names)
    expect(stderr).toMatch(new RegExp(`^(?:whole|cut|outlined|out) src/${name}\\.ts: rank `, 'm'));
  expect(stderr).toMatch(/^out \.hidden: rule /m);
  expect(stderr).toMatch(/^out yarn\.lock: rule /m);
});

test('counts all of a document with the real tokenizer if that is asked for', { tags: 'slow' }, () => {
  const { stdout, stderr } = jinni({ 'a.txt': 'some words, and more of them\n'.repeat(4_000) }, ['--tokens', 'exact']);
  const list = jinni({ 'b.txt': stdout }, ['-L', '--tokens', 'exact']).stdout;
  const [, tokens = ''] = /^1 file, (\d+) tokens/.exec(stderr) ?? [];
  expect(Math.abs(Number(tokens) - Number(/b\.txt: (\d+)/.exec(list)?.[1]))).toBeLessThan(5);
});

test('says at the end what was left out and how much was written', () => {
  const { stderr } = jinni({ ...FILES, 'yarn.lock': 'x\n'.repeat(500) }, []);
  expect(stderr).toMatch(
    /^omitted 1 lock, minified, generated or vendored file \(about \d+ tokens\). --no-defaults includes them\n4 files, \d+ tokens, not copied to the clipboard\n$/,
  );
  expect(jinni({ ...FILES, 'yarn.lock': 'x' }, ['-l', '--no-defaults']).stdout).toContain('yarn.lock\n');
});
