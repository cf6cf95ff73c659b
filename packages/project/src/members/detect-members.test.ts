import fs from 'node:fs';
import { call, makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { detectProject } from '../detect-project.ts';
import { detect, json, packageJson, pick } from '../fixture/detect.ts';

const member = (name: string, more: object = {}) => json({ name, ...more });

test.for([
  ['pnpm', { 'package.json': '{}', 'pnpm-workspace.yaml': 'packages:\n  - "packages/*"\n  - "!packages/skip"\n' }],
  ['pnpm in brackets', { 'pnpm-workspace.yaml': 'packages: [\n  "packages/*",\n  "!packages/skip",\n]\n' }],
  ['npm and yarn', packageJson({ workspaces: ['packages/*', '!packages/skip'] })],
  ['yarn, the older way', packageJson({ workspaces: { packages: ['./packages/*/', '!packages/skip'] } })],
  ['lerna', { 'package.json': '{}', 'lerna.json': json({ packages: ['packages/*', '!packages/skip'] }) }],
  ['bun with braces', packageJson({ workspaces: ['packages/{a,b,empty}'] })],
  ['stars over levels', packageJson({ workspaces: ['**', '!packages/skip'] })],
] as const)('describes the members of a monorepo of %s', async ([, root]) => {
  const answer = await detect({
    ...root,
    'packages/a/package.json': member('@x/a', { description: 'Does a', dependencies: { vue: '3' } }),
    'packages/a/tsconfig.json': '{}',
    'packages/b/package.json': member('@x/b'),
    'packages/b/Cargo.toml': '',
    'packages/b/node_modules/z/package.json': member('z'),
    'packages/skip/package.json': member('skip'),
    'packages/empty/readme.md': '',
  });
  expect(answer.members).toEqual([
    {
      path: 'packages/a',
      name: '@x/a',
      description: 'Does a',
      languages: ['TypeScript'],
      frameworks: ['Vue'],
      config_files: ['tsconfig.json'],
    },
    {
      path: 'packages/b',
      name: '@x/b',
      languages: ['JavaScript', 'Rust'],
      build_tool: 'cargo build',
      test_command: 'cargo test',
      single_test_command: 'cargo test NAME',
      linter: 'cargo clippy',
    },
  ]);
  expect(answer.notes).toEqual([]);
});

test('describes the members of Cargo, Go and uv workspaces', async () => {
  const answer = await detect({
    'Cargo.toml': '[workspace]\nmembers = ["crates/*"]\nexclude = ["crates/old"]\n',
    'crates/one/Cargo.toml': '[package]\nname = "one"\ndescription.workspace = true\n',
    'crates/old/Cargo.toml': '[package]\nname = "old"\n',
    'go.work': 'go 1.22\nuse ./single\nuse (\n\t./svc/a // first\n\t"./svc/b"\n)\n',
    'single/go.mod': 'module example.com/single\n',
    'svc/a/go.mod': 'module example.com/a\n',
    'svc/b/go.mod': 'module example.com/b\n',
    'pyproject.toml': '[tool.uv.workspace]\nmembers = ["py/*"]\n',
    'py/lib/pyproject.toml': '[project]\nname = "lib"\n',
  });
  expect(answer.members.map(({ path }) => path)).toEqual(['crates/one', 'py/lib', 'single', 'svc/a', 'svc/b']);
  expect(answer.members[0]).toMatchObject({ name: 'one', languages: ['Rust'] });
  expect(answer.members[4]).toMatchObject({ name: 'example.com/b', languages: ['Go'] });
  expect(pick(answer)).toEqual([
    'go build ./single/... ./svc/a/... ./svc/b/...',
    'go test ./single/... ./svc/a/... ./svc/b/...',
    'golangci-lint run ./single/... ./svc/a/... ./svc/b/...',
  ]);
  expect((await detect({ 'Cargo.toml': '[workspace]\nmembers = []\n' })).test_command).toBe('cargo test --workspace');
});

test('uses the package manager and tsconfig.json of the project around a member', async () => {
  const files = {
    'pnpm-lock.yaml': '',
    'tsconfig.json': '{}',
    'packages/a/package.json': json({ scripts: { test: 'x' } }),
  };
  const answer = await detect(files, { path: 'packages/a' });
  expect(answer).toMatchObject({
    languages: ['TypeScript'],
    test_command: 'pnpm run test',
    config_files: ['package.json'],
  });
});

const unsupported = (pattern: string) =>
  `package.json: the pattern "${pattern}" is skipped: it has a group such as @(a|b), which is not supported`;

test.for([
  ['../x', 'package.json: the pattern "../x" is skipped: it is outside of the project'],
  ['/etc', 'package.json: the pattern "/etc" is skipped: it is outside of the project'],
  ['a/../../x', 'package.json: the pattern "a/../../x" is skipped: it is outside of the project'],
  ['', 'package.json: the pattern "" is skipped: it is empty'],
  ['*a*a*a*a*a', 'package.json: the pattern "*a*a*a*a*a" is skipped: it has more than 4 stars in one name'],
  ['**/**/**/a', 'package.json: the pattern "**/**/**/a" is skipped: it has more than 2 double stars'],
  ['[a', 'package.json: the pattern "[a" is skipped: it is not a valid glob'],
  ['a\0b', 'package.json: the pattern "a\\u0000b" is skipped: it contains a NUL character'],
  ['a'.repeat(301), `package.json: the pattern "${'a'.repeat(100)}" is skipped: it is longer than 300 characters`],
  ['gone', 'package.json: gone is not a directory'],
  ['link', 'package.json: link is a link, which is not followed'],
  ['link/below', 'package.json: link is a link, which is not followed'],
  ['link.md', 'package.json: link.md is not a directory'],
  ['p/@(a|b)', unsupported('p/@(a|b)')],
  ['!(ok)', unsupported('!(ok)')],
  ['!p/+(a)', unsupported('!p/+(a)')],
  ['p/?(a)/b', unsupported('p/?(a)/b')],
  ['*(a|b/c)', unsupported('*(a|b/c)')],
] as const)('notes a member pattern that is not valid: %s', async ([pattern, note]) => {
  const { members, notes } = await detect({
    ...packageJson({ workspaces: [pattern, 'ok'] }),
    'ok/package.json': '{}',
    link: { symlink: '/etc' },
    'link.md': { symlink: 'ok/package.json' },
  });
  expect(members.map(({ path }) => path)).toEqual(['ok']);
  expect(notes).toEqual([note]);
});

test.for([
  ['a star', packageJson({ workspaces: ['p/*'] }), ['package.json: p/l']],
  ['two stars', { 'pnpm-workspace.yaml': 'packages:\n  - p/**\n' }, ['pnpm-workspace.yaml: p/l']],
  ['braces', packageJson({ workspaces: ['p/{a,l}'] }), ['package.json: p/l']],
  ['a path', { 'go.work': 'use ./p/l\n' }, ['go.work: p/l']],
  ['a star below it', packageJson({ workspaces: ['q/*'] }), ['package.json: q']],
  ['a path elsewhere', packageJson({ workspaces: ['p/a'] }), []],
  ['a star that does not mean it', packageJson({ workspaces: ['p/*', '!p/l'] }), []],
] as const)('notes that it does not follow a link: %s', async ([, root, links]) => {
  const { members, notes } = await detect({
    ...root,
    'p/a/package.json': '{}',
    'p/l': { symlink: '../other' },
    'p/file': { symlink: 'a/package.json' },
    'p/.hidden': { symlink: '../other' },
    q: { symlink: 'p' },
    'other/package.json': '{}',
  });
  expect(members.map(({ path }) => path)).not.toContain('p/l');
  expect(notes).toEqual(links.map((link) => `${link} is a link, which is not followed`));
});

test('names the first links, and says how many more there are', async () => {
  const links = Object.fromEntries(Array.from({ length: 7 }, (_, i) => [`p/l${i}`, { symlink: '../gone' }]));
  const { notes } = await detect({ ...packageJson({ workspaces: ['p/*'] }), ...links });
  expect(notes).toEqual([
    ...[0, 1, 2, 3, 4].map((i) => `package.json: p/l${i} is a link, which is not followed`),
    'package.json: 2 more links are not followed',
  ]);
});

test('notes the links in an Nx workspace that lead to a project', async () => {
  const answer = await detect({
    'nx.json': '{}',
    'apps/web/project.json': '{}',
    web: { symlink: 'apps/web' },
    docs: { symlink: 'apps' },
    etc: { symlink: '/etc' },
    'a.json': { symlink: 'apps/web/project.json' },
  });
  expect(answer.members.map(({ path }) => path)).toEqual(['apps/web']);
  expect(answer.notes).toEqual(['nx.json: web is a link, which is not followed']);
});

test('reads the files of a workspace that has no package.json of its own', async () => {
  const member = { 'p/a/package.json': '{"name":"a"}' };
  const answer = await detect({
    ...member,
    'pnpm-workspace.yaml': 'packages: ["p/*"]',
    'turbo.json': '{"tasks":{"build":{}}}',
  });
  expect(answer).toMatchObject({ package_managers: ['pnpm'], members: [{ path: 'p/a', name: 'a' }] });
  expect(answer.task_runners).toContain('turbo');
  expect((await detect({ 'nx.json': '{' })).notes).toEqual(['nx.json: not valid JSON']);
});

test('lists the members that different files name', async () => {
  const files = {
    ...packageJson({ workspaces: ['web/*'] }),
    'lerna.json': json({ packages: ['libs/*', '!libs/old'] }),
    'yarn.lock': '',
    'web/a/package.json': member('a'),
    'libs/b/package.json': member('b'),
    'libs/old/package.json': member('old'),
  };
  expect((await detect(files)).members.map(({ path }) => path)).toEqual(['libs/b', 'web/a']);
  // pnpm does not read what package.json says.
  const answer = await detect({ ...files, 'pnpm-workspace.yaml': 'packages: [libs/old]' });
  expect(answer.members.map(({ path }) => path)).toEqual(['libs/b', 'libs/old']);
});

test('lists the projects of an Nx workspace by project.json, with their targets', async () => {
  const answer = await detect({
    ...packageJson({ packageManager: 'pnpm@10.1.0' }),
    'nx.json': '{}',
    'tsconfig.base.json': '{}',
    'apps/web/project.json': json({
      name: 'web',
      targets: { build: {}, 'a; b': {} },
      metadata: { description: 'The site' },
    }),
    'apps/web/tsconfig.json': '{}',
    'apps/web/nested/project.json': '{}',
    'libs/shared/ui/project.json': '{ // none\n }',
    'node_modules/x/project.json': '{}',
    '.hidden/x/project.json': '{}',
    'a/b/c/d/e/f/g/h/project.json': '{}',
    'libs/notes/package.json': '{}',
  });
  expect(answer.members).toEqual([
    {
      path: 'apps/web',
      name: 'web',
      description: 'The site',
      languages: ['TypeScript'],
      build_tool: 'npx nx run web:build',
      targets: ['build'],
      config_files: ['tsconfig.json'],
    },
    {
      path: 'libs/shared/ui',
      name: 'ui',
      languages: [],
    },
  ]);
  expect(answer.notes).toEqual([]);
});

test('takes project.json for an Nx project only if there is an nx.json', async () => {
  const files = { 'apps/web/project.json': json({ targets: { test: {} } }), 'pnpm-lock.yaml': '' };
  const path = 'apps/web';
  expect(await detect(files, { path })).toMatchObject({ task_runners: [], scripts: [] });
  expect(await detect({ ...files, 'package.json': '{}' })).toMatchObject({ members: [] });
  expect(await detect({ ...files, 'nx.json': '{}' }, { path })).toMatchObject({
    test_command: 'pnpm exec nx run web:test',
    scripts: ['pnpm exec nx run web:test'],
    package_managers: ['pnpm'],
    task_runners: ['nx'],
  });
});

test('puts no name of an Nx project that a shell interprets into a command', async () => {
  const files = { 'nx.json': '{}', 'project.json': json({ name: 'a; rm -rf ~', targets: { build: {} } }) };
  expect(await detect(files)).toMatchObject({ scripts: [] });
  expect((await detect(files)).build_tool).toBeUndefined();
});

test('searches a bounded number of names for Nx projects, level by level', { tags: 'slow' }, async () => {
  const many = Object.fromEntries(Array.from({ length: 20_001 }, (_, i) => [`apps/a/${i}`, '']));
  const answer = await detect({
    'nx.json': '{}',
    'apps/b/project.json': '{}',
    'apps/z/late/project.json': '{}',
    ...many,
  });
  expect(answer.members.map(({ path }) => path)).toEqual(['apps/b']);
  expect(answer.notes).toEqual(['members are searched for among the first 20000 names only']);
});

test('names a member without a name after its directory', async () => {
  const answer = await detect({
    'deno.json': json({ workspace: ['./one', './two'] }),
    'one/deno.json': '{}',
    'two/deno.json': json({ name: '@x/two' }),
  });
  expect(answer.members.map(({ name }) => name)).toEqual(['one', '@x/two']);
  const { members } = await detect({
    'deno.json': json({ workspace: { members: ['./one'] } }),
    'one/deno.json': '{}',
  });
  expect(members).toMatchObject([{ path: 'one', languages: ['TypeScript'] }]);
});

test.for([
  ['Maven', { 'pom.xml': '<modules>\n<module>a</module><module> b/c </module></modules>' }, 'pom.xml'],
  ['Maven by files', { 'pom.xml': '<module>a/pom.xml</module><module>b\\c/other.xml</module>' }, 'pom.xml'],
  [
    'Gradle',
    { 'settings.gradle.kts': 'includeBuild("x")\ninclude(\n  "a",\n  ":b:c",\n)\nproject("x")\n' },
    'build.gradle',
  ],
  ['Gradle in Groovy', { 'settings.gradle': "include 'a', 'b:c'\nrootProject.name = 'x'\n" }, 'build.gradle.kts'],
  ['a solution', { 'All.sln': 'Project("{F}") = "A", "a\\A.csproj", "{1}"\n"b\\c\\C.csproj"\n' }, 'A.csproj'],
  ['a solution in XML', { 'All.slnx': '<Project Path="a/A.csproj" /><Project Path="b/c/C.csproj" />' }, 'A.csproj'],
  ['an umbrella', { 'mix.exs': 'apps_path: "a"\n' }, 'mix.exs'],
  ['Dart', { 'pubspec.yaml': 'workspace: [a, b/c]' }, 'pubspec.yaml'],
  ['melos', { 'pubspec.yaml': '', 'melos.yaml': 'packages: [a, "b/*"]' }, 'pubspec.yaml'],
] as const)('describes the members of %s', async ([name, root, file]) => {
  const paths = name === 'an umbrella' ? ['a/x', 'a/y'] : ['a', 'b/c'];
  const answer = await detect({ ...root, ...Object.fromEntries(paths.map((path) => [`${path}/${file}`, ''])) });
  expect(answer.members.map(({ path }) => path)).toEqual(paths);
  expect(answer.notes).toEqual([]);
});

test('notes a member that cannot be read', async ({ skip }) => {
  skip(process.getuid?.() === 0, 'root may read everything');
  const files = { ...packageJson({ workspaces: ['a', 'b'] }), 'a/package.json': '{}', 'b/package.json': '{}' };
  const root = makeTempDirectory();
  makeTree(root, files);
  fs.chmodSync(`${root}/a`, 0o000);
  const { ok, result } = await call(detectProject, {}, { root });
  fs.chmodSync(`${root}/a`, 0o700);
  expect(ok).toBe(true);
  expect(JSON.parse(result ?? '')).toMatchObject({ members: [{ path: 'b' }], notes: ['a: permission denied'] });
});

test('uses the package manager of the project around a package of a uv workspace', async () => {
  const files = {
    'uv.lock': '',
    'py/a/pyproject.toml': '',
    'py/b/requirements.txt': '',
  };
  expect((await detect(files, { path: 'py/a' })).package_managers).toEqual(['uv']);
  expect((await detect(files, { path: 'py/b' })).package_managers).toEqual(['pip']);
});

test('takes every named directory for a member, and by a star all but libraries and hidden ones', async () => {
  const member = json({ name: 'm' });
  const paths = [
    'packages/build',
    'packages/node_modules',
    'packages/.h',
    'vendor/foo',
    '.tools/x',
    'deep/a/b',
    'deep/dist/c',
    'deep/build',
  ];
  const files = Object.fromEntries(paths.map((path) => [`${path}/package.json`, member]));
  const workspaces = ['packages/*', 'vendor/foo', '.tools/x', 'deep/**'];
  const { members, notes } = await detect({ ...files, ...packageJson({ workspaces }) });
  expect(members.map(({ path }) => path)).toEqual(['.tools/x', 'deep/a/b', 'packages/build', 'vendor/foo']);
  expect(notes).toEqual([]);
});

test('does not take paths for globs', async () => {
  const files = {
    'go.work': 'use ./a\nuse ./*\nuse ./**\nuse ./b;c\nuse ./a/../../etc\n',
    'a/go.mod': 'module a\n',
    'b;c/go.mod': 'module b\n',
  };
  const { members, notes, build_tool } = await detect(files);
  expect(members.map(({ path }) => path)).toEqual(['a', 'b;c']);
  expect(build_tool).toBe('go build ./a/...');
  expect(notes.toSorted()).toEqual(
    [
      ...['./*', './**', './a/../../etc', './b;c'].map((path) => `go.work: the commands skip the module "${path}"`),
      'go.work: * is not a directory',
      'go.work: ** is not a directory',
      'go.work: the pattern "./a/../../etc" is skipped: it is outside of the project',
    ].toSorted(),
  );
});

test('reads the modules of pom.xml outside of comments, and its name', async () => {
  const { members, notes } = await detect({
    'pom.xml': '<project><!-- <module>old</module> --><modules><module>core</module></modules></project><!--',
    'core/pom.xml': '<parent><artifactId>all</artifactId></parent><artifactId>my-core</artifactId>',
    'old/pom.xml': '',
  });
  expect(members).toMatchObject([{ path: 'core', name: 'my-core' }]);
  expect(notes).toEqual([]);
});

test('takes path dependencies for members of a Rust workspace', async () => {
  const { members } = await detect({
    'Cargo.toml':
      '[package]\nname = "a"\n[workspace]\n[dependencies]\nb = { path = "crates/b" }\nc = { path = "../c" }\n',
    'crates/b/Cargo.toml': '[package]\nname = "b"\n',
  });
  expect(members).toMatchObject([{ path: 'crates/b', name: 'b' }]);
});

test('runs the targets of all Nx projects', async () => {
  const answer = await detect({
    'nx.json': '{}',
    ...packageJson({ devDependencies: { nx: '20', jest: '29' } }),
    'apps/web/project.json': json({ name: 'web', targets: { build: {}, test: {} } }),
    'libs/x/project.json': json({ name: 'x', targets: { lint: {}, test: {} } }),
  });
  expect(pick(answer)).toEqual(['npx nx run-many -t build', 'npx nx run-many -t test', 'npx nx run-many -t lint']);
  expect(answer.scripts).toEqual(['build', 'lint', 'test'].map((target) => `npx nx run-many -t ${target}`));
});
