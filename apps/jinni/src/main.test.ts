import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { describe, expect, test } from 'vitest';
import { JINNI_SPEC as SPEC } from './jinni-spec.ts';

const JINNI = path.resolve(import.meta.dirname, '../dist/jinni.cjs');

interface Options {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly input?: string;
}

type Tree = Parameters<typeof makeTree>[1];

function jinni(files: Tree, argv: readonly string[], { env = {}, cwd, input = '' }: Options = {}) {
  const root = cwd ?? makeTempDirectory();
  makeTree(root, files);
  const child = spawnSync(process.execPath, [JINNI, ...argv], {
    cwd: root,
    input,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: root, ...env },
    maxBuffer: 1 << 30,
  });
  return { root, status: child.status, stdout: child.stdout, stderr: child.stderr };
}

const FILES = { 'a.txt': 'one\n', 'src/b.py': 'two\n' };

test('prints the document, and nothing else', () => {
  const { status, stdout, stderr } = jinni(FILES, []);
  expect(stdout).toBe('```path=a.txt\none\n\n```\n\n\n```path=src/b.py\ntwo\n\n```\n');
  expect({ status, stderr }).toEqual({
    status: 0,
    stderr: expect.stringMatching(/^2 files, \d+ tokens, (?:not )?copied to the clipboard\n$/),
  });
});

test.for<[string[], string]>([
  [['-l'], 'a.txt\nsrc/b.py\n'],
  [['--list-only', 'src'], 'src/b.py\n'],
  [['--list-o', '--not', 'src'], 'a.txt\n'],
  [['-lS'], '4\ta.txt\n4\tsrc/b.py\n'],
  [['-l', '-r', '.', 'src'], 'src/b.py\n'],
  [['-L'], 'a.txt: 2 tokens\nsrc/b.py: 2 tokens\n---\nTotal: 4 tokens\n'],
  [['-L', '--tokens', 'exact'], 'a.txt: 2 tokens\nsrc/b.py: 2 tokens\n---\nTotal: 4 tokens\n'],
  [['-l', '--format=json'], '["a.txt","src/b.py"]\n'],
  [['-l', '--', 'a.txt'], 'a.txt\n'],
])('%j prints a list', ([argv, expected]) => {
  expect(jinni(FILES, argv)).toMatchObject({ status: 0, stdout: expected });
});

test('writes to a file, says so, and never takes that file in', () => {
  const { root, status, stdout, stderr } = jinni({ ...FILES, 'new/out.md': 'old' }, ['-o', 'new/out.md']);
  expect({ status, stdout, stderr }).toEqual({
    status: 0,
    stdout: '',
    stderr: 'Output successfully written to new/out.md\n2 files, 20 tokens, not copied to the clipboard\n',
  });
  const first = fs.readFileSync(path.join(root, 'new/out.md'), 'utf8');
  expect(first).toBe(jinni(FILES, []).stdout);
  jinni({}, ['-o', 'new/out.md', '.', 'new/out.md'], { cwd: root });
  expect(fs.readFileSync(path.join(root, 'new/out.md'), 'utf8')).toBe(first);
  jinni({}, ['-l', '--output=deep/er/list'], { cwd: root });
  expect(fs.readFileSync(path.join(root, 'deep/er/list'), 'utf8')).toBe('a.txt\nnew/out.md\nsrc/b.py');
  expect(jinni({}, ['-o', 'empty', '--keep-only', 'zz'], { cwd: root }).status).toBe(0);
  expect(fs.readFileSync(path.join(root, 'empty'), 'utf8')).toBe('');
});

test.runIf(process.platform === 'linux')('writes to a pipe that has a name, and says where it cannot', () => {
  const { root } = jinni(FILES, ['--version']);
  const piped = spawnSync('sh', ['-c', '"$0" "$1" --no-copy -o /dev/stdout a.txt | cat', process.execPath, JINNI], {
    cwd: root,
    encoding: 'utf8',
  });
  expect(piped.stdout).toBe('```path=a.txt\none\n\n```\n');
  const refused = jinni(FILES, ['-o', '/proc/none/out']);
  expect(refused).toMatchObject({ status: 1, stdout: '' });
  expect(refused.stderr).toContain('Cannot write output to file /proc/none/out (ENOENT)');
});

test('leaves the file as it was when there is nothing to write', () => {
  const { root, status } = jinni({ a: 'x'.repeat(2 << 20), out: 'old' }, ['-s', '1', '-o', 'out']);
  expect([status, fs.readFileSync(path.join(root, 'out'), 'utf8')]).toEqual([1, 'old']);
});

test.for<[string[], number, string]>([
  [['nope'], 1, 'Error: Target path does not exist: nope (resolved to /'],
  [['-r', 'nope'], 1, "Error: Provided project root 'nope' does not exist or is not a directory."],
  [['-r', 'src', 'a.txt'], 1, 'is outside the specified project root'],
  [['--overrides', 'nope'], 1, 'Error: Overrides file not found: nope'],
  [['--overrides', 'src'], 1, "Error: The overrides file 'src' cannot be read (EISDIR)"],
  [['-o', 'a.txt/x'], 1, 'Error: Cannot write output to file a.txt/x ('],
  [['--not-in', 'src'], 1, 'Error: --not-in takes DIRECTORY:WORD,WORD'],
  [['--changed=nope'], 1, 'Error: '],
  [['--frobnicate'], 2, "Unknown option '--frobnicate'"],
  [['--no'], 2, '--no could be --not or --not-in or --not-files or --no-defaults or --no-copy'],
  [['--fromat', 'xml'], 2, "Unknown option '--fromat'; did you mean --format?"],
  [['-x'], 2, "Unknown option '-x'; write a path that starts with a dash as ./-…"],
  [['-s', '-1'], 2, '--size-limit-mb takes a value; one that begins with a dash is written --size-limit-mb=-…'],
  [['--size-limit-mb=-1'], 2, '--size-limit-mb takes a whole number, 1 or more, not "-1"'],
  [['-l', '--root', '--', 'a'], 2, '--root takes a value'],
  [['--changed='], 2, '--changed= takes a commit'],
  [['--chan='], 2, '--changed= takes a commit'],
  [['--', '--changed='], 1, 'Error: '],
  [['--keep-only', ' , '], 2, '--keep-only takes names, such as src,docs'],
  [['--keep-only', '../x'], 1, '--keep-only takes files below the root, not "../x"'],
  [['-lz'], 2, "Unknown option '-z'"],
  [['--=x'], 2, "Unknown option '--'"],
  [['--', '-l'], 1, 'Target path does not exist: -l'],
  [['--root'], 2, '--root takes a value'],
  [['--tree=yes'], 2, '--tree takes no value'],
  [['-s', 'many'], 2, '--size-limit-mb takes a whole number, 1 or more, not "many"'],
  [['-s', '0'], 2, '--size-limit-mb takes'],
  [['--max-tokens', '60kk'], 2, '--max-tokens takes a whole number, 100 or more'],
  [['--max-tokens', '5'], 2, '--max-tokens takes a whole number, 100 or more'],
  [['--focus', 'x'], 2, '--focus goes with --max-tokens'],
  [['--focus', ' ', '--max-tokens', '500'], 2, '--focus takes words, a path or a name'],
  [['--explain'], 2, '--explain needs --max-tokens'],
  [['-l', '-L'], 2, '--list-token does not go with --list-only'],
  [['-S'], 2, '--size goes with --list-only'],
  [['--format', 'pdf'], 2, '--format takes fences, xml, markdown, json'],
  [['--tokens', 'x'], 2, '--tokens takes fast, exact'],
])('%j fails with a message', ([argv, status, message]) => {
  const run = jinni(FILES, argv);
  expect(run).toMatchObject({ status, stdout: '' });
  expect(run.stderr).toContain(message);
});

test.runIf(process.platform === 'linux')('does not take in the file that its output goes to', () => {
  const { root } = jinni({ ...FILES, 'other/all.md': 'old\n' }, ['--version']);
  const run = (redirect: string) =>
    spawnSync('sh', ['-c', `"$0" "$1" --no-copy ${redirect}`, process.execPath, JINNI], {
      cwd: root,
      encoding: 'utf8',
    });
  run('--tree > other/all.md');
  expect(fs.readFileSync(path.join(root, 'other/all.md'), 'utf8')).not.toContain('all.md');
  run('-l >> list');
  expect(fs.readFileSync(path.join(root, 'list'), 'utf8')).toBe('a.txt\nother/all.md\nsrc/b.py\n');
});

test.for(['link', 'fifo', 'directory'])('explains without the file where there is a %s of its name', (kind) => {
  const precious = path.join(makeTempDirectory(), 'precious');
  fs.writeFileSync(precious, 'old');
  const logs: Readonly<Record<string, Tree>> = {
    link: { 'jinni_debug.log': { symlink: precious } },
    fifo: { 'jinni_debug.log': { fifo: true } },
    directory: { 'jinni_debug.log/': '' },
  };
  const { status, stdout, stderr } = jinni({ ...FILES, ...logs[kind] }, ['-l', '--debug-explain']);
  expect([status, stdout, fs.readFileSync(precious, 'utf8')]).toEqual([0, 'a.txt\nsrc/b.py\n', 'old']);
  expect(stderr).toMatch(
    /^Warning: jinni_debug\.log cannot be written \(\w+\). The explanation goes only to standard error\n/,
  );
  expect(stderr).toContain('Included file a.txt: no rule matches');
});

test('says that the working directory is gone', () => {
  const cwd = makeTempDirectory();
  const child = spawnSync('sh', ['-c', 'rmdir "$PWD" && "$0" "$1"', process.execPath, JINNI], {
    cwd,
    encoding: 'utf8',
  });
  fs.mkdirSync(cwd, { recursive: true });
  expect([child.status, child.stderr]).toEqual([
    1,
    'Error: the working directory does not exist. Change to another one\n',
  ]);
});

test.runIf(fs.existsSync('/dev/full'))('says that nothing can be written', () => {
  const { root } = jinni(FILES, ['--version']);
  const child = spawnSync('sh', ['-c', '"$0" "$1" > /dev/full', process.execPath, JINNI], {
    cwd: root,
    encoding: 'utf8',
  });
  expect([child.status, child.stderr]).toEqual([1, 'Error: Cannot write output to standard output (ENOSPC)\n']);
});

test('shows no control character of a name to the terminal', () => {
  const name = 'a\u001b[31m\nWarning: b';
  const argv = ['--secrets=warn', '-o', 'out', '.', 'p\u001b'];
  const { stderr } = jinni({ [name]: 'AKIAABCDEFGHIJKLMNOP\n', 'p\u001b': { fifo: true } }, argv);
  expect(stderr).toBe(
    'Warning: p\\u001b: not a regular file, skipped\nWarning: a\\u001b[31m\\nWarning: b: line 1 looks like an AWS access key\nOutput successfully written to out\n1 file, 22 tokens, not copied to the clipboard\n',
  );
  expect(jinni({}, ['--stdin'], { input: 'gone\u001b[2J' }).stderr).not.toContain('\u001b');
});

test('writes to standard output for the file -', () => {
  const { root, stdout, stderr } = jinni(FILES, ['-o', '-', 'a.txt']);
  expect([stdout, stderr, fs.existsSync(path.join(root, '-'))]).toEqual([
    '```path=a.txt\none\n\n```\n',
    expect.stringMatching(/^1 file, \d+ tokens, not copied/),
    false,
  ]);
});

test.for([
  [['--list-on', 'src']],
  [['src', '-l']],
  [['-lr.', '-s5', 'src']],
  [['-l', '-s=5', '--', 'src']],
  [['-l', '--not=a', '--not', 'x', 'src']],
  [['--no-c', '-l', 'src', '--format', 'xml', '--format=fences']],
])('reads flags in any order and form: %j', ([argv]) => {
  const { stdout, status } = jinni(FILES, argv as string[]);
  expect([status, path.basename(stdout.trim())]).toEqual([0, 'b.py']);
});

test('lists sizes as JSON too', () => {
  expect(JSON.parse(jinni(FILES, ['-lS', '--format', 'json']).stdout)).toEqual([
    { path: 'a.txt', size: 4 },
    { path: 'src/b.py', size: 4 },
  ]);
});

test('lists tokens, as JSON too', () => {
  expect(jinni(FILES, ['-L']).stdout).toBe('a.txt: 2 tokens\nsrc/b.py: 2 tokens\n---\nTotal: 4 tokens\n');
  expect(JSON.parse(jinni(FILES, ['-L', '--format', 'json']).stdout)).toEqual({
    files: [
      { path: 'a.txt', tokens: 2 },
      { path: 'src/b.py', tokens: 2 },
    ],
    total: 4,
  });
});

test('leaves out the bodies of functions with --compress', () => {
  const { stdout } = jinni({ 'a.py': 'def f():\n    return 1\n' }, ['--no-copy', '--compress']);
  expect(stdout).toContain('def f():\n    …\n');
});

test('says which flags have no effect on a list', () => {
  const { stdout, stderr } = jinni(FILES, ['-l', '--summary', '--max-tokens=500', '--format=xml', '--tokens=fast']);
  expect(stdout).toBe('a.txt\nsrc/b.py\n');
  expect(stderr).toBe('Warning: --summary, --max-tokens, --format, --tokens: without effect on a list\n');
  expect(jinni(FILES, ['-L', '--tokens=fast', '--format=json', '--no-copy']).stderr).toBe('');
});

test('names the flag of a pattern that is none', () => {
  const { stderr } = jinni(FILES, ['-l', '--not-files', '[z-a]', '--keep-only', 'src,[y-a]']);
  expect(stderr).toBe('Warning: --not-files [z-a] matches nothing\nWarning: --keep-only [y-a] matches nothing\n');
});

test('stops at the limit of the flag, else of the variable, before anything is printed', () => {
  const files = { 'a.txt': 'x'.repeat(700_000), 'b.txt': 'x'.repeat(700_000) };
  const over = jinni(files, ['-s', '1'], { env: { JINNI_MAX_SIZE_MB: '5' } });
  expect(over).toMatchObject({ status: 1, stdout: '' });
  expect(over.stderr).toMatch(
    /^Error: Total content size exceeds limit of 1MB.*\n\nThe largest files:\n - a\.txt \(0\.67 MB\)/s,
  );
  expect(over.stderr).toContain('.contextfiles');
  expect(jinni(files, [], { env: { JINNI_MAX_SIZE_MB: '1' } }).status).toBe(1);
  expect(jinni(files, ['-s5'], { env: { JINNI_MAX_SIZE_MB: '1' } }).status).toBe(0);
  const odd = jinni(files, [], { env: { JINNI_MAX_SIZE_MB: '-3' } });
  expect(odd.status).toBe(0);
  expect(odd.stderr).toContain('Warning: JINNI_MAX_SIZE_MB is "-3"');
});

test('takes rules from a file, at the end', () => {
  const { stdout } = jinni({ ...FILES, 'rules.txt': '# all\n!*\n*.py\n' }, ['-l', '--overrides', 'rules.txt']);
  expect(stdout).toBe('src/b.py\n');
});

test('explains to standard error and to a file', () => {
  const { root, stdout, stderr } = jinni({ ...FILES, 'x.log': 'x' }, ['-l', '--debug-explain']);
  expect(stdout).toBe('a.txt\nsrc/b.py\n');
  expect(stderr).toContain('Included file src/b.py: no rule matches\n');
  expect(stderr).toContain('Excluded file x.log: rule "!*.log" of built-in rules, line 20\n');
  expect(fs.readFileSync(path.join(root, 'jinni_debug.log'), 'utf8')).toBe(stderr);
});

test('reads paths from standard input', () => {
  expect(jinni(FILES, ['-l', '--stdin'], { input: 'src/b.py\r\n\na.txt\n' }).stdout).toBe('src/b.py\na.txt\n');
  expect(jinni(FILES, ['-l', '--stdin'], { input: 'a.txt\0src/b.py\0' }).stdout).toBe('a.txt\nsrc/b.py\n');
  expect(jinni(FILES, ['-l', '--stdin', 'a.txt'], { input: 'src' }).stdout).toBe('a.txt\nsrc/b.py\n');
  const quoted = { 'ü\t"x".txt': '1', '"\\303\\274"': '2', ü: '3', ' b ': '4' };
  const names = 'a.txt\n"\\303\\274\\t\\"x\\".txt"\n"\\303\\274"\n';
  expect(jinni({ ...FILES, ...quoted }, ['-l', '--stdin', '--format=json'], { input: names }).stdout).toBe(
    `${JSON.stringify(['a.txt', 'ü\t"x".txt', '"\\303\\274"'])}\n`,
  );
  const id = 'a'.repeat(40);
  const decorated = `H a.txt\n100644 ${id} 0\tsrc/b.py\nh 100644 ${id} 0\t"\\303\\274"\ni/lf    w/lf    attr/   \t b \n`;
  expect(jinni({ ...FILES, ...quoted, 'H c': '5' }, ['-l', '--stdin'], { input: `${decorated}H c\n` }).stdout).toBe(
    'a.txt\nsrc/b.py\nü\n b \nH c\n',
  );
  expect(jinni(FILES, ['-l', '--stdin'])).toMatchObject({ status: 0, stdout: '', stderr: 'No files found.\n' });
  expect(jinni(FILES, ['-l', '--stdin'], { input: 'a.txt\ngone\n' })).toMatchObject({
    status: 0,
    stdout: 'a.txt\n',
    stderr: 'Warning: gone: does not exist, skipped\n',
  });
});

test('takes in only what the lines of a file or of standard input name', () => {
  const tree = {
    ...FILES,
    'x,y.md': '',
    '#n.md': '',
    patterns: '\ufeff# about\n\n  *.py \r\n!c.py\n\\#n.md\nx,y.md\n',
    'src/c.py': '',
  };
  const expected = '#n.md\nx,y.md\nsrc/b.py\n';
  expect(jinni(tree, ['-l', '--include-from', 'patterns']).stdout).toBe(expected);
  expect(jinni(tree, ['-l', '--include-from=-'], { input: tree.patterns }).stdout).toBe(expected);
  expect(jinni(tree, ['-l', '--include-from=patterns', '--include=a.txt']).stdout).toBe(
    `#n.md\na.txt\n${expected.slice(6)}`,
  );
  for (const [argv, input, message] of [
    [['--include-from', 'none'], '', 'Error: Patterns file not found: none\n'],
    [['--include-from', '-'], '\n# no\n', 'Error: --include-from -: no pattern in it\n'],
    [['--include-from', '-', '--stdin'], 'a', 'Error: --stdin does not go with --include-from -\n'],
    [['--include-from', '-', '--watch', '-o', 'x'], 'a', 'Error: --watch goes with the files of this machine\n'],
  ] as const) {
    const { status, stdout, stderr } = jinni(tree, ['-l', ...argv], { input });
    expect([status !== 0, stdout, stderr.replace(/try jinni --help\n/, '')]).toEqual([true, '', message]);
  }
  const { stderr } = jinni(tree, ['-l', '--include-from', '-'], { input: '*.py\n*.zz\n' });
  expect(stderr).toBe('Warning: --include *.zz matches nothing\n');
});

test('leaves out what .ignore hides, from git too, and takes in what it brings back', () => {
  const tree = { '.gitignore': 'kept.log\n', '.ignore': '*.md\n!kept.log\n', 'a.md': '', 'kept.log': '', 'b.txt': '' };
  const { root, stdout } = jinni(tree, ['-l']);
  expect(stdout).toBe('b.txt\nkept.log\n');
  for (const args of [
    ['init', '-q'],
    ['add', '.'],
  ])
    spawnSync('git', args, { cwd: root });
  expect(jinni({}, ['-l', '--debug-explain'], { cwd: root })).toMatchObject({
    stdout: 'b.txt\nkept.log\n',
    stderr: expect.stringContaining('Excluded file a.md: rule "*.md" of .ignore, line 1\n'),
  });
  fs.rmSync(`${root}/jinni_debug.log`);
  expect(jinni({}, ['-l', '--include', 'a.md'], { cwd: root }).stdout).toBe('');
  expect(jinni({}, ['-l', 'a.md'], { cwd: root }).stdout).toBe('a.md\n');
});

test('does not replace a target by the output', () => {
  const { root, status, stderr } = jinni(FILES, ['src', './a.txt', '-o', 'src/../a.txt']);
  expect([status, stderr]).toEqual([
    1,
    'Error: The output would replace the target src/../a.txt\n\nname another file with -o\n',
  ]);
  expect(fs.readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe(FILES['a.txt']);
});

test('takes the address of an editor in WSL, unless told not to', () => {
  const { root } = jinni(FILES, ['-l']);
  const address = `vscode-remote://wsl+Ubuntu${root}/src`;
  expect(jinni({}, ['-l', address], { cwd: root }).stdout).toBe('src/b.py\n');
  expect(jinni({}, ['-l', address], { cwd: root, env: { JINNI_NO_WSL_TRANSLATE: '1' } }).status).toBe(1);
});

test('takes in a secret only when it is named', () => {
  const files = { '.env': 'KEY=1\n', '.contextfiles': '.env\n.*\n', a: 'x\n' };
  expect(jinni(files, ['-l']).stdout).toBe('.contextfiles\na\n');
  expect(jinni(files, ['.env']).stdout).toBe('```path=.env\nKEY=1\n\n```\n');
});

test('does not wait for a FIFO', () => {
  expect(jinni({ f: { fifo: true }, a: 'x' }, ['-l', '.', 'f'])).toMatchObject({
    status: 0,
    stdout: 'a\n',
    stderr: 'Warning: f: not a regular file, skipped\n',
  });
});

test('prints its help on a screen, its version, and the page on rules', () => {
  const { stdout } = jinni({}, ['--help']);
  expect(stdout.split('\n').length).toBeLessThanOrEqual(40);
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  // `--help` is written by hand, to fit the screen; it names each flag, and no other.
  const named = new Set([...stdout.matchAll(/--[a-z][a-z0-9-]+/g)].map(([flag]) => flag.slice(2)));
  expect([...named].toSorted()).toEqual(Object.keys(SPEC.flags).toSorted());
  expect(jinni({}, ['--version']).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(jinni({}, ['--usage']).stdout).toContain('# What jinni includes');
});

describe('the clipboard', () => {
  const withTools = (root: string, script = 'cat > "$OUT"') => {
    const tools = makeTempDirectory();
    makeTree(tools, { xsel: { content: `#!/bin/sh\n${script}\n`, mode: 0o755 } });
    return { DISPLAY: ':0', OUT: path.join(root, 'clip'), PATH: `${tools}:${process.env['PATH']}` };
  };

  test('gets what is printed, without the end of a list', () => {
    const root = makeTempDirectory();
    const { stdout } = jinni(FILES, ['a.txt'], { cwd: root, env: withTools(root) });
    expect(fs.readFileSync(path.join(root, 'clip'), 'utf8')).toBe(stdout);
    jinni({}, ['-l', 'src'], { cwd: root, env: withTools(root) });
    expect(fs.readFileSync(path.join(root, 'clip'), 'utf8')).toBe('src/b.py');
  });

  test.for([
    [['--no-copy', 'a.txt']],
    [['-o', 'out', 'a.txt']],
    [['--not', 'a', '--not', 'x', 'src', '--keep-only', 'zz']],
  ] as const)('is left alone: %j', ([argv]) => {
    const root = makeTempDirectory();
    jinni(FILES, argv, { cwd: root, env: withTools(root) });
    expect(fs.existsSync(path.join(root, 'clip'))).toBe(false);
  });

  test('is worth a warning when it fails', () => {
    const root = makeTempDirectory();
    const { status, stderr } = jinni({ k: 'k\n' }, ['k'], { cwd: root, env: withTools(root, 'exit 7') });
    expect(status).toBe(0);
    expect(stderr).toMatch(
      /^Warning: not copied to the clipboard: xsel ended with status 7\n1 file, \d+ tokens, not copied to the clipboard\n$/,
    );
  });
});

const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false;

describe.skipIf(!hasScript)('on a terminal', () => {
  function onTerminal(files: Tree, argv: string[], env: Record<string, string> = {}) {
    const cwd = makeTempDirectory();
    makeTree(cwd, files);
    const command = [process.execPath, JINNI, ...argv].map((word) => `'${word}'`).join(' ');
    const child = spawnSync('script', ['-qec', command, '/dev/null'], {
      cwd,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], TERM: 'xterm', ...env },
    });
    return child.stdout.replaceAll('\r\n', '\n');
  }

  test('copies over ssh by OSC 52', () => {
    const out = onTerminal({ a: 'x\n' }, ['a'], { SSH_CONNECTION: '1 2 3 4' });
    const text = Buffer.from('```path=a\nx\n\n```\n').toString('base64');
    expect(out).toContain(`\x1b]52;c;${text}\x07`);
    expect(onTerminal({ a: 'x\n' }, ['a'])).not.toContain('\x1b');
    const large = onTerminal({ a: 'x\n'.repeat(50_000) }, ['a'], { SSH_CONNECTION: '1 2 3 4' });
    expect(large).toContain('over ssh, terminals take at most');
    expect(large).not.toContain('\x1b]52');
  });

  test('has colours, unless they are not wanted', () => {
    expect(onTerminal({}, ['nope'])).toContain('\x1b[31mError\x1b[39m: Target');
    expect(onTerminal({}, ['nope'], { NO_COLOR: '1' })).toContain('Error: Target');
    expect(onTerminal({}, ['nope'], { NO_COLOR: '1' })).not.toContain('\x1b');
  });
});

const hasGit = spawnSync('git', ['--version']).status === 0;

describe.skipIf(!hasGit)('in a repository', () => {
  function repository() {
    const cwd = makeTempDirectory();
    makeTree(cwd, { ...FILES, '.gitignore': 'ign\n', 'src/c.py': 'c\n', '.env': 'A=1\n' });
    const git = (...args: string[]) =>
      spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd });
    git('init', '-q');
    git('add', '-f', '.');
    git('commit', '-q', '-m', 'x');
    git('tag', 'v1');
    makeTree(cwd, { 'src/b.py': 'changed\n', new: 'n\n', ign: 'i\n', '.env': 'A=2\n' });
    return cwd;
  }

  test('takes in what changed', () => {
    const cwd = repository();
    const explained = jinni({}, ['-l', '--changed', '--debug-explain'], { cwd }).stderr;
    expect(explained).toContain('Excluded file a.txt: not changed\n');
    expect(explained).toContain('Included file src/b.py: no rule matches\n');
    expect(jinni({}, ['-l', '--changed'], { cwd }).stdout).toBe('new\nsrc/b.py\n');
    expect(jinni({}, ['-l', '--changed', 'v1', 'src'], { cwd }).stdout).toBe('src/b.py\n');
    expect(jinni({}, ['-l', '--changed', 'src'], { cwd }).stdout).toBe('src/b.py\n');
    expect(jinni({}, ['-l', '--changed=v1'], { cwd }).stdout).toBe('new\nsrc/b.py\n');
  });

  test('shows in the diff what is gone, but no secret', () => {
    const cwd = repository();
    for (const name of ['.env', 'src/c.py', 'a.txt']) fs.rmSync(path.join(cwd, name));
    const { stdout } = jinni({}, ['--changed', '--diff', 'src', 'new'], { cwd });
    expect(stdout).toContain('diff --git a/src/c.py b/src/c.py\ndeleted file');
    expect(stdout).not.toMatch(/env|a\.txt/);
    expect(jinni({}, ['--changed', '--diff'], { cwd: path.join(cwd, 'src') }).stdout).toContain(
      'diff --git a/c.py b/c.py\ndeleted file',
    );
    expect(jinni({}, ['--diff'], { cwd }).stdout).not.toContain('env');
  });

  describe('with a secret that only the diff has', () => {
    function removed() {
      const cwd = repository();
      makeTree(cwd, { 'a.txt': 'AKIAABCDEFGHIJKLMNOP\n' });
      spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qam', 'y'], { cwd });
      makeTree(cwd, { 'a.txt': 'gone\n', 'src/b.py': 'again\n' });
      return cwd;
    }

    test.for([
      ['--changed', '--diff'],
      ['-l', '--changed', '--diff'],
    ])('%j leaves out that line', (argv) => {
      const { stdout, stderr } = jinni({}, argv, { cwd: removed() });
      expect(stdout).toContain('diff --git a/src/b.py b/src/b.py');
      expect(stdout).not.toContain('AKIA');
      expect(stdout).toContain('\n[line omitted: it looks like an AWS access key]\n+gone\n');
      expect(stderr).toContain(
        'Warning: diff: line 6 was omitted: it looks like an AWS access key; --secrets=warn keeps it\n',
      );
    });

    test.for([
      ['--changed', '--diff'],
      ['-l', '--changed', '--diff'],
    ])('%j warns or fails if it is asked to', (argv) => {
      const cwd = removed();
      const warned = jinni({}, [...argv, '--secrets=warn', 'a.txt'], { cwd });
      expect(warned.stdout).toContain('-AKIAABCDEFGHIJKLMNOP');
      expect(warned.stderr).toContain('Warning: diff: line 6 looks like an AWS access key\n');
      expect(jinni({}, [...argv, '--secrets=fail', 'a.txt'], { cwd })).toMatchObject({ status: 1, stdout: '' });
    });
  });

  test('finds the changes of every repository that a target lies in', () => {
    const cwd = makeTempDirectory();
    const [one, two] = [repository(), repository()];
    fs.cpSync(one, `${cwd}/one`, { recursive: true });
    fs.cpSync(two, `${cwd}/two`, { recursive: true });
    expect(jinni({}, ['-l', '--changed', 'one', 'two/src'], { cwd }).stdout).toBe(
      'one/new\none/src/b.py\ntwo/src/b.py\n',
    );
    const { stdout } = jinni({}, ['--changed', '--diff', 'one', 'two/src'], { cwd });
    expect(stdout.match(/^diff --git.*/gm)).toEqual([
      'diff --git a/one/src/b.py b/one/src/b.py',
      'diff --git a/two/src/b.py b/two/src/b.py',
    ]);
  });

  test('says that a word is a path and a commit', () => {
    const cwd = repository();
    makeTree(cwd, { 'v1/x': 'x\n' });
    const { stdout, stderr } = jinni({}, ['-l', '--changed', 'v1'], { cwd });
    expect([stdout, stderr]).toEqual(['v1/x\n', 'Warning: v1 is a path and a commit; --changed=v1 means the commit\n']);
    expect(jinni({}, ['-l', '--changed', 'src'], { cwd }).stderr).toBe('');
  });

  test('does not say that a file is gone which is there', () => {
    const cwd = repository();
    spawnSync('git', ['rm', '-q', '--cached', 'a.txt'], { cwd });
    expect(jinni({}, ['--changed', '--diff'], { cwd }).stdout).not.toContain('deleted');
  });

  test('takes in all of a repository without commits', () => {
    const cwd = makeTempDirectory();
    makeTree(cwd, FILES);
    spawnSync('git', ['init', '-q'], { cwd });
    expect(jinni({}, ['-l', '--changed'], { cwd }).stdout).toBe('a.txt\nsrc/b.py\n');
  });

  test('puts the diff of what it takes in at the head, and of nothing else', () => {
    const { stdout } = jinni({}, ['--changed', '--diff'], { cwd: repository() });
    expect(stdout).toMatch(
      /^```diff\ndiff --git a\/src\/b\.py b\/src\/b\.py\n.*-two\n\+changed\n```\n\n\n```path=new\n/s,
    );
    expect(stdout).not.toContain('A=2');
    expect(jinni({}, ['--diff', 'a.txt'], { cwd: repository() }).stdout).toBe('```path=a.txt\none\n\n```\n');
  });
});

test('ends quietly when nobody reads any more', async () => {
  const cwd = makeTempDirectory();
  makeTree(cwd, { a: 'x\n'.repeat(1_000_000) });
  const child = spawn(process.execPath, [JINNI, '--no-copy'], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk;
  });
  child.stdout.once('data', () => child.stdout.destroy());
  const status = await new Promise((resolve) => child.once('close', resolve));
  expect([status, said]).toEqual([0, '']);
});
