import { countProcessorTime } from '@jinn/testkit';
import { describe, expect, test } from 'vitest';
import { detect, json, packageJson, pick } from '../fixture/detect.ts';

type Commands = readonly [string | undefined, string | undefined, string | undefined];

test.for<[string, Record<string, string>, readonly string[], Commands]>([
  [
    'Bazel',
    {
      'MODULE.bazel':
        'module(name = "shop")\nbazel_dep(name = "rules_go", version = "0.50")\nbazel_dep(name = "rules_python")\n',
      BUILD: '',
    },
    ['Go', 'Python'],
    ['bazel build //...', 'bazel test //...', undefined],
  ],
  [
    'Go beside Bazel',
    { 'go.mod': 'module x\n', WORKSPACE: 'load("@rules_go//x")' },
    ['Go'],
    ['go build ./...', 'go test ./...', 'golangci-lint run'],
  ],
  [
    'Terraform',
    { 'main.tf': 'resource "x" "y" {}\n', 'variables.tf': '', '.terraform.lock.hcl': '' },
    ['Terraform'],
    ['terraform init && terraform plan', 'terraform validate', 'terraform fmt -check -recursive'],
  ],
  [
    'Terraform with tests',
    { 'main.tf': '', 'tests/a.tftest.hcl': '', '.tflint.hcl': '' },
    ['Terraform'],
    ['terraform init && terraform plan', 'terraform test', 'tflint'],
  ],
  [
    'CMake presets',
    {
      'CMakeLists.txt': 'project(engine CXX)\nenable_testing()\n',
      'CMakePresets.json': json({
        configurePresets: [
          { name: 'base', hidden: true },
          { name: 'debug', binaryDir: ['$', '{sourceDir}/out/debug'].join('') },
        ],
        testPresets: [{ name: 'all-tests' }],
      }),
    },
    ['C++'],
    ['cmake --preset debug && cmake --build out/debug', 'ctest --preset all-tests', undefined],
  ],
  [
    'CMake presets without those of tests',
    {
      'CMakeLists.txt': 'project(engine CXX)\nenable_testing()\n',
      'CMakePresets.json': json({
        configurePresets: [{ name: 'debug', binaryDir: ['$', '{sourceDir}/out'].join('') }],
        buildPresets: [{ name: 'fast' }],
      }),
    },
    ['C++'],
    ['cmake --preset debug && cmake --build --preset fast', 'ctest --test-dir out', undefined],
  ],
  [
    'CMake presets that a shell would run',
    {
      'CMakeLists.txt': '',
      'CMakePresets.json': json({ configurePresets: [{ name: 'x; rm -rf /' }, 7, { binaryDir: '$(x)' }] }),
    },
    ['C++'],
    ['cmake -B build && cmake --build build', undefined, undefined],
  ],
  [
    'Phoenix with a package.json for its assets',
    {
      'mix.exs':
        'defmodule Shop.MixProject do\n  [app: :shop, deps: [{:phoenix, "~> 1.7"}, {:credo, "~> 1.7"}]]\nend\n',
      ...packageJson({ scripts: { test: 'jest', build: 'webpack' } }),
    },
    ['JavaScript', 'Elixir'],
    ['mix compile', 'mix test', 'mix credo'],
  ],
  [
    'a go.work without a module at the top',
    { 'go.work': 'go 1.22\nuse (\n\t./api\n\t./lib\n)\n', 'api/go.mod': 'module api\n', 'lib/go.mod': 'module lib\n' },
    ['Go'],
    ['go build ./api/... ./lib/...', 'go test ./api/... ./lib/...', 'golangci-lint run ./api/... ./lib/...'],
  ],
  [
    'make check',
    { 'requirements.txt': 'flask\n', Makefile: 'all:\n\ttrue\ncheck:\n\tpython -m unittest\nstyle:\n\ttrue\n' },
    ['Python'],
    ['make all', 'make check', 'make style'],
  ],
  [
    'hatch by its environments',
    {
      'pyproject.toml':
        '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n[project]\nname = "x"\n[tool.hatch.envs.default.scripts]\nlint = "ruff check"\n',
    },
    ['Python'],
    ['hatch build', 'hatch test', 'hatch run lint'],
  ],
  [
    'hatchling without hatch',
    {
      'pyproject.toml':
        '[build-system]\nbuild-backend = "hatchling.build"\n[project]\nname = "x"\n[tool.hatch.build]\nexclude = ["a"]\n[tool.pytest.ini_options]\n',
    },
    ['Python'],
    ['hatch build', 'pytest', undefined],
  ],
  [
    'hatchling beside requirements',
    { 'pyproject.toml': '[build-system]\nbuild-backend = "hatchling.build"\n', 'requirements.txt': 'ruff\n' },
    ['Python'],
    ['pip install .', 'pytest', 'ruff check'],
  ],
  [
    'flit by its backend',
    { 'pyproject.toml': '[build-system]\nbuild-backend = "flit_core.buildapi"\n[tool.pytest.ini_options]\n' },
    ['Python'],
    ['flit build', 'pytest', undefined],
  ],
  [
    'poetry by its backend',
    { 'pyproject.toml': '[build-system]\nbuild-backend = "poetry.core.masonry.api"\n[tool.pytest.ini_options]\n' },
    ['Python'],
    ['poetry build', 'poetry run pytest', undefined],
  ],
  [
    'uv by its backend',
    { 'pyproject.toml': '[build-system]\nbuild-backend = "uv_build"\n' },
    ['Python'],
    ['uv build', 'uv run pytest', undefined],
  ],
  [
    'nox with names of its own',
    {
      'setup.py': '',
      'noxfile.py':
        '@nox.session(name="lint-all")\ndef lint(session): pass\n\n@nox.session(\n    python=["3.12"],\n    name=\'unit-tests\',\n)\ndef run_unit(session): pass\n\n@session(name="$(x)")\ndef build(session): pass\n',
    },
    ['Python'],
    ['pip install .', 'nox -s unit-tests', 'nox -s lint-all'],
  ],
  [
    'nox',
    {
      'pyproject.toml': '[project]\nname = "x"\n[tool.pytest.ini_options]\n',
      'noxfile.py':
        'import nox\n\n@nox.session(python=["3.11", "3.12"])\ndef tests(session):\n    session.run("pytest")\n\n@nox.session\n@nox.parametrize("a", [1])\ndef lint(session):\n    pass\n',
    },
    ['Python'],
    ['pip install .', 'nox -s tests', 'nox -s lint'],
  ],
  [
    'maturin',
    {
      'pyproject.toml':
        '[build-system]\nrequires = ["maturin>=1"]\nbuild-backend = "maturin"\n[project]\nname = "fast"\n',
      'Cargo.toml': '[package]\nname = "fast"\n',
    },
    ['Rust', 'Python'],
    ['maturin develop', 'pytest', 'cargo clippy'],
  ],
  [
    'an R package',
    { DESCRIPTION: 'Package: ggthing\nImports:\n    shiny,\n    dplyr\n', '.lintr': '', 'tests/testthat.R': '' },
    ['R'],
    ['R CMD build .', "Rscript -e 'devtools::test()'", "Rscript -e 'lintr::lint_package()'"],
  ],
  [
    'Julia',
    { 'Project.toml': 'name = "Solver"\nuuid = "x"\n', 'src/Solver.jl': '', 'test/runtests.jl': '' },
    ['Julia'],
    ["julia --project=. -e 'using Pkg; Pkg.instantiate()'", "julia --project=. -e 'using Pkg; Pkg.test()'", undefined],
  ],
  [
    'Perl',
    { 'Makefile.PL': 'use ExtUtils::MakeMaker;', 't/basic.t': '', cpanfile: '' },
    ['Perl'],
    ['perl Makefile.PL && make', 'prove -lr t', undefined],
  ],
  [
    'Clojure with Leiningen',
    { 'project.clj': '(defproject shop/api "0.1.0")' },
    ['Clojure'],
    ['lein compile', 'lein test', undefined],
  ],
  [
    'Clojure with deps.edn',
    { 'deps.edn': '{:deps {} :aliases {:test {:extra-paths ["test"]} :build {:ns-default build}}}' },
    ['Clojure'],
    ['clojure -T:build jar', undefined, undefined],
  ],
  [
    'an alias of deps.edn that names a function',
    {
      'deps.edn':
        '{:aliases\n {:test ; the runner\n  {:extra-deps {x/y {:mvn/version "1"}} :main-opts ["-m" "r"]\n   :exec-fn r/test}}}',
      '.clj-kondo/config.edn': '',
    },
    ['Clojure'],
    ['clojure -P', 'clojure -X:test', 'clj-kondo --lint src'],
  ],
  [
    'an alias of deps.edn with arguments of clojure.main',
    { 'deps.edn': '{:aliases {:test {:main-opts ["-m" "r"]} :dev {:exec-fn x}}}', Makefile: 'build:\n\ttrue\n' },
    ['Clojure'],
    ['make build', 'clojure -M:test', undefined],
  ],
  [
    'shadow-cljs',
    { 'shadow-cljs.edn': '{:source-paths ["src"] :builds {:app {:target :browser}}}', 'pnpm-lock.yaml': '' },
    ['JavaScript', 'ClojureScript'],
    ['pnpm exec shadow-cljs compile app', undefined, undefined],
  ],
  [
    'shadow-cljs without a lock file',
    { 'shadow-cljs.edn': '{:builds {"$(x)" {} :web {:target :browser}}}' },
    ['ClojureScript'],
    ['npx shadow-cljs compile web', undefined, undefined],
  ],
  [
    'babashka',
    { 'bb.edn': '{:paths ["."] :tasks {:requires ([x]) test (shell "x") -private 1 lint {:task (y)}}}' },
    ['Clojure'],
    [undefined, 'bb test', 'bb lint'],
  ],
  [
    'Julia by the longer name of its file',
    { 'JuliaProject.toml': 'name = "Solver"\n' },
    ['Julia'],
    ["julia --project=. -e 'using Pkg; Pkg.instantiate()'", undefined, undefined],
  ],
  [
    'Terragrunt',
    { 'terragrunt.hcl': '', 'modules/vpc/main.tf': '', 'envs/prod/main.tf': '' },
    ['Terraform'],
    ['terragrunt run --all plan', 'terragrunt run --all validate', 'terragrunt hcl fmt --check'],
  ],
  [
    'Terragrunt in a single unit',
    { 'terragrunt.hcl': '', 'main.tf': '', '.tflint.hcl': '' },
    ['Terraform'],
    ['terragrunt plan', 'terragrunt validate', 'tflint'],
  ],
  [
    'Xcode',
    { 'Shop.xcodeproj/project.pbxproj': '', 'Shop/App.swift': '', '.swiftlint.yml': '' },
    ['Swift'],
    [
      'xcodebuild -project Shop.xcodeproj -scheme Shop build',
      'xcodebuild -project Shop.xcodeproj -scheme Shop test',
      'swiftlint',
    ],
  ],
  [
    'TypeScript by a dependency',
    packageJson({ devDependencies: { typescript: '5' } }),
    ['TypeScript'],
    [undefined, undefined, undefined],
  ],
  ['TypeScript by a file', { ...packageJson({}), 'index.ts': '' }, ['TypeScript'], [undefined, undefined, undefined]],
  [
    'JavaScript with a configuration in TypeScript',
    { ...packageJson({}), 'vite.config.ts': '', 'types.d.ts': '', 'index.js': '' },
    ['JavaScript'],
    [undefined, undefined, undefined],
  ],
])('knows %s', async ([, files, languages, commands]) => {
  const answer = await detect(files);
  expect(answer.languages).toEqual(languages);
  expect(pick(answer)).toEqual(commands);
  expect(answer.notes).toEqual([]);
});

test.for<[string, Record<string, string>]>([
  ['src', { 'src/index.ts': '' }],
  ['a directory below lib', { 'lib/deep/x.ts': '' }],
  ['most files of src', { 'src/a.ts': '', 'src/b.tsx': '', 'src/old.js': '', 'index.js': '' }],
  ['another directory', { 'server/main.mts': '', 'dist/main.js': '', 'docs/x.js': '' }],
  ['a script', packageJson({ scripts: { build: 'rimraf dist && tsc -p .' } })],
  ['a script that starts it', packageJson({ scripts: { start: 'tsx server' } })],
])('knows TypeScript by %s', async ([, files]) => {
  expect((await detect({ 'package.json': '{"main":"index.js"}', ...files })).languages).toEqual(['TypeScript']);
});

test.for<[string, Record<string, string>]>([
  ['most files of src', { 'src/a.js': '', 'src/b.js': '', 'src/old.ts': '' }],
  ['its own files before those of other directories', { 'index.js': '', 'e2e/a.ts': '', 'e2e/b.ts': '' }],
  ['src before other directories', { 'src/a.js': '', 'e2e/a.ts': '' }],
  ['declarations and configuration', { 'src/x.d.ts': '', 'src/vite.config.ts': '', 'types/a.ts': '' }],
  ['what is not its own', { 'node_modules/x/i.ts': '', 'vendor/x.ts': '', '.cache/x.ts': '', 'dist/x.ts': '' }],
  ['what is too deep', { 'src/a/b/c/x.ts': '' }],
  ['a script of another name', packageJson({ scripts: { build: 'node tsc.js --tsx' } })],
])('knows JavaScript by %s', async ([, files]) => {
  expect((await detect({ 'package.json': '{"main":"index.js"}', ...files })).languages).toEqual(['JavaScript']);
});

test('knows TypeScript by the files of a member', async () => {
  const { members } = await detect({
    ...packageJson({ workspaces: ['packages/*'] }),
    'packages/a/package.json': json({ name: 'a' }),
    'packages/a/src/i.ts': '',
    'packages/b/package.json': json({ name: 'b' }),
    'packages/b/src/i.js': '',
  });
  expect(members.map(({ languages }) => languages)).toEqual([['TypeScript'], ['JavaScript']]);
});

describe('one level down', () => {
  const files = {
    'README.md': '# Shop',
    'docker-compose.yml': 'services: {}',
    'backend/pyproject.toml': '[project]\nname = "shop-api"\n[tool.pytest.ini_options]\n[tool.ruff]\n',
    'frontend/package.json': json({ name: 'shop-web', scripts: { build: 'vite build', test: 'vitest' } }),
    'frontend/index.ts': '',
    'docs/guide.md': '',
    'vendor/x/go.mod': 'module x',
    'node_modules/p/package.json': '{}',
    'vendor/package.json': '{}',
  };

  test('looks where the root shows no language', async () => {
    const answer = await detect(files);
    expect(answer.languages).toEqual(['Python', 'TypeScript']);
    expect(answer.members).toMatchObject([
      { path: 'backend', name: 'shop-api', build_tool: 'pip install .', test_command: 'pytest', linter: 'ruff check' },
      { path: 'frontend', name: 'shop-web', build_tool: 'npm run build', test_command: 'npm run test' },
    ]);
    expect(answer.notes).toEqual([]);
  });

  test('looks where the root has nothing but tools', async () => {
    const tools = {
      devDependencies: { husky: '9', prettier: '3' },
      scripts: { prepare: 'husky', lint: 'prettier -c .' },
    };
    const answer = await detect({ ...files, ...packageJson(tools), 'commitlint.config.js': '' });
    expect(answer.languages).toEqual(['Python', 'TypeScript']);
    expect(answer.linter).toBe('npm run lint');
    expect(answer.members.map(({ path }) => path)).toEqual(['backend', 'frontend']);
    const alone = await detect({ ...packageJson(tools), 'docs/guide.md': '' });
    expect(alone).toMatchObject({ languages: ['JavaScript'], members: [], notes: [] });
  });

  test.for<[string, Record<string, string>]>([
    ['a file', { ...packageJson({}), 'index.js': '' }],
    ['src', { ...packageJson({}), 'src/a.js': '' }],
    ['a dependency', packageJson({ dependencies: { express: '5' } })],
    ['an entry point', packageJson({ bin: 'cli' })],
    ['a workspace', packageJson({ workspaces: ['none/*'] })],
  ])('does not look where package.json is a project by %s', async ([, own]) => {
    expect((await detect({ ...files, ...own })).members).toEqual([]);
  });

  test('does not look where the root shows one', async () => {
    expect((await detect({ ...files, 'go.mod': 'module shop\n' })).members).toEqual([]);
  });
});

test('gives the commands of each language', async () => {
  const answer = await detect({
    'go.mod': 'module x\n',
    ...packageJson({ scripts: { build: 'vite build', lint: 'eslint .' }, devDependencies: { typescript: '5' } }),
  });
  expect(answer).toMatchObject({
    build_tool: 'npm run build',
    commands: [
      { language: 'Go', build_tool: 'go build ./...', test_command: 'go test ./...', linter: 'golangci-lint run' },
      { language: 'TypeScript', build_tool: 'npm run build', linter: 'npm run lint' },
    ],
  });
  expect(await detect({ 'go.mod': 'module x\n' })).not.toHaveProperty('commands');
});

test('counts hundreds of members, and lists some', async () => {
  const members = Object.fromEntries(
    Array.from({ length: 240 }, (_, i) => [
      `${i < 200 ? 'playground' : 'packages'}/p${i}/package.json`,
      json({ name: `p${i}`, ...(i >= 200 && { devDependencies: { typescript: '5' } }) }),
    ]),
  );
  const answer = await detect({ ...packageJson({ workspaces: ['playground/*', 'packages/*'] }), ...members });
  expect(answer).toMatchObject({
    groups: [
      { path: 'packages', members: 40, languages: ['TypeScript'] },
      { path: 'playground', members: 200, languages: ['JavaScript'] },
    ],
  });
  expect(answer.members).toHaveLength(100);
  expect(answer.members[0]).toEqual({ path: 'packages/p200', name: 'p200', languages: ['TypeScript'] });
  expect(answer.notes).toEqual(['there are 240 members. groups counts them, and 100 are listed']);
});

test('counts all members in one number, wherever they are', async () => {
  const names = [
    ...Array.from({ length: 700 }, (_, i) => `packages/p${i}`),
    ...Array.from({ length: 50 }, (_, i) => `play/a/q${i}`),
    'packages/no-project/docs',
  ];
  const answer = await detect({
    'pnpm-workspace.yaml': 'packages:\n  - packages/*\n  - play/a/*\n',
    ...Object.fromEntries(names.map((name) => [`${name}/package.json`, '{}'])),
  });
  expect(answer).toMatchObject({
    groups: [
      { path: 'packages', members: 700 },
      { path: 'play/a', members: 50 },
    ],
    notes: ['there are 750 members. groups counts them, and 100 are listed'],
  });
});

test('reads a noxfile of nothing but decorators in little time', async () => {
  const used = countProcessorTime();
  const { languages } = await detect({ 'setup.py': '', 'noxfile.py': '@nox.session\n'.repeat(2_000) });
  expect(languages).toEqual(['Python']);
  expect(used()).toBeLessThan(5_000);
});
