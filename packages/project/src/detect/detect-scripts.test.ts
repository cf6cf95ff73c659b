import { expect, test } from 'vitest';
import { detect, json, packageJson, pick } from '../fixture/detect.ts';

test('runs targets, tasks and recipes with make, task and just', async () => {
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

test('runs tasks with turbo and nx if there is no script', async () => {
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

test.for([
  ['Pipfile', { Pipfile: '[scripts]\ntest = "x"\nserve = "x"\n' }, ['pipenv run test', 'pipenv run serve']],
  ['pdm', { 'pyproject.toml': '[tool.pdm.scripts]\n_ = {}\ntest = "x"\n' }, ['pdm run test']],
  ['poe', { 'pyproject.toml': '[tool.poe.tasks]\ntest = "x"\n_own = "x"\n', 'uv.lock': '' }, ['uv run poe test']],
  ['taskipy', { 'pyproject.toml': '[tool.taskipy.tasks]\ntest = "x"\n' }, ['task test']],
  [
    'hatch',
    { 'pyproject.toml': '[tool.hatch.envs.default.scripts]\ntest = "x"\n[tool.hatch.envs.docs.scripts]\nbuild = []\n' },
    ['hatch run test', 'hatch run docs:build'],
  ],
  ['hatch.toml', { 'pyproject.toml': '', 'hatch.toml': '[envs.default.scripts]\ntest = "x"\n' }, ['hatch run test']],
  ['pixi', { 'pixi.toml': '[tasks]\ntest = "x"\n_own = "x"\n' }, ['pixi run test']],
  [
    'Rakefile',
    { Rakefile: 'desc "x"\ntask test: [:a]\ntask "b:c" do\nnamespace :d do\n  task :e\nend\n' },
    ['rake test', 'rake b:c'],
  ],
  ['a Rakefile of a library', { Rakefile: 'Rake::TestTask.new do |t|\n', Gemfile: '' }, ['bundle exec rake test']],
  ['composer', { 'composer.json': json({ scripts: { test: 'x', 'post-install-cmd': 'x' } }) }, ['composer run test']],
  ['mise', { 'mise.toml': '[tasks.test]\nrun = "x"\n[tasks.own]\nhide = true\n' }, ['mise run test']],
] as const)('gives the scripts of %s', async ([, files, scripts]) => {
  const answer = await detect(files);
  expect(answer.scripts).toEqual(scripts);
  expect(answer.test_command).toBe(scripts[0]);
  expect([...answer.package_managers, ...answer.task_runners]).toContain(
    scripts[0].replace(/^(?:uv run|bundle exec) | .*/g, '').replace(/^task$/, 'taskipy'),
  );
  expect(answer.notes).toEqual([]);
});

test('lists the programs of a Python project if its manager installs them', async () => {
  const toml = '[project.scripts]\nserve = "a:b"\n[tool.poetry.scripts]\nwork = "a:b"\n';
  expect((await detect({ 'pyproject.toml': toml, 'uv.lock': '' })).scripts).toEqual(['uv run serve', 'uv run work']);
  expect((await detect({ 'pyproject.toml': '[project.scripts]\ntest = "a:b"\n' })).scripts).toEqual([]);
  const answer = await detect({ 'pyproject.toml': '[project.scripts]\ntest = "a:b"\n', 'uv.lock': '' });
  expect(answer.test_command).toBe('uv run pytest');
});

test.for([
  ['spec', 'RSpec::Core::RakeTask.new(:spec)\n', ['rake spec'], 'rake spec'],
  ['a name of its own', 'Minitest::TestTask.create(:unit)\n', ['rake unit'], undefined],
  ['RuboCop', 'RuboCop::RakeTask.new\n', ['rake rubocop'], undefined],
  ['a gem', 'require "bundler/gem_tasks"\n', ['rake build', 'rake install', 'rake release'], undefined],
] as const)('lists the Rake tasks that libraries generate: %s', async ([, Rakefile, scripts, test_command]) => {
  const answer = await detect({ Rakefile });
  expect(answer.scripts).toEqual(scripts);
  expect(answer.test_command).toBe(test_command);
});

test('leaves out what cannot be called', async () => {
  const task = await detect({
    'Taskfile.yml': 'version: 3\ntasks:\n  build: {internal: true, cmd: x}\n  test: [x]\n  open: {internal: false}\n',
  });
  expect(task.scripts).toEqual(['task test', 'task open']);
  expect(task.build_tool).toBe('task');
  const makefile = 'all:: x\ndefine BODY =\nbuild: x\ndefine INNER\nendef\nlint: y\nendef\ntest:\nX ::= y\n';
  expect((await detect({ Makefile: makefile })).scripts).toEqual(['make all', 'make test']);
});

test('takes each command from the runner that has it', async () => {
  const files = {
    Makefile: 'test:\n',
    'Taskfile.yml': 'tasks: {build: x, test: x}',
    'mise.toml': '[tasks]\nlint = "x"\n',
  };
  expect(pick(await detect(files))).toEqual(['task build', 'make test', 'mise run lint']);
  expect(pick(await detect({ ...files, 'Taskfile.yml': '' }))).toEqual(['make', 'make test', 'mise run lint']);
});

test('prefers a task to a guess, and the command of a toolchain to a task', async () => {
  const Makefile = 'build:\ntest:\nlint:\n';
  expect(pick(await detect({ Makefile, 'requirements.txt': '' }))).toEqual(['make build', 'make test', 'make lint']);
  expect(pick(await detect({ Makefile, 'go.mod': '' }))).toEqual(['go build ./...', 'go test ./...', 'make lint']);
  expect((await detect({ Makefile, 'go.mod': '', '.golangci.yml': '' })).linter).toBe('golangci-lint run');
});

test('says how many scripts are left out', async () => {
  const scripts = Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`s${i}`, 'x']));
  const answer = await detect({ ...packageJson({ scripts }), justfile: 'one:\n' });
  expect(answer.scripts).toHaveLength(51);
  expect(answer.scripts).toContain('just one');
  expect(answer.notes).toEqual(['package.json: it has 51 scripts, and 50 are listed: read the file for the rest']);
  const member = { ...packageJson({ workspaces: ['a'] }), 'a/package.json': json({ scripts }) };
  expect((await detect(member)).notes).toEqual([]);
});

test('lists mise only if it has tasks', async () => {
  expect(await detect({ 'mise.toml': '[tools]\nnode = "22"\n' })).toMatchObject({ task_runners: [], scripts: [] });
});

test.for([
  ['three quotes', "usage := '''\nbuild:\ntest:\n'''\nreal:\n  echo\n"],
  ['three double quotes', 'x := """\na \\""" :\nbuild:\n"""\nreal:\n'],
  ['three backticks', 'x := ```\nbuild:\n```\nreal:\n'],
  ['a quote', "x := 'a\nbuild:\n' + 'b\ntest:\n' # it's\nreal:\n"],
  ['a double quote', 'x := "a \\"\nbuild:\n"\nreal:\n'],
  ['a backtick', 'x := `echo "\nbuild:\n`\nreal:\n'],
  ['quotes in an attribute', "[doc('''\nbuild:\n''')]\nreal:\n"],
  ['quotes in a parameter', "real a='\nbuild: ' b='c':\n"],
  ['an apostrophe in a body', "_a:\n  echo it's\nreal:\n  echo '\n"],
  ['an apostrophe below a blank line and a comment', "_a: # it's\n\n# x\n  echo it's\nreal:\n  echo '\n"],
  ['a quote on a line that goes on', "set shell := [\n  'a',\n  '\nbuild:\n']\nreal:\n"],
  ['a quote that nothing closes', "x := 'a\nreal:\n  x\n"],
] as const)('does not take text of a justfile for a recipe: %s', async ([, justfile]) => {
  const { scripts, build_tool, notes } = await detect({ justfile });
  expect({ scripts, build_tool, notes }).toEqual({ scripts: ['just real'], build_tool: undefined, notes: [] });
});

test.for([
  ['an assignment', 'FILES = a \\\ntest: \\\n b\nreal:\n\tx\n', ['real']],
  ['a command', 'real:\n\techo \\\ntest:\n', ['real']],
  ['a comment', '# a \\\ntest:\nreal:\n', ['real']],
  ['what is needed', `real: a \\\r\n  ${'b '.repeat(1_500)} \\\n c\ntest:\n`, ['real', 'test']],
  ['targets', 'a \\\nb: c\n', ['a', 'b']],
  ['nothing, where it is escaped', 'A = \\\\\ntest:\n', ['test']],
] as const)('continues a Makefile line after a backslash: %s', async ([, Makefile, targets]) => {
  expect((await detect({ Makefile })).scripts).toEqual(targets.map((target) => `make ${target}`));
});

test.for([
  ['a bracket', 'tasks:\n  a:\n    cmds: [\n      go build\n    ]\n  b: {}\n'],
  ['a brace', 'tasks: {\n  a: {\n    cmd: x\n  },\n  b: x,\n}\n'],
  ['brackets in a list', 'vars:\n- [\n  x\n]\r\ntasks:\n  a: x\n  b:\n    - cmds: [\n        y\n      ]\n'],
  ['a merge', 'x: &x\n  a: y\n  b: z\ntasks:\n  <<: *x\n'],
  ['a merge of all', 'x: &x\n  tasks: {a: y, b: z}\n<<: *x\n'],
] as const)('reads a Taskfile with %s as other parsers do', async ([, text]) => {
  const { scripts, notes } = await detect({ 'Taskfile.yml': text });
  expect({ scripts, notes }).toEqual({ scripts: ['task a', 'task b'], notes: [] });
});

test.for([
  ['comments', '# a\n\n  # b\r\n'],
  ['three dashes', '---\n'],
  ['both', '# a\n--- # b\n \n# c\u2028d'],
] as const)('takes a YAML file with nothing but %s for an empty one', async ([, text]) => {
  const answer = await detect({ 'pnpm-workspace.yaml': text, 'Taskfile.yml': text });
  expect(answer).toMatchObject({ members: [], task_runners: ['task'], notes: [] });
});

test('lists the tasks of turbo and nx', async () => {
  const turbo = { 'turbo.json': json({ tasks: { build: {}, '//#fmt': {}, 'a#b': {} } }) };
  expect((await detect(turbo)).scripts).toEqual(['npx turbo run build']);
  const nx = { 'nx.json': json({ targetDefaults: { test: {}, '@nx/js:tsc': {} } }) };
  expect((await detect(nx)).scripts).toEqual(['npx nx run-many -t test']);
});

test('lists no private recipe, and takes none that needs arguments for a command', async () => {
  const justfile =
    '[private]\nhidden:\n\ntest file:\n  x {{file}}\n\nlint *args:\n\nbuild mode="a b" other=\'c\':\n\n[group: "a"]\nopen:\n';
  const answer = await detect({ justfile, ...packageJson({ scripts: { test: 'vitest' } }) });
  expect(answer.scripts).toEqual(['npm run test', 'just test', 'just lint', 'just build', 'just open']);
  expect(pick(answer)).toEqual(['just build', 'npm run test', 'just lint']);
});
