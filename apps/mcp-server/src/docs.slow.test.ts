import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import { scriptText } from '../../../scripts/script-text.mjs';
import { PROGRAM } from './fixture/connect.ts';
import { setEntry } from './install/config-file.ts';
import { HOSTS, mergeEntry, toLaunch } from './install/hosts.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const PAGES = path.join(ROOT, 'docs/integrations');
const JINN = path.join(ROOT, 'apps/jinn/dist/jinn.cjs');

/** The blocks of code in one language of a page. */
function blocksOf(page: string, language: string): string[] {
  const text = fs.readFileSync(path.join(PAGES, page), 'utf8');
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    .filter(([, name]) => name === language)
    .map(([, , code]) => code as string);
}

/** A project with the two programs on the PATH, as a reader of the page has it. */
function makeProject() {
  const home = makeTempDirectory();
  makeTree(home, { 'bin/': '', 'project/README.md': 'old text\n', 'project/src/main.ts': 'export {};\n' });
  fs.symlinkSync(JINN, `${home}/bin/jinn`);
  fs.symlinkSync(PROGRAM, `${home}/bin/jinn-mcp`);
  const env = { PATH: `${home}/bin:${process.env['PATH']}`, HOME: home, GOCACHE: `${home}/go`, GOFLAGS: '-mod=mod' };
  return { cwd: `${home}/project`, env };
}

function run({ cwd, env }: ReturnType<typeof makeProject>, command: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8', timeout: 60_000 });
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
}

const isThere = (command: string, ...args: string[]) => spawnSync(command, args).status === 0;

function expectWorked(output: string, project: ReturnType<typeof makeProject>): void {
  expect(output).toContain('one new line');
  expect(output).toContain('src/main.ts');
  expectUntouched(project);
}

/** The code of a page leaves the files of who tries it as they are. */
function expectUntouched({ cwd }: ReturnType<typeof makeProject>): void {
  expect(fs.readdirSync(cwd).sort()).toEqual(['README.md', 'src']);
  expect(fs.readFileSync(`${cwd}/README.md`, 'utf8')).toBe('old text\n');
}

test.skipIf(!isThere('python3', '--version'))('the code of the page for Python runs', () => {
  const project = makeProject();
  const [code = ''] = blocksOf('python.md', 'python');
  expectWorked(run(project, 'python3', '-c', code), project);
});

test('the code of the page for TypeScript runs', async () => {
  const [session = '', mcp = '', ...more] = blocksOf('typescript.md', 'ts');
  expect(more).toEqual([]);
  const project = makeProject();
  expectWorked(run(project, process.execPath, await compile(session)), project);
  const listed = run(project, process.execPath, await compile(mcp));
  expect(listed).toContain("'read_file'");
  expect(listed).not.toContain("'write_file'");
  expect(listed).toContain('old text');
});

/** As a bundler of the reader would: the packages are those of this app. */
async function compile(code: string): Promise<string> {
  const directory = makeTempDirectory();
  const input = path.join(import.meta.dirname, 'page.ts');
  const bundle = await rolldown({
    input,
    platform: 'node',
    plugins: [
      scriptText(),
      {
        name: 'page',
        load: (id) => (id === input ? code : undefined),
        resolveId: (id) => (id === input ? id : undefined),
      },
    ],
  });
  await bundle.write({ file: `${directory}/page.mjs`, format: 'esm', codeSplitting: false });
  return `${directory}/page.mjs`;
}

test.skipIf(!isThere('go', 'version'))('the code of the page for Go runs', { timeout: 120_000 }, () => {
  const project = makeProject();
  const [code = ''] = blocksOf('go.md', 'go');
  const source = `${makeTempDirectory()}/main.go`;
  fs.writeFileSync(source, code);
  expectWorked(run(project, 'go', 'run', source), project);
});

test('the code of the page for shells runs', () => {
  const project = makeProject();
  const [once = '', many = '', session = '', mcp = '', ...more] = blocksOf('shell.md', 'bash');
  expect(more).toEqual([]);
  const answers = run(project, 'bash', '-c', once).trimEnd().split('\n');
  expect(answers.map((line) => line.replace(/^refused: /, '')).map((line) => JSON.parse(line).ok)).toEqual([
    true,
    true,
    true,
    false,
  ]);
  expectUntouched(project);
  for (const code of [many, session]) {
    const lines = run(project, 'bash', '-c', code).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).ok)).toEqual([true, true]);
  }
  const replies = run(project, 'bash', '-c', mcp).trimEnd().split('\n');
  expect(replies.map((line) => JSON.parse(line).id)).toEqual([1, 2]);
  expect(replies[1]).toContain('main.ts');
});

test.each(Object.entries(HOSTS))('the page for %s has the exact file', (name, host) => {
  const page = fs.readFileSync(path.join(PAGES, `${name}.md`), 'utf8');
  const launch = toLaunch(host, { command: 'jinn-mcp', args: [] }, '/path/to/project');
  expect(blocksOf(`${name}.md`, host.format)[0]?.trimEnd()).toBe(
    setEntry('', host, mergeEntry(host, host.entry(launch), undefined)).trimEnd(),
  );
  const files = host.files({ home: '~', config: '~/.config', desktop: '~/.config', root: '.' });
  for (const file of files) expect(page).toContain(`\`${file.replace(/^\.\//, '')}\``);
  expect(page).toContain(`jinn-mcp install ${name} `);
});

test('every page is in the list of pages', () => {
  const list = fs.readFileSync(path.join(PAGES, 'README.md'), 'utf8');
  const linked = [...list.matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, file]) => file as string);
  expect(linked.sort()).toEqual(
    fs
      .readdirSync(PAGES)
      .filter((file) => file !== 'README.md')
      .sort(),
  );
});
