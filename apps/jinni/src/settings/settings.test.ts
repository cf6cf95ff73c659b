import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { settingsAsFlags } from './settings-as-flags.ts';
import { settingsSchema } from './settings-schema.ts';

const JINNI = path.resolve(import.meta.dirname, '../../dist/jinni.cjs');

function jinni(cwd: string, ...argv: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [JINNI, '--no-copy', ...argv], {
    cwd,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

const SOURCE = '// about\nexport function start(port: number): void {\n  listen(port);\n\n  wait(port);\n}\n';

test('--init writes settings that jinni takes, and replaces none', () => {
  const cwd = makeTempDirectory();
  makeTree(cwd, { 'a.ts': SOURCE });
  expect(jinni(cwd, '--init')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('jinni.config.json was written'),
  });
  const before = fs.readFileSync(`${cwd}/jinni.config.json`, 'utf8');
  expect(jinni(cwd, '--profile', 'review').stdout).toContain('```tree\n');
  expect(jinni(cwd, '--init')).toMatchObject({ status: 1, stderr: expect.stringContaining('is there already') });
  expect(fs.readFileSync(`${cwd}/jinni.config.json`, 'utf8')).toBe(before);
});

test('--init follows no link', () => {
  const cwd = makeTempDirectory();
  makeTree(cwd, { '.profile': 'mine', 'ws/': '' });
  for (const target of ['../.profile', '../.bash_login']) {
    fs.symlinkSync(target, `${cwd}/ws/jinni.config.json`);
    expect(jinni(`${cwd}/ws`, '--init')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('is there already'),
    });
    fs.unlinkSync(`${cwd}/ws/jinni.config.json`);
  }
  expect([fs.readdirSync(cwd).sort(), fs.readFileSync(`${cwd}/.profile`, 'utf8')]).toEqual([
    ['.profile', 'ws'],
    'mine',
  ]);
});

test('--schema describes every setting, and each value that it gives is taken', async () => {
  const schema = JSON.parse(jinni(makeTempDirectory(), '--schema').stdout);
  expect(schema).toEqual(JSON.parse(settingsSchema()));
  const { $schema, profiles, ...settings } = schema.properties;
  expect($schema).toEqual({ type: 'string' });
  const exampleOf = ({ type, enum: names, anyOf }: { type?: string; enum?: string[]; anyOf?: unknown[] }) => {
    if (names) return names[0];
    if (anyOf) return ['a'];
    return { boolean: true, integer: 1_000, string: 'a', object: { '*.ts': 'outline' } }[type ?? ''];
  };
  const values = Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, exampleOf(value as { type?: string })]),
  );
  const text = JSON.stringify({ $schema: './x.json', ...values, profiles: { one: values } });
  const cwd = makeTempDirectory();
  makeTree(cwd, { 'jinni.config.json': text.replaceAll('"not-in":["a"]', '"not-in":["a:b"]'), 'a.ts': SOURCE });
  expect(jinni(cwd, '-l', '--profile=one')).toMatchObject({ status: 0 });
  await expect(settingsAsFlags({ kind: 'json', content: Buffer.from('{"levels": ["a"]}') }, undefined)).rejects.toThrow(
    'levels',
  );
});

test('a level per glob, of which the last counts', () => {
  const cwd = makeTempDirectory();
  const levels = { '**': 'outline', 'src/*': 'compress', 'src/whole.ts': 'whole' };
  makeTree(cwd, {
    'jinni.config.json': JSON.stringify({ levels }),
    'x.ts': SOURCE,
    'src/a.ts': SOURCE,
    'src/whole.ts': SOURCE,
  });
  const { stdout } = jinni(cwd, 'x.ts', 'src');
  expect(stdout).toContain('```path=x.ts\n[outline: 1 symbol');
  expect(stdout).toContain('```path=src/a.ts\n// about\nexport function start(port: number): void { … }\n');
  expect(stdout).toContain(`\`\`\`path=src/whole.ts\n${SOURCE}`);
  const flags = jinni(cwd, '--ignore-config', '--compress', '--level', 'src/**:whole', 'x.ts', 'src/a.ts').stdout;
  expect(flags).toContain('```path=x.ts\n// about\nexport function start(port: number): void { … }\n');
  expect(flags).toContain(`\`\`\`path=src/a.ts\n${SOURCE}`);
  for (const level of ['src', ':whole', 'src:half']) {
    expect(jinni(cwd, '--ignore-config', `--level=${level}`)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--level takes'),
    });
  }
});

test('comments and empty lines are removed where there is a syntax tree, and it is told where not', () => {
  const cwd = makeTempDirectory();
  makeTree(cwd, {
    'a.ts': SOURCE,
    'b.txt': '// stays\n\n',
    'c.unknown': 'x\n',
    'd.unknown': 'x\n',
    'e.unknown': 'x\n',
  });
  const { stdout, stderr } = jinni(cwd, '--remove-comments', '--remove-empty-lines');
  expect(stdout).toContain(
    'path=a.ts\nexport function start(port: number): void {\n  listen(port);\n  wait(port);\n}\n',
  );
  expect(stdout).toContain('path=b.txt\n// stays\n\n');
  expect(stderr).toContain(
    'Warning: nothing was removed of b.txt, c.unknown, d.unknown, and of 1 more: there is no syntax tree of them\n',
  );
  const budget = jinni(cwd, '--remove-comments', '--max-tokens', '500', 'a.ts');
  expect(budget.stdout).toContain('path=a.ts\nexport function');
  expect(jinni(cwd, '--remove-comments', '-l', 'a.ts').stderr).toContain('--remove-comments: without effect on a list');
});

test('tokens are counted by the encoding that is asked for', { tags: 'slow' }, () => {
  const cwd = makeTempDirectory();
  makeTree(cwd, { 'a.txt': 'お誕生日おめでとう' });
  const count = (mode: string) => jinni(cwd, '-L', '--tokens', mode).stdout.split('\n')[0];
  // The numbers are those that OpenAI gives for its own tokenizer.
  expect(['exact', 'o200k', 'cl100k', 'cl100k_base', 'p50k', 'r50k'].map(count)).toEqual(
    [8, 8, 9, 9, 14, 14].map((tokens) => `a.txt: ${tokens} tokens`),
  );
  expect(jinni(cwd, '--tokens', 'gpt2')).toMatchObject({ status: 2 });
});

test('help is help, unless there is a file of that name', () => {
  const cwd = makeTempDirectory();
  expect(jinni(cwd, 'help').stdout).toBe(jinni(cwd, '--help').stdout);
  expect(jinni(cwd, '-v').stdout).toBe(jinni(cwd, '--version').stdout);
  makeTree(cwd, { help: 'a file\n' });
  expect(jinni(cwd, 'help').stdout).toContain('a file');
});
