import { call, makeTempDirectory, makeTree } from '@jinn/testkit';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { detectProject } from '../detect-project.ts';
import { detect, packageJson } from '../fixture/detect.ts';

test('puts no path into a command that a shell would take apart', async () => {
  const answer = await detect({ 'go.work': 'use (\n\t./ok\n\t"./a; rm -rf ~"\n\t./$HOME\n)\n', 'ok/go.mod': '' });
  expect(answer.test_command).toBe('go test ./ok/...');
});

test.for([
  ['broken JSON', 'package.json', '{', 'package.json: not valid JSON'],
  ['a list for a table', 'package.json', '[]', 'package.json: is not a table of keys and values'],
  ['null', 'package.json', 'null', 'package.json: is not a table of keys and values'],
  ['scripts as a number', 'package.json', '{"scripts":5}', 'package.json: scripts is not a table of keys and values'],
  ['a name that is a list', 'package.json', '{"name":[]}', 'package.json: name is not a string'],
  ['workspaces of numbers', 'package.json', '{"workspaces":[1]}', 'package.json: workspaces is not a list of strings'],
  ['deep nesting', 'package.json', '{"a":'.repeat(100_000), 'package.json: not valid JSON'],
  ['a huge file', 'package.json', ' '.repeat(1024 * 1024 + 1), 'package.json: larger than 1024 KB, and not read'],
  ['broken TOML', 'Cargo.toml', '[', 'Cargo.toml: not valid TOML'],
  ['deep TOML', 'Cargo.toml', `a = ${'['.repeat(50_000)}`, 'Cargo.toml: not valid TOML'],
  [
    'dependencies as a list',
    'Cargo.toml',
    'dependencies = []',
    'Cargo.toml: dependencies is not a table of keys and values',
  ],
  ['broken YAML', 'Taskfile.yml', 'a: [', 'Taskfile.yml: not valid YAML'],
  ['broken YAML with brackets', 'Taskfile.yml', 'a: [\n]\n]\n', 'Taskfile.yml: not valid YAML'],
  ['a merge of no table', 'Taskfile.yml', '<<: [1]\n', 'Taskfile.yml: not valid YAML'],
  ['deep YAML', 'Taskfile.yml', '['.repeat(50_000), 'Taskfile.yml: not valid YAML'],
  ['tasks as a list', 'Taskfile.yml', 'tasks: [a]', 'Taskfile.yml: tasks is not a table of keys and values'],
  ['garbage', 'go.work', 'go 1.22\n\n<html>\n', 'go.work: line 3 is not valid'],
  ['garbage', 'Makefile', 'hello world\n', 'Makefile: nothing in it is a rule or a setting'],
  ['garbage', 'justfile', 'hello world\n', 'justfile: nothing in it is a rule or a setting'],
  ['no text', 'Makefile', 'a:\0', 'Makefile: not text in UTF-8'],
  ['a FIFO', 'package.json', { fifo: true }, 'package.json: not a regular file'],
  [
    'a link that leads out',
    'package.json',
    { symlink: '/etc/hostname' },
    'package.json: a link that cannot be followed',
  ],
  ['a dangling link', 'package.json', { symlink: 'nope' }, 'package.json: a link that cannot be followed'],
] as const)('notes %s, and does not fail', async ([, name, content, note]) => {
  const answer = await detect({ [name]: content, 'go.mod': '' });
  expect(answer.notes).toEqual([note]);
  expect(answer.languages[0]).toBe('Go');
});

test('does not take a key of a prototype for a key of the manifest', async () => {
  const hostile =
    '{"__proto__":{"scripts":{"test":"x"}},"scripts":{"__proto__":{"build":"x"}},"dependencies":{"constructor":"1"}}';
  const answer = await detect({
    'package.json': hostile,
    'pyproject.toml': '[__proto__]\na = 1\n[project.constructor]\n',
  });
  const notes = ['package.json: scripts.__proto__ is not a string'];
  expect([answer.build_tool, answer.frameworks, answer.notes]).toEqual(['pip install .', [], notes]);
});

const MANIFESTS = [
  'package.json composer.json deno.json turbo.json nx.json lerna.json Cargo.toml pyproject.toml Pipfile pnpm-workspace.yaml Taskfile.yml',
  'go.mod go.work Makefile justfile Gemfile requirements.txt pom.xml',
]
  .join(' ')
  .split(' ');

const KEYS = [
  'scripts workspaces packages dependencies name description packageManager tasks targetDefaults workspace members exclude project',
  'tool poetry uv group require package dependency-groups __proto__ constructor toString build test lint a',
]
  .join(' ')
  .split(' ');

const hostileValue = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, -1, '', '../..', '**', '[', '/', 'a'.repeat(5_000), '\u0000', '*'),
    fc.string(),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...KEYS), tie('value'), { maxKeys: 6, noNullPrototype: true }),
  ),
})).value;

/** Real text with some of it taken away, doubled, or replaced. */
const hostileText = fc.oneof(
  hostileValue.map((value) => JSON.stringify(value)),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc
    .array(
      fc.constantFrom(
        ...KEYS,
        '=',
        ':',
        '[',
        ']',
        '{',
        '}',
        '"',
        "'",
        '\n',
        '\n  ',
        ' ',
        '- ',
        '#',
        '&a',
        '*a',
        '|',
        '(',
        'use',
        '//',
        ',',
      ),
      {
        maxLength: 60,
      },
    )
    .map((parts) => parts.join('')),
);

test('answers with a document without null, whatever manifests contain', async () => {
  const root = makeTempDirectory();
  const manifests = fc.dictionary(fc.constantFrom(...MANIFESTS), hostileText, { minKeys: 1, noNullPrototype: true });
  await fc.assert(
    fc.asyncProperty(manifests, async (files) => {
      makeTree(root, { ...Object.fromEntries(MANIFESTS.map((name) => [name, ''])), ...files });
      const answer = await call(detectProject, {}, { root });
      expect(answer).toMatchObject({ ok: true });
      const data = JSON.parse(answer.result ?? '', (_, value) => {
        if (value === null) throw new Error('null in the answer');
        return value;
      });
      for (const command of [...(data.scripts ?? []), data.build_tool, data.test_command, data.linter]) {
        expect(command ?? '').toMatch(/^[\w@:./+ -]*( && cmake --build build)?$/);
      }
      expect(data.single_test_command ?? '').toMatch(/^[\w@:./+ '^$=#-]*$/);
    }),
    { numRuns: 150 / inject('runsDivisor') },
  );
});

test.for([
  ['Makefile', `${' '.repeat(1_000_000)}x`],
  ['Makefile', 'a '.repeat(500_000)],
  ['justfile', `a ${'x '.repeat(500_000)}`],
  ['justfile', 'a\n'.repeat(500_000)],
  ['go.mod', `require ${' '.repeat(1_000_000)}`],
  ['go.mod', '\n( '.repeat(300_000)],
  ['go.work', 'use('.repeat(250_000)],
  ['Gemfile', 'gem ('.repeat(200_000)],
  ['requirements.txt', `a${'.'.repeat(1_000_000)}`],
  ['turbo.json', `{${'/*'.repeat(500_000)}`],
  ['turbo.json', `[${', '.repeat(500_000)}`],
  ['package.json', `{"packageManager":"${'pnpm'.repeat(250_000)}"}`],
  ['Cargo.toml', 'a.'.repeat(400_000)],
  ['pyproject.toml', `a = ${'"'.repeat(1_000_000)}`],
  ['Taskfile.yml', '&a '.repeat(80_000)],
  ['Taskfile.yml', `a: [\n${' \n'.repeat(100_000)}\t`],
  ['Taskfile.yml', `a: [${' '.repeat(250_000)}\n  `],
  ['Taskfile.yml', ']\n'.repeat(120_000)],
  ['Taskfile.yml', `a: &a {${Array.from({ length: 9_000 }, (_, i) => `b${i}: c`)}}\n${'? {<<: *a}\n'.repeat(5_000)}`],
  ['Makefile', '\\'.repeat(1_000_000)],
  ['Makefile', 'a \\\n'.repeat(200_000)],
  ['justfile', `a := "${'\\"'.repeat(500_000)}`],
  ['justfile', "'''\n".repeat(250_001)],
  ['justfile', `${"''".repeat(500_000)}\n`],
  ['Taskfile.yml', `${'- '.repeat(60)}${'? '.repeat(100_000)}`],
  ['Taskfile.yml', Array.from({ length: 8_000 }, (_, i) => `a${i}: &a${i} [*a${Math.max(0, i - 1)}, *a0]`).join('\n')],
] as const)('reads a hostile %s in bounded time', { timeout: 10_000 }, async ([name, content]) => {
  await detect({ 'package.json': '{}', 'Cargo.toml': '', [name]: content });
});

test('notes a go.mod that is not valid', async () => {
  const { languages, notes } = await detect({ 'go.mod': 'module x\nrequire (\n\tanything v1\n)\n{"a": 1}\n<html>\n' });
  expect({ languages, notes }).toEqual({ languages: ['Go'], notes: ['go.mod: line 5 is not valid'] });
  const good = '// x\nmodule (\n\tx\n)\ngo 1.22\nretract [v1.0.0, v1.1.0] // x\nreplace a => ../a\ntool (\n\tb\n)\n';
  expect((await detect({ 'go.mod': good })).notes).toEqual([]);
});

test.for([
  ['Makefile', '# x\n-include a.mk\n'],
  ['Makefile', 'ifdef X\nY = 1\nendif\n'],
  ['justfile', 'set quiet\n'],
  ['justfile', "import 'a.just'\nmod b\n"],
  ['justfile', 'x := "y"\n'],
  ['justfile', '_own:\n  x\n'],
  ['justfile', '[private]\n'],
] as const)('accepts a %s without tasks', async ([name, content]) => {
  expect(await detect({ [name]: content })).toMatchObject({ scripts: [], notes: [] });
});

test.for([
  ['a FIFO', { fifo: true }, 'not a regular file'],
  ['a link to a FIFO', { symlink: 'pipe' }, 'not a regular file'],
  ['a link that leads out', { symlink: '/etc/hostname' }, 'a link that cannot be followed'],
] as const)('notes %s and finds nothing in it, whatever its name', async ([, entry, note]) => {
  const answer = await detect({
    pipe: { fifo: true },
    'go.mod': entry,
    'Cargo.lock': entry,
    '.cargo/config.toml': 'symlink' in entry && entry.symlink === 'pipe' ? { symlink: '../pipe' } : entry,
  });
  expect(answer).toMatchObject({ languages: [], config_files: [], package_managers: [] });
  expect(answer.notes.toSorted()).toEqual(
    ['.cargo/config.toml', 'Cargo.lock', 'go.mod'].map((name) => `${name}: ${note}`),
  );
});

test('does not look into a link to a directory of configuration', async () => {
  const { config_files, notes } = await detect({
    ...{ '.cargo': { symlink: 'real' }, 'real/config.toml': '', requirements: { symlink: '/etc' } },
    ...{ '.github/workflows': { symlink: '../flows' }, 'flows/ci.yml': '', '.devcontainer/l': { symlink: '../real' } },
    ...{
      '.devcontainer/x.sh': { symlink: '../flows/ci.yml' },
      '.devcontainer/Dockerfile': { symlink: '/etc/hostname' },
    },
    ...{ '.mvn': { symlink: 'package.json' }, '.config': '' },
    ...packageJson({ workspaces: ['m'] }),
    'm/package.json': '{}',
    'm/gradle': { symlink: '../real' },
  });
  expect(config_files).toEqual(['package.json']);
  const links = ['.cargo', '.devcontainer/l', '.github/workflows', 'requirements', 'm/gradle'];
  expect(notes.toSorted()).toEqual(
    [
      ...links.map((link) => `${link}: a link, which is not followed`),
      '.devcontainer/Dockerfile: a link that cannot be followed',
    ].toSorted(),
  );
});

test('puts no name of a file into a command that takes it for an option', async () => {
  const answer = await detect({ '-x.gemspec': '', '--requirements.txt': '', Gemfile: { fifo: true } });
  expect(answer.languages).toEqual(['Python', 'Ruby']);
  expect(answer.build_tool).toBeUndefined();
});

test('bounds the requirements files that it reads, and the files of a nested directory that it lists', async () => {
  const names = Array.from({ length: 101 }, (_, i) => `requirements/${1000 + i}.txt`);
  const files = Object.fromEntries(names.map((name, i) => [name, i < 20 ? 'flask\n' : 'django\n']));
  const answer = await detect({ ...files });
  expect(answer).toMatchObject({ config_files: names.slice(0, 100), frameworks: ['Flask'] });
  expect(answer.notes).toEqual([
    'requirements: 100 of its 101 config files are listed',
    'requirements: 20 of 100 files are read',
  ]);
});

test.for(['requirements', 'a-requirements', 'compose.', 'tsconfig.', '.a', 'a.config.', 'Dockerfile'])(
  'takes no time for a name that almost is one of %s',
  async (start) => {
    const names = ['-', '_', '.', 'a', '-a', '.a', '-_'].map((end) => `${start}${end.repeat(90)}!`);
    expect((await detect(Object.fromEntries(names.map((name) => [name, ''])))).config_files).toEqual([]);
  },
);

test('matches globs that match a name in many ways in bounded time', async () => {
  const name = 'a'.repeat(120);
  const workspaces = [
    ...['(a+)+b', '(a|a)+b', '?????(a|aa)+b', `${'[a]+'.repeat(8)}b`, '{a+}+{a,aa}+b', '*a*a*a*ab'],
    `${'{a,aa}'.repeat(40)}b`,
  ];
  const patterns = workspaces.map((glob) => `packages/${glob}`);
  const { members, notes } = await detect({
    [`packages/${name}/package.json`]: '{}',
    ...packageJson({ workspaces: patterns }),
  });
  expect(members).toEqual([]);
  expect(notes).toEqual([
    expect.stringContaining('it has a group such as @(a|b)'),
    expect.stringContaining('it has more than 2 braces in one name'),
  ]);
});

test('bounds what it reads of all members together', { tags: 'slow' }, async () => {
  const large = `{"scripts":{${Array.from({ length: 50_000 }, (_, i) => `"a${i}":"x"`).join(',')}},"name":"n"}`;
  const files = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`packages/p${10 + i}/package.json`, large]));
  const { members, notes } = await detect({ ...files, ...packageJson({ workspaces: ['packages/*'] }) });
  expect(members).toHaveLength(20);
  expect(members.filter(({ name }) => name === 'n')).toHaveLength(Math.floor((8 * 1024 * 1024) / large.length) + 1);
  expect(notes).toEqual(["only 8 MB of the members' manifests are read"]);
});

test('bounds the config files that it lists, of the project and of each member', async () => {
  const names = (count: number, path: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`${path}a${10_000 + i}.config.js`, '']));
  const answer = await detect({
    ...names(1_001, ''),
    ...names(51, 'm/'),
    'm/package.json': '{}',
    ...packageJson({ workspaces: ['m'] }),
  });
  expect(answer.config_files).toHaveLength(1_000);
  expect(answer.languages).toEqual(['JavaScript']);
  expect(answer.members).toMatchObject([{ config_files: { length: 50 } }]);
  expect(answer.notes).toEqual([
    'm: it has 51 config files, and 50 are listed',
    'the project: it has 1002 config files, and 1000 are listed',
  ]);
});
