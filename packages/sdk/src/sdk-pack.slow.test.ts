import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';

const ENV = { ...process.env, NODE_EXTRA_CA_CERTS: process.env['JINN_TEST_CA_CERTS'] };
const PACKAGE = path.resolve(import.meta.dirname, '..');
const TSC = path.resolve(PACKAGE, '../../node_modules/typescript/bin/tsc');
const { name: NAME } = JSON.parse(fs.readFileSync(path.join(PACKAGE, 'package.json'), 'utf8'));
const AGENT = `
import { createJinn, ToolError } from '${NAME}';

await using jinn = createJinn({ root: process.argv[2] ?? '.', sandbox: 'off', history: false });
const { lines } = (await jinn.call('stat_file', { path: 'a.txt' })).data;
await jinn.call('edit_file', { path: 'a.txt', old_text: 'one', new_text: 'two' });
const { text } = await jinn.call('search_replace', { pattern: 't(w)o', replacement: '$1', files: 'a.txt', dry_run: true });
const fault = await jinn.call('read_file', { path: '../x' }).catch((error: unknown) => error);
const outline = await jinn.call('read_file', { path: 'b.ts', outline: true });
console.log(JSON.stringify([lines, text.includes('+w'), fault instanceof ToolError && fault.code, outline.text.includes('Engine')]));
`;

test('npm pack gives a library that a fresh project can check and run', { timeout: 300_000 }, () => {
  const directory = makeTempDirectory();
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { cwd: directory, encoding: 'utf8', env: ENV, timeout: 240_000 });
  const [packed] = JSON.parse(run('npm', 'pack', '--loglevel=error', PACKAGE, '--json')) as [
    { filename: string; files: { path: string }[] },
  ];
  const names = packed.files.map((file) => file.path);
  expect(names).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'dist/index.js', 'dist/index.d.ts']));
  expect(names.filter((name) => name.startsWith('src'))).toEqual([]);

  const write = (name: string, text: string) => fs.writeFileSync(path.join(directory, name), text);
  write('package.json', '{ "private": true, "type": "module" }');
  run('npm', 'install', '--loglevel=error', '--ignore-scripts', packed.filename);
  write('agent.ts', AGENT);
  write('a.txt', 'one\n');
  write('b.ts', 'export class Engine {}\n');
  const types = path.resolve(PACKAGE, '../../node_modules/@types');
  const settings = ['--target', 'es2022', '--lib', 'es2022,esnext.disposable', '--module', 'nodenext', '--strict'];
  run(process.execPath, TSC, ...settings, '--typeRoots', types, '--types', 'node', '--outDir', 'out', 'agent.ts');
  expect(JSON.parse(run(process.execPath, 'out/agent.js'))).toEqual([1, true, 'path_outside_sandbox', true]);

  // An error shows a line of code, and what threw it, by the names of the sources.
  write('fails.mjs', `import { createJinn } from '${NAME}'; createJinn({ root: '.', readonly: true });`);
  const failed = (...flags: string[]) =>
    spawnSync(process.execPath, [...flags, 'fails.mjs'], { cwd: directory, encoding: 'utf8' }).stderr;
  expect(failed()).toMatch(
    /^file:.*\n[^\n]{0,120}\n\s*\^\n\nToolError: .*"readonly".*at invalidArgs .*at createJinn .*fails\.mjs:1/s,
  );
  expect(failed('--enable-source-maps')).toMatch(/at createJinn \(.*\/packages\/sdk\/src\/create-jinn\.ts:\d+/);
});
