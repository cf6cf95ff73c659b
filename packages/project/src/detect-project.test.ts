import { type CallOptions, call, makeTempDirectory, makeTree } from '@jinn/testkit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { detectProject } from './detect-project.ts';

type Files = NonNullable<CallOptions['files']>;

interface Answer {
  readonly languages: readonly string[];
  readonly build_tool?: string;
  readonly test_command?: string;
  readonly linter?: string;
  readonly config_files: readonly string[];
  readonly frameworks: readonly string[];
  readonly package_managers: readonly string[];
  readonly task_runners: readonly string[];
  readonly scripts: readonly string[];
  readonly members: readonly { readonly path: string; readonly languages: readonly string[] }[];
  readonly notes: readonly string[];
}

async function detect(files: Files, args: object = {}): Promise<Answer> {
  const { ok, result, error } = await call(detectProject, args, { files });
  if (!ok) throw new Error(error);
  return JSON.parse(result ?? '');
}

const json = (value: unknown) => JSON.stringify(value);
const packageJson = (value: object) => ({ 'package.json': json(value) });
const pick = ({ build_tool, test_command, linter }: Answer) => [build_tool, test_command, linter];

test('an empty directory has no null in its answer', async () => {
  expect(await detect({})).toEqual({
    languages: [],
    config_files: [],
    frameworks: [],
    package_managers: [],
    task_runners: [],
    scripts: [],
    members: [],
    notes: [],
  });
});

test.for([
  ['go.mod', 'Go', ['go build ./...', 'go test ./...', 'golangci-lint run']],
  ['package.json', 'JavaScript', [undefined, undefined, undefined]],
  ['bun.lockb', 'TypeScript', ['bun install', 'bun test', undefined]],
  ['Cargo.toml', 'Rust', ['cargo build', 'cargo test', 'cargo clippy']],
  ['pyproject.toml', 'Python', ['pip install .', 'pytest', undefined]],
  ['setup.py', 'Python', ['pip install .', 'pytest', undefined]],
  ['requirements.txt', 'Python', ['pip install -r requirements.txt', 'pytest', undefined]],
  ['composer.json', 'PHP', ['composer install', 'vendor/bin/phpunit', undefined]],
  ['Makefile', undefined, ['make', undefined, undefined]],
  ['Taskfile.yml', undefined, ['task', undefined, undefined]],
  ['Gemfile', 'Ruby', ['bundle install', undefined, undefined]],
  ['pom.xml', 'Java', ['mvn package', 'mvn test', undefined]],
  ['build.gradle.kts', 'Java', ['gradle build', 'gradle test', undefined]],
  ['mix.exs', 'Elixir', ['mix compile', 'mix test', undefined]],
  ['Package.swift', 'Swift', ['swift build', 'swift test', undefined]],
  ['pubspec.yaml', 'Dart', ['dart pub get', 'dart test', 'dart analyze']],
  ['App.csproj', 'C#', ['dotnet build', 'dotnet test', undefined]],
  ['deno.json', 'TypeScript', [undefined, 'deno test', 'deno lint']],
  ['build.zig', 'Zig', ['zig build', 'zig build test', undefined]],
  ['CMakeLists.txt', 'C++', ['cmake -B build && cmake --build build', undefined, undefined]],
] as const)('%s, empty, is a marker', async ([file, language, commands]) => {
  const content = file === 'package.json' || file === 'composer.json' || file === 'deno.json' ? '{}' : '';
  const answer = await detect({ [file]: content });
  expect(answer.languages).toEqual(language === undefined ? [] : [language]);
  expect(answer.config_files).toEqual([file]);
  expect(pick(answer)).toEqual(commands);
  expect(answer.notes).toEqual([]);
});

test('names every language once, in the order of the markers, and takes the commands of the first', async () => {
  const files = {
    'go.mod': 'module x\n',
    'package.json': '{}',
    'tsconfig.json': '{}',
    'Cargo.toml': '',
    'pyproject.toml': '',
    'setup.py': '',
    'requirements.txt': '',
  };
  const answer = await detect(files);
  expect(answer.languages).toEqual(['Go', 'TypeScript', 'Rust', 'Python']);
  expect(pick(answer)).toEqual(['go build ./...', 'go test ./...', 'golangci-lint run']);
});

test('lists all config files and nothing else', async () => {
  const config = [
    '.editorconfig',
    '.eslintrc.cjs',
    '.golangci.yml',
    '.pre-commit-config.yaml',
    '.prettierrc',
    'Dockerfile',
    'docker-compose.dev.yml',
    'eslint.config.mjs',
    'go.mod',
    'go.sum',
    'requirements-dev.txt',
    'tsconfig.build.json',
    'vite.config.ts',
  ];
  const others = ['main.go', 'README.md', '.env', '.env.local', '.gitignore', 'sub/go.mod', 'config.ts', 'notes.txt'];
  const files = Object.fromEntries([...config, ...others].map((name) => [name, '']));
  expect((await detect({ ...files, 'Makefile/': '' })).config_files).toEqual(config.toSorted());
});

test.for([
  ['package-lock.json', 'npm', 'npm run build'],
  ['npm-shrinkwrap.json', 'npm', 'npm run build'],
  ['pnpm-lock.yaml', 'pnpm', 'pnpm run build'],
  ['yarn.lock', 'yarn', 'yarn run build'],
  ['bun.lock', 'bun', 'bun run build'],
  ['bun.lockb', 'bun', 'bun run build'],
] as const)('%s shows %s', async ([lock, manager, build]) => {
  const answer = await detect({ ...packageJson({ scripts: { build: 'x' } }), [lock]: '' });
  expect(answer.package_managers).toEqual([manager]);
  expect(answer.build_tool).toBe(build);
});

test('packageManager goes before lock files, and a second one is noted', async () => {
  const answer = await detect({
    ...packageJson({ packageManager: 'pnpm@10.1.0', scripts: { test: 'x' } }),
    'yarn.lock': '',
  });
  expect(answer.test_command).toBe('pnpm run test');
  expect(answer.notes).toEqual(['package.json: there are lock files of yarn too; taken for pnpm']);
});

test('gives scripts that exist, and no guesses', async () => {
  const scripts = { build: 'tsc', lint: 'eslint .', 'test:unit': 'x', dev: 'x', 'a b; rm -rf ~': 'x', '-x': 'x' };
  const answer = await detect(packageJson({ scripts }));
  expect(pick(answer)).toEqual(['npm run build', undefined, 'npm run lint']);
  expect(answer.scripts).toEqual(['npm run build', 'npm run lint', 'npm run test:unit', 'npm run dev']);
  const placeholder = 'echo "Error: no test specified" && exit 1';
  expect((await detect(packageJson({ scripts: { test: placeholder } }))).test_command).toBeUndefined();
});

test('the scripts of package.json go before the commands of other toolchains', async () => {
  const scripts = { build: 'x', test: 'x' };
  expect(pick(await detect({ 'go.mod': '', ...packageJson({ scripts }) }))).toEqual([
    'npm run build',
    'npm run test',
    'golangci-lint run',
  ]);
});

test.for([
  ['vitest', { devDependencies: { vitest: '4' } }, {}, ['npx vitest run', undefined]],
  ['jest', { devDependencies: { jest: '30' } }, { 'yarn.lock': '' }, ['yarn exec jest', undefined]],
  ['eslint', { devDependencies: { eslint: '9' } }, { 'pnpm-lock.yaml': '' }, [undefined, 'pnpm exec eslint .']],
  ['an ESLint config', {}, { '.eslintrc.json': '' }, [undefined, 'npx eslint .']],
  ['a Biome config', {}, { 'biome.jsonc': '' }, [undefined, 'npx biome check']],
] as const)('without a script, %s is used', async ([, manifest, files, [testCommand, linter]]) => {
  const answer = await detect({ ...packageJson(manifest), ...files });
  expect([answer.test_command, answer.linter]).toEqual([testCommand, linter]);
});

test.for([
  ['next.config.js', { ...packageJson({}), 'next.config.js': '' }, ['Next.js']],
  ['next.config.mjs', { ...packageJson({}), 'next.config.mjs': '' }, ['Next.js']],
  ['next.config.js alone', { 'next.config.js': '' }, ['Next.js']],
  [
    'npm dependencies',
    packageJson({ dependencies: { next: '1', react: '1' }, devDependencies: { vite: '1' } }),
    ['Next.js', 'React', 'Vite'],
  ],
  ['both', { ...packageJson({ dependencies: { next: '1' } }), 'next.config.js': '' }, ['Next.js']],
  [
    'requirements.txt',
    { 'requirements.txt': '# x\nDjango>=5 # y\nfastapi[all]==1\n-r other.txt\n' },
    ['Django', 'FastAPI'],
  ],
  ['project.dependencies', { 'pyproject.toml': '[project]\ndependencies = ["Flask ~= 3.0"]\n' }, ['Flask']],
  [
    'groups',
    { 'pyproject.toml': '[dependency-groups]\nweb = ["starlette", {include-group = "x"}]\nx = ["tornado"]\n' },
    ['Starlette', 'Tornado'],
  ],
  ['poetry', { 'pyproject.toml': '[tool.poetry.group.a.dependencies]\ntorch = "^2"\n' }, ['PyTorch']],
  [
    'Cargo.toml',
    { 'Cargo.toml': '[dependencies]\naxum = "1"\n[workspace.dependencies]\nbevy = "1"\n' },
    ['Axum', 'Bevy'],
  ],
  [
    'go.mod',
    {
      'go.mod':
        'module x\nrequire github.com/gin-gonic/gin v1.9.0\nrequire (\n\tgithub.com/labstack/echo/v4 v4.1.0 // indirect\n)\n',
    },
    ['Gin', 'Echo'],
  ],
  ['composer.json', { 'composer.json': json({ require: { 'laravel/framework': '^11' } }) }, ['Laravel']],
  ['Gemfile', { Gemfile: "source 'x'\ngem 'rails', '~> 7'\n" }, ['Rails']],
  ['pom.xml', { 'pom.xml': '<groupId>org.springframework.boot</groupId>' }, ['Spring Boot']],
] as const)('finds frameworks by %s', async ([, files, frameworks]) => {
  expect(await detect(files)).toMatchObject({ frameworks, notes: [] });
});

test.for([
  ['uv.lock', { 'pyproject.toml': '[build-system]\n', 'uv.lock': '' }, 'uv', ['uv build', 'uv run pytest', undefined]],
  [
    'poetry.lock',
    { 'pyproject.toml': '[tool.ruff]\n', 'poetry.lock': '' },
    'poetry',
    ['poetry build', 'poetry run pytest', 'poetry run ruff check'],
  ],
  ['tool.uv', { 'pyproject.toml': '[tool.uv]\n' }, 'uv', ['uv sync', 'uv run pytest', undefined]],
  ['pdm.lock', { 'pyproject.toml': '', 'pdm.lock': '' }, 'pdm', ['pdm build', 'pdm run pytest', undefined]],
  [
    'a Pipfile',
    { Pipfile: '[dev-packages]\nflake8 = "*"\n' },
    'pipenv',
    ['pipenv install', 'pipenv run pytest', 'pipenv run flake8'],
  ],
  [
    'manage.py',
    { 'requirements.txt': 'django\n', 'manage.py': '', 'ruff.toml': '' },
    'pip',
    ['pip install -r requirements.txt', 'python manage.py test', 'ruff check'],
  ],
] as const)('Python with %s', async ([, files, manager, commands]) => {
  const answer = await detect(files);
  expect(answer.package_managers).toEqual([manager]);
  expect(pick(answer)).toEqual(commands);
});

test('make, task and just run what their files name', async () => {
  const makefile = '.PHONY: build test\nX := a:b\nbuild test: main.o\n\tcc\nlint:\n%.o: %.c\n$(X): y\n';
  const make = await detect({ Makefile: makefile });
  expect(pick(make)).toEqual(['make build', 'make test', 'make lint']);
  expect([make.scripts, make.task_runners]).toEqual([['make build', 'make test', 'make lint'], ['make']]);

  const task = await detect({ 'Taskfile.yml': 'version: 3\ntasks:\n  test:\n    cmds: [x]\n  "a; b": x\n' });
  expect(pick(task)).toEqual(['task', 'task test', undefined]);
  expect(task.scripts).toEqual(['task test']);

  const justfile =
    'set shell := ["a:b"]\nexport X := "a:b"\nalias t := test\n\n@test filter="": build\n  x: y\nbuild:\n_private:\n';
  const just = await detect({ justfile, 'go.mod': '', ...packageJson({ scripts: { build: 'x' } }) });
  expect(pick(just)).toEqual(['just build', 'just test', 'golangci-lint run']);
  expect(just.scripts).toEqual(['npm run build', 'just test', 'just build']);
});

test('turbo and nx run tasks that their files name, where there is no script', async () => {
  const turbo = '{ // comment\n "tasks": { "build": {}, "lint": {}, },\n}';
  const first = await detect({
    ...packageJson({ scripts: { build: 'turbo build' } }),
    'turbo.json': turbo,
    'pnpm-lock.yaml': '',
  });
  expect(pick(first)).toEqual(['pnpm run build', undefined, 'pnpm exec turbo run lint']);
  expect([first.task_runners, first.notes]).toEqual([['turbo'], []]);
  const second = await detect({ ...packageJson({}), 'nx.json': json({ targetDefaults: { test: {} } }) });
  expect(pick(second)).toEqual([undefined, 'npx nx run-many -t test', undefined]);
  expect(second.task_runners).toEqual(['nx']);
});

const member = (name: string, more: object = {}) => json({ name, ...more });

test.for([
  ['pnpm', { 'package.json': '{}', 'pnpm-workspace.yaml': 'packages:\n  - "packages/*"\n  - "!packages/skip"\n' }],
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
    'packages/link': { symlink: 'a' },
  });
  expect(answer.members).toEqual([
    {
      path: 'packages/a',
      name: '@x/a',
      description: 'Does a',
      languages: ['TypeScript'],
      frameworks: ['Vue'],
      config_files: ['package.json', 'tsconfig.json'],
    },
    {
      path: 'packages/b',
      name: '@x/b',
      languages: ['JavaScript', 'Rust'],
      frameworks: [],
      config_files: ['Cargo.toml', 'package.json'],
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
    'golangci-lint run',
  ]);
  expect((await detect({ 'Cargo.toml': '[workspace]\nmembers = []\n' })).test_command).toBe('cargo test --workspace');
});

test('puts no path into a command that a shell would take apart', async () => {
  const answer = await detect({ 'go.work': 'use (\n\t./ok\n\t"./a; rm -rf ~"\n\t./$HOME\n)\n', 'ok/go.mod': '' });
  expect(answer.test_command).toBe('go test ./ok/...');
});

test('a member that is asked for takes the package manager and tsconfig.json of the project around it', async () => {
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

test.for([
  ['../x', 'package.json: the pattern "../x" is left out'],
  ['/etc', 'package.json: the pattern "/etc" is left out'],
  ['a/../../x', 'package.json: the pattern "a/../../x" is left out'],
  ['', 'package.json: the pattern "" is left out'],
  ['*a*a*a*a*a', 'package.json: the pattern "*a*a*a*a*a" is left out'],
  ['**/**/**/a', 'package.json: the pattern "**/**/**/a" is left out'],
  ['[a', 'package.json: the pattern "[a" is left out'],
  ['gone', 'package.json: gone is no directory'],
  ['link', 'package.json: link is no directory'],
] as const)('notes a pattern of members that is no good: %s', async ([pattern, note]) => {
  const files = { ...packageJson({ workspaces: [pattern, 'ok'] }), 'ok/package.json': '{}', link: { symlink: '/etc' } };
  const { members, notes } = await detect(files);
  expect(members.map(({ path }) => path)).toEqual(['ok']);
  expect(notes).toEqual([note]);
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
  ['deep YAML', 'Taskfile.yml', '['.repeat(50_000), 'Taskfile.yml: not valid YAML'],
  ['tasks as a list', 'Taskfile.yml', 'tasks: [a]', 'Taskfile.yml: tasks is not a table of keys and values'],
  ['a FIFO', 'package.json', { fifo: true }, 'package.json: not a regular file'],
  [
    'a link that leads out',
    'package.json',
    { symlink: '/etc/hostname' },
    'package.json: a link that cannot be followed',
  ],
  ['a dangling link', 'package.json', { symlink: 'nope' }, 'package.json: a link that cannot be followed'],
] as const)('%s is a note, not a failure', async ([, name, content, note]) => {
  const answer = await detect({ [name]: content, 'go.mod': '' });
  expect(answer.notes).toEqual([note]);
  expect(answer.languages[0]).toBe('Go');
});

test('follows a link to a file of the workspace', async () => {
  const files = { 'package.json': { symlink: 'real/package.json' }, 'real/package.json': '{"scripts":{"test":"x"}}' };
  expect((await detect(files)).test_command).toBe('npm run test');
});

test('takes no key of a prototype for one of the manifest', async () => {
  const hostile =
    '{"__proto__":{"scripts":{"test":"x"}},"scripts":{"__proto__":{"build":"x"}},"dependencies":{"constructor":"1"}}';
  const answer = await detect({
    'package.json': hostile,
    'pyproject.toml': '[__proto__]\na = 1\n[project.constructor]\n',
  });
  const notes = ['package.json: scripts.__proto__ is not a string'];
  expect([answer.build_tool, answer.frameworks, answer.notes]).toEqual(['pip install .', [], notes]);
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

test('takes no script that is not text, or empty', async () => {
  const { scripts, build_tool, test_command, notes } = await detect(
    packageJson({ scripts: { build: null, lint: {}, test: '', fine: 'x' } }),
  );
  expect({ scripts, build_tool, test_command }).toEqual({ scripts: ['npm run fine'] });
  expect(notes).toEqual(expect.arrayContaining(['package.json: scripts.lint is not a string']));
});

test.for([
  ['a file', 'f', 'not_a_directory'],
  ['what is missing', 'nope', 'file_not_found'],
  ['a secret', '.git', 'path_outside_sandbox'],
  ['what is outside', '..', 'path_outside_sandbox'],
] as const)('refuses %s', async ([, path, error_code]) => {
  const answer = await call(detectProject, { path }, { files: { f: '', '.git/go.mod': '' } });
  expect(answer).toMatchObject({ ok: false, error_code });
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

test('whatever manifests hold, the answer is a document without null', async () => {
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
      for (const command of [...data.scripts, data.build_tool, data.test_command, data.linter]) {
        expect(command ?? '').toMatch(/^[\w@:./+ -]*( && cmake --build build)?$/);
      }
    }),
    { numRuns: 150 },
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
  ['Taskfile.yml', `${'- '.repeat(60)}${'? '.repeat(100_000)}`],
  ['Taskfile.yml', Array.from({ length: 8_000 }, (_, i) => `a${i}: &a${i} [*a${Math.max(0, i - 1)}, *a0]`).join('\n')],
] as const)('a hostile %s takes no long time', { timeout: 10_000 }, async ([name, content]) => {
  await detect({ 'package.json': '{}', 'Cargo.toml': '', [name]: content });
});
