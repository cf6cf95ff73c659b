import { call, makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { detectProject } from './detect-project.ts';
import { detect, json, packageJson, pick } from './fixture/detect.ts';

test('answers without null and without empty lists for an empty directory', async () => {
  expect(JSON.parse((await call(detectProject, {})).result ?? '')).toEqual({ languages: [], config_files: [] });
});

const SINGLE: [files: Record<string, string>, command: string | undefined][] = [
  [{ 'go.mod': '' }, "go test ./PATH -run '^NAME$'"],
  [{ 'Cargo.toml': '[workspace]\n' }, 'cargo test NAME'],
  [{ 'requirements.txt': '' }, 'pytest PATH::NAME'],
  [{ 'uv.lock': '', 'pyproject.toml': '[tool.pytest]\n' }, 'uv run pytest PATH::NAME'],
  [{ 'requirements.txt': '', 'manage.py': '' }, 'python manage.py test MODULE.CLASS.NAME'],
  [packageJson({ devDependencies: { jest: '1' } }), "npx jest PATH -t 'NAME'"],
  [packageJson({ scripts: { test: 'tsc && vitest --run' } }), "npx vitest run PATH -t 'NAME'"],
  [
    { ...packageJson({ scripts: { test: 'vitest' }, devDependencies: { jest: '1' } }), 'pnpm-lock.yaml': '' },
    "pnpm exec vitest run PATH -t 'NAME'",
  ],
  [
    packageJson({ scripts: { test: 'mocha --require test/env --check-leaks test/ -r ;x' } }),
    "npx mocha --require test/env PATH -g 'NAME'",
  ],
  [packageJson({ scripts: { test: 'ava' } }), "npx ava PATH --match='NAME'"],
  [packageJson({ scripts: { test: 'node --test src/' } }), "node --test --test-name-pattern='NAME' PATH"],
  [packageJson({ scripts: { test: 'bun test' } }), "bun test PATH -t 'NAME'"],
  [packageJson({ scripts: { test: './check.sh' } }), undefined],
  [packageJson({ scripts: { test: 'unjest' } }), undefined],
  [{ 'bun.lock': '' }, "bun test PATH -t 'NAME'"],
  [{ 'deno.json': '{}' }, "deno test PATH --filter 'NAME'"],
  [{ 'composer.json': '{}', 'phpunit.xml': '' }, "vendor/bin/phpunit PATH --filter 'NAME'"],
  [{ Gemfile: "gem 'rspec'\n" }, 'bundle exec rspec PATH:LINE'],
  [{ 'mix.exs': '' }, 'mix test PATH:LINE'],
  [{ 'pom.xml': '', mvnw: '' }, './mvnw test -Dtest=CLASS#NAME'],
  [{ 'build.gradle': '' }, 'gradle test --tests CLASS.NAME'],
  [{ 'Package.swift': '' }, 'swift test --filter NAME'],
  [{ 'pubspec.yaml': '' }, "dart test PATH --name 'NAME'"],
  [{ 'App.csproj': '' }, 'dotnet test --filter NAME'],
  [{ Makefile: 'test:\n\ttrue\n' }, undefined],
  [{ 'go.mod': '', Makefile: 'test:\n\ttrue\n' }, "go test ./PATH -run '^NAME$'"],
];

test.for(SINGLE)('says how to run one test of %j', async ([files, command]) => {
  expect((await detect(files)).single_test_command).toBe(command);
});

test('names the programs of the commands that are not installed', async () => {
  const installed = makeTempDirectory();
  makeTree(installed, { go: { content: '', mode: 0o755 }, bun: { content: '', mode: 0o644 } });
  const files = {
    'go.mod': '',
    'go.sum': '',
    ...packageJson({ workspaces: ['a'], scripts: { build: 'x' } }),
    'a/bun.lock': '',
  };
  const answer = async (PATH: string) =>
    JSON.parse((await call(detectProject, {}, { files, environment: { PATH } })).result ?? '');
  expect((await answer(installed)).not_installed).toEqual(['npm', 'golangci-lint', 'bun']);
});

test.for([
  ['go.mod', 'Go', ['go build ./...', 'go test ./...', 'golangci-lint run']],
  ['package.json', 'JavaScript', [undefined, undefined, undefined]],
  ['bun.lockb', 'TypeScript', ['bun install', 'bun test', undefined]],
  ['Cargo.toml', 'Rust', ['cargo build', 'cargo test', 'cargo clippy']],
  ['pyproject.toml', 'Python', ['pip install .', 'pytest', undefined]],
  ['setup.py', 'Python', ['pip install .', 'pytest', undefined]],
  ['requirements.txt', 'Python', ['pip install -r requirements.txt', 'pytest', undefined]],
  ['composer.json', 'PHP', ['composer install', undefined, undefined]],
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
] as const)('recognises a project by an empty %s', async ([file, language, commands]) => {
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
    ...'.eslintignore pylintrc .isort.cfg .rspec .standard.yml .php-cs-fixer.dist.php psalm.xml phpcs.xml pint.json'.split(
      ' ',
    ),
    ...'.cargo/config.toml .goreleaser.yml .pnpmfile.cjs pixi.toml hatch.toml dev-requirements.txt constraints.txt'.split(
      ' ',
    ),
    ...'requirements/dev.txt dprint.json lefthook.yml gulpfile.js Gruntfile.js karma.conf.js cspell.config.yaml'.split(
      ' ',
    ),
    ...'.github/workflows/ci.yml gradle/libs.versions.toml gradle/wrapper/gradle-wrapper.properties'.split(' '),
    ...'.mvn/maven.config .devcontainer/devcontainer.json .circleci/config.yml .config/nextest.toml'.split(' '),
    ...'.devcontainer/Dockerfile .devcontainer/docker-compose.dev.yml .devcontainer/go/devcontainer.json'.split(' '),
    ...'gatsby-config.ts gatsby-node.mjs gatsby-browser.jsx gatsby-ssr.js'.split(' '),
    'eslint.config.mjs',
    'go.mod',
    'go.sum',
    'requirements-dev.txt',
    'tsconfig.build.json',
    'vite.config.ts',
  ];
  const others = [
    'main.go',
    'README.md',
    '.env',
    '.env.local',
    '.gitignore',
    'sub/go.mod',
    'config.ts',
    'notes.txt',
    '.cargo/credentials',
    '.github/CODEOWNERS',
    '.devcontainer/README.md',
    '.devcontainer/go/deep/devcontainer.json',
    'gatsby-plugin.js',
  ];
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

test('prefers packageManager to lock files, and notes a second manager', async () => {
  const answer = await detect({
    ...packageJson({ packageManager: 'pnpm@10.1.0', scripts: { test: 'x' } }),
    'yarn.lock': '',
  });
  expect(answer.test_command).toBe('pnpm run test');
  expect(answer.notes).toEqual(['package.json: there are lock files of yarn too: pnpm is used']);
});

test('prefers existing scripts to guesses', async () => {
  const scripts = { build: 'tsc', lint: 'eslint .', 'test:unit': 'x', dev: 'x', 'a b; rm -rf ~': 'x', '-x': 'x' };
  const answer = await detect(packageJson({ scripts }));
  expect(pick(answer)).toEqual(['npm run build', undefined, 'npm run lint']);
  expect(answer.scripts).toEqual(['npm run build', 'npm run lint', 'npm run test:unit', 'npm run dev']);
  const placeholder = 'echo "Error: no test specified" && exit 1';
  expect((await detect(packageJson({ scripts: { test: placeholder } }))).test_command).toBeUndefined();
});

test('prefers the scripts of package.json to the commands of other toolchains', async () => {
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
] as const)('uses %s if there is no script', async ([, manifest, files, [testCommand, linter]]) => {
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
        'module x\nrequire github.com/gin-gonic/gin v1.9.0\nrequire (\n\tgithub.com/labstack/echo/v4 v4.1.0 // why\n\tgithub.com/spf13/cobra v1.0.0 // indirect\n)\n',
    },
    ['Gin', 'Echo'],
  ],
  [
    'composer.json',
    { 'composer.json': json({ require: { 'laravel/framework': '^11', 'symfony/symfony': '^7' } }) },
    ['Laravel', 'Symfony'],
  ],
  [
    'npm packages with a scope',
    packageJson({ dependencies: { '@solidjs/start': '1', '@redwoodjs/core': '8' } }),
    ['SolidStart', 'RedwoodJS'],
  ],
  [
    'modules with a version',
    { 'go.mod': 'require (\n\tgithub.com/kataras/iris/v12 v12.2.0\n\tgithub.com/gobuffalo/buffalo v1.1.0\n)\n' },
    ['Iris', 'Buffalo'],
  ],
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

test('follows a link to a file of the workspace', async () => {
  const files = { 'package.json': { symlink: 'real/package.json' }, 'real/package.json': '{"scripts":{"test":"x"}}' };
  expect((await detect(files)).test_command).toBe('npm run test');
});

test('ignores a script that is empty or not text', async () => {
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

test.for([
  ['uv.lock', 'Python', 'uv'],
  ['poetry.lock', 'Python', 'poetry'],
  ['pdm.lock', 'Python', 'pdm'],
  ['Pipfile.lock', 'Python', 'pipenv'],
  ['pixi.lock', 'Python', 'pixi'],
  ['Cargo.lock', 'Rust', 'cargo'],
  ['composer.lock', 'PHP', 'composer'],
  ['go.sum', 'Go', 'go'],
  ['Gemfile.lock', 'Ruby', 'bundler'],
  ['mix.lock', 'Elixir', 'mix'],
  ['pubspec.lock', 'Dart', 'pub'],
  ['Package.resolved', 'Swift', 'swift'],
  ['deno.lock', 'TypeScript', 'deno'],
  ['package-lock.json', 'JavaScript', 'npm'],
] as const)(
  '%s alone shows the language and the package manager, and no command',
  async ([lock, language, manager]) => {
    const answer = await detect({ [lock]: '' });
    expect(answer).toMatchObject({ languages: [language], package_managers: [manager] });
    expect(pick(answer)).toEqual([undefined, undefined, undefined]);
  },
);

test.for([
  ['Rakefile', { Rakefile: '' }, [undefined, undefined, undefined]],
  ['a gemspec', { 'a.gemspec': 's.add_development_dependency "rspec"' }, ['gem build a.gemspec', 'rspec', undefined]],
  ['gems.rb', { 'gems.rb': 'gem "rubocop-rails-omakase"' }, ['bundle install', undefined, 'bundle exec rubocop']],
  [
    '.rspec',
    { Gemfile: '', '.rspec': '', '.standard.yml': '' },
    ['bundle install', 'bundle exec rspec', 'bundle exec standardrb'],
  ],
  ['Rails', { Gemfile: "gem 'rails'" }, ['bundle install', 'bundle exec rails test', undefined]],
] as const)('Ruby by %s', async ([, files, commands]) => {
  const answer = await detect(files);
  expect(answer.languages).toEqual(['Ruby']);
  expect(pick(answer)).toEqual(commands);
});

test.for([
  ['phpunit.xml', {}, { 'phpunit.xml': '' }, 'vendor/bin/phpunit'],
  ['phpunit.xml.dist', {}, { 'phpunit.xml.dist': '' }, 'vendor/bin/phpunit'],
  ['phpunit', { 'require-dev': { 'phpunit/phpunit': '*' } }, {}, 'vendor/bin/phpunit'],
  ['Pest', { 'require-dev': { 'pestphp/pest': '*' } }, { 'phpunit.xml': '' }, 'vendor/bin/pest'],
  ['a script', { scripts: { test: 'x' } }, { 'phpunit.xml': '' }, 'composer run test'],
] as const)('PHP is tested by %s', async ([, manifest, files, command]) => {
  expect((await detect({ 'composer.json': json(manifest), ...files })).test_command).toBe(command);
});

test.for([
  ['phpstan.neon', {}, 'vendor/bin/phpstan analyse'],
  ['psalm.xml', {}, 'vendor/bin/psalm'],
  ['phpcs.xml', {}, 'vendor/bin/phpcs'],
  ['pint.json', {}, 'vendor/bin/pint --test'],
  ['.php-cs-fixer.dist.php', {}, 'vendor/bin/php-cs-fixer check'],
] as const)('PHP is checked as %s says', async ([file, manifest, command]) => {
  expect((await detect({ 'composer.json': json(manifest), [file]: '' })).linter).toBe(command);
});

test.for([
  ['npm, unless another is shown', packageJson({ scripts: { test: 'x' } }), 'npm run test', ['npm']],
  [
    'pnpm of the project around',
    { 'pnpm-lock.yaml': '', 'a/package.json': '{"scripts":{"test":"x"}}' },
    'pnpm run test',
    ['pnpm'],
  ],
  [
    'devEngines',
    packageJson({ scripts: { test: 'x' }, devEngines: { packageManager: { name: 'yarn' } } }),
    'yarn run test',
    ['yarn'],
  ],
  [
    'pdm beside uv',
    { 'uv.lock': '', 'pyproject.toml': '[tool.pdm.scripts]\ntest = "x"\n' },
    'pdm run test',
    ['uv', 'pdm'],
  ],
] as const)('lists the manager that the commands use: %s', async ([, files, command, managers]) => {
  const answer = await detect(files, 'a/package.json' in files ? { path: 'a' } : {});
  expect([answer.test_command, answer.package_managers]).toEqual([command, managers]);
});

test.for([
  ['manage.py', { 'manage.py': '' }, ['Python'], 'python manage.py test'],
  ['requirements/', { 'requirements/base.txt': 'pytest-django\n' }, ['Python'], 'pytest'],
  ['tox.ini', { 'setup.cfg': '', 'tox.ini': '' }, ['Python'], 'tox'],
  ['noxfile.py', { 'setup.py': '', 'noxfile.py': '' }, ['Python'], 'nox'],
  ['conda', { 'environment.yml': 'dependencies: [python=3.12, pytorch]' }, ['Python'], 'pytest'],
  ['conda without Python', { 'environment.yml': 'dependencies: [r-base]' }, [], undefined],
  ['pixi without Python', { 'pixi.toml': '[tasks]\ntest = "x"\n' }, [], 'pixi run test'],
  [
    'CMakeLists.txt',
    { 'CMakeLists.txt': 'project(x LANGUAGES C)\nenable_testing()\n' },
    ['C'],
    'ctest --test-dir build',
  ],
  ['Meson', { 'meson.build': "project('x', 'c')\ntest('a', b)\n" }, ['C'], 'meson test -C build'],
  ['Flutter', { 'pubspec.yaml': 'dependencies:\n  flutter:\n    sdk: flutter\n' }, ['Dart'], 'flutter test'],
  ['F#', { 'A.fsproj': '' }, ['F#'], 'dotnet test'],
  ['an empty solution', { 'A.sln': '' }, ['C#'], 'dotnet test'],
  ['a solution with a space', { 'My App.sln': '"A\\A.vbproj"' }, ['Visual Basic'], 'dotnet test'],
  ['Kotlin', { 'build.gradle.kts': 'plugins { kotlin("jvm") }', gradlew: '' }, ['Kotlin'], './gradlew test'],
] as const)('knows %s', async ([, files, languages, test_command]) => {
  const answer = await detect(files);
  expect(answer.languages).toEqual(languages);
  expect(answer.test_command).toBe(test_command);
});

test.for([
  ['poetry without a package', { 'pyproject.toml': '[tool.poetry]\npackage-mode = false\n' }, 'poetry install'],
  ['conda', { 'environment.yml': 'dependencies: [python]' }, 'conda env create -f environment.yml'],
  ['pixi', { 'pixi.toml': '[dependencies]\npython = "3"\n' }, 'pixi install'],
  ['requirements/', { 'requirements/dev.txt': '' }, 'pip install -r requirements/dev.txt'],
  ['Flutter', { 'pubspec.yaml': 'dependencies:\n  flutter:\n    sdk: flutter\n' }, 'flutter pub get'],
] as const)('knows how to build or install: %s', async ([, files, build]) => {
  expect((await detect(files)).build_tool).toBe(build);
});

test('reports TypeScript instead of JavaScript for Deno too', async () => {
  expect((await detect({ ...packageJson({}), 'deno.json': '{}' })).languages).toEqual(['TypeScript']);
});

test('builds the modules of go.work, including the one beside it', async () => {
  const files = { 'go.mod': 'module x\n', 'a/go.mod': 'module a\n' };
  const both = await detect({ ...files, 'go.work': 'use (\n\t.\n\t./a\n)\n' });
  expect(both.build_tool).toBe('go build ./... ./a/...');
  expect((await detect({ ...files, 'go.work': 'use ./a\n' })).build_tool).toBe('go build ./a/...');
  const uses = Array.from({ length: 21 }, (_, i) => `use ./m${i}`);
  const many = Object.fromEntries(uses.map((_, i) => [`m${i}/go.mod`, `module m${i}\n`]));
  expect((await detect({ ...many, 'go.work': uses.join('\n') })).notes).toEqual([
    'go.work: the commands are for 20 of 21 modules',
  ]);
});

test('names both languages of CMake', async () => {
  expect((await detect({ 'CMakeLists.txt': 'project(a LANGUAGES C CXX)\n' })).languages).toEqual(['C', 'C++']);
});
