// Prints the measures of the source by which the house is kept in order, and fails where one is over its limit.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { parseSync, Visitor } from 'rolldown/utils';
import { countCircles } from './count-circles.mjs';
import { lazySchemas, lightLibraries } from './light-libraries.mjs';
import { plainNodeFs } from './program.mjs';
import { scriptText } from './script-text.mjs';
import { ROOT } from './setup.mjs';

const MAX_FILES_IN_EDIT = 41;
const MAX_PARAMETERS = 3;
/** The one engine that matches names and paths: at most so many files, and lines. */
const MATCHING = 'packages/workspace/src/walk/rules/';
const MAX_MATCHING = { files: 8, lines: 1_000 };
/** A type is named for what it is: a bare participle or verb says nothing to who reads an import. */
const BARE_TYPE =
  /^(?!Embed|Need|Speed|Seed|Feed)([A-Z][a-z]+ed|Found|Kept|Given|Known|Told|Shown|Read|Cut|Meant|Looks|Aims|Whole|Seen|Ran|Taken|Taking|Telling|Chosen|Driven|Hidden|Broken|Spend|Take|Takes|Ask|Asking|Act|Decide|Locate|Detect|Recognize|Compile|Truncate|Connect|Split|Spoil|Launch|Undone|Braced|Where|Wrong|Reporting|Renaming|Replacing|Cutting|Denying|Showing|Sharing|Keeping|Running|Updating|Waiting|Narrowing|Fitting|Shortening|Answering|Matching|Finish|Handling|Listening|Mentioning|Pending|Visit|Warn|Paint|Unreadable|Matchable|Look|Watch|Beside|Fate|Sight)$/;
/** A tool may stand in two toolsets, and each program has a main.ts. */
const SHARED_NAMES = /^(index|main|read-file|list-dir|edit-file|find-files)\.ts$/;

const owners = ['apps', 'packages']
  .flatMap((top) => fs.readdirSync(path.join(ROOT, top)).map((name) => `${top}/${name}`))
  .filter((owner) => fs.existsSync(path.join(ROOT, owner, 'src')));
const sources = owners
  .filter((owner) => owner !== 'packages/testkit')
  .flatMap(sourcesOf)
  .map(measureFile);

const functions = sources.flatMap((source) => source.functions);
const matching = sources.filter(({ file }) => file.startsWith(MATCHING));
// Lint holds that there are none by values.
const circles = { values: countCircles(sources, 'values'), all: countCircles(sources, 'imports') };
const tests = owners.flatMap((owner) => filesOf(owner, /\.test\.ts$|(?:^|\/)fixture\/.*\.tsx?$/));
const mocked = tests.filter(mocksModules);
const faults = [
  ...mocked.map((file) => `${file}: a mock in the place of a module`),
  ...sharedNames(),
  ...sources.flatMap(({ file, unfinished }) => unfinished.map((what) => `${file}: ${what}`)),
  ...(matching.length > MAX_MATCHING.files || sum(matching.map(({ lines }) => lines)) > MAX_MATCHING.lines
    ? [`${MATCHING} has more than ${MAX_MATCHING.files} files or ${MAX_MATCHING.lines} lines`]
    : []),
  ...sources.flatMap(({ file, types }) =>
    types.filter((name) => BARE_TYPE.test(name)).map((name) => `${file}: type ${name}`),
  ),
];

const rows = [
  ['source files', sources.length],
  ['lines', sum(sources.map(({ lines }) => lines))],
  ['lines a file: median / p90 / max', spread(sources.map(({ lines }) => lines))],
  ['lines a function: median / p90 / max', spread(functions.map(({ lines }) => lines))],
  [
    'functions with more than three parameters',
    functions.filter(({ parameters }) => parameters > MAX_PARAMETERS).length,
  ],
  ['casts with as', sum(sources.map(({ casts }) => casts))],
  [
    'any, non-null !, default exports, TODO, @ts-ignore',
    sum(sources.map(({ forbidden, unfinished }) => forbidden + unfinished.length)),
  ],
  ['tests that put a mock in the place of a module', mocked.length],
  ['circles of files: by values / with types and import()', `${circles.values} / ${circles.all}`],
  [
    'files that match names and paths: files / lines',
    `${matching.length} / ${sum(matching.map(({ lines }) => lines))}`,
  ],
  ['names of tests and fixtures that another file has', countSharedTests()],
  ['files that run in one edit_file', await filesInEdit()],
];
for (const [name, value] of rows) console.log(`${name.padEnd(56)} ${value}`);
const edit = rows.at(-1)[1];
if (edit > MAX_FILES_IN_EDIT) faults.push(`edit_file runs ${edit} files; at most ${MAX_FILES_IN_EDIT} may run`);
const shown = process.argv.includes('--all') ? faults.length : 40;
for (const fault of faults.slice(0, shown)) console.error(fault);
if (faults.length > shown) console.error(`and ${faults.length - shown} more; --all shows them`);
if (faults.length > 0) process.exitCode = 1;

function sourcesOf(owner) {
  return filesOf(owner, /\.tsx?$/).filter((name) => !/\.test\.ts$|\.d\.ts$|\/fixture\//.test(name));
}

function filesOf(owner, name) {
  const files = fs.readdirSync(path.join(ROOT, owner, 'src'), { recursive: true });
  return files.filter((file) => name.test(file)).map((file) => `${owner}/src/${file}`);
}

function mocksModules(file) {
  return /\bvi\.(?:mock|doMock)\(/.test(fs.readFileSync(path.join(ROOT, file), 'utf8'));
}

function measureFile(file) {
  const text = fs.readFileSync(path.join(ROOT, file), 'utf8');
  const { program, comments } = parseSync(file, text);
  const lineOf = (offset) => text.slice(0, offset).split('\n').length;
  const measured = {
    file,
    lines: text.split('\n').length - 1,
    functions: [],
    types: [],
    casts: 0,
    /** What lint forbids. */
    forbidden: 0,
    unfinished: comments.flatMap(({ value }) => /\bTODO\b|@ts-(?:ignore|nocheck)/.exec(value) ?? []),
    /** The files that it imports: those of which it needs a value at once, and all. */
    values: new Set(),
    imports: new Set(),
  };
  const addImport = (source, isValue) => {
    if (!source?.value?.startsWith('.')) return;
    const target = path.posix.join(path.posix.dirname(file), source.value);
    measured.imports.add(target);
    if (isValue) measured.values.add(target);
  };
  const addImports = ({ source, importKind, exportKind, specifiers }) =>
    addImport(source, (importKind ?? exportKind) === 'value' && !areTypes(specifiers));
  const addFunction = (node) => {
    measured.functions.push({
      lines: lineOf(node.end) - lineOf(node.start) + 1,
      parameters: (node.params ?? node.value.params).length,
    });
  };
  new Visitor({
    ImportDeclaration: addImports,
    ImportExpression: ({ source }) => addImport(source, false),
    TSImportType: ({ source }) => addImport(source, false),
    ExportNamedDeclaration: addImports,
    FunctionDeclaration: addFunction,
    MethodDefinition: (node) => node.kind !== 'get' && addFunction(node),
    VariableDeclaration: (node) => {
      const [{ init }] = node.declarations;
      if (init?.type === 'ArrowFunctionExpression') addFunction(init);
    },
    TSInterfaceDeclaration: (node) => measured.types.push(node.id.name),
    TSTypeAliasDeclaration: (node) => measured.types.push(node.id.name),
    ClassDeclaration: (node) => node.id && measured.types.push(node.id.name),
    TSAnyKeyword: () => measured.forbidden++,
    TSNonNullExpression: () => measured.forbidden++,
    ExportDefaultDeclaration: () => measured.forbidden++,
    TSAsExpression: (node) => {
      if (node.typeAnnotation.typeName?.name !== 'const') measured.casts++;
    },
  }).visit(program);
  return measured;
}

function areTypes(specifiers) {
  return (
    specifiers.length > 0 && specifiers.every(({ importKind, exportKind }) => (importKind ?? exportKind) === 'type')
  );
}

function sharedNames() {
  const names = groupBy(({ file }) => path.basename(file)).filter(([name]) => !SHARED_NAMES.test(name));
  return names
    .filter(([, { length }]) => length > 1)
    .map(([, files]) => `one name: ${files.map(({ file }) => file).join(', ')}`);
}

function groupBy(keyOf) {
  const groups = new Map();
  for (const source of sources) groups.set(keyOf(source), [...(groups.get(keyOf(source)) ?? []), source]);
  return [...groups];
}

function countSharedTests() {
  const names = [...sources.map(({ file }) => file), ...tests].map((file) => path.basename(file));
  return new Set(
    tests.map((file) => path.basename(file)).filter((name) => names.indexOf(name) < names.lastIndexOf(name)),
  ).size;
}

/** Counts the files of ours of which a function runs in one edit of a small file, by V8's own coverage. */
async function filesInEdit() {
  // SQLite is found from here, as from the program.
  const cache = path.join(ROOT, 'apps/jinn/node_modules/.cache');
  fs.mkdirSync(cache, { recursive: true });
  const folder = fs.mkdtempSync(path.join(cache, 'measure-'));
  try {
    const input = path.join(ROOT, 'apps/jinn/src/main.ts');
    const plugins = [plainNodeFs(), scriptText(), lightLibraries(), lazySchemas()];
    const bundle = await rolldown({ input, platform: 'node', plugins, logLevel: 'silent' });
    const dir = path.join(folder, 'dist');
    await bundle.write({ dir, format: 'cjs', preserveModules: true, preserveModulesRoot: ROOT });
    fs.mkdirSync(path.join(folder, 'workspace'));
    fs.writeFileSync(path.join(folder, 'workspace/a.txt'), 'one\ntwo\n');
    const main = fs.readdirSync(dir, { recursive: true }).find((name) => /apps\/jinn\/src\/main\.c?js$/.test(name));
    const request = { tool: 'edit_file', args: { path: 'a.txt', old_text: 'two', new_text: 'three' } };
    const env = {
      ...process.env,
      NODE_V8_COVERAGE: path.join(folder, 'coverage'),
      JINN_CONFIG_DIR: folder,
      XDG_CACHE_HOME: folder,
    };
    const options = { cwd: path.join(folder, 'workspace'), env, input: JSON.stringify(request), encoding: 'utf8' };
    const { stdout, stderr } = spawnSync(process.execPath, [path.join(dir, main)], options);
    if (!stdout.includes('"ok":true')) throw new Error(`the edit failed: ${stdout}${stderr}`);
    return countRun(path.join(folder, 'coverage'), pathToFileURL(dir).href);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function countRun(folder, prefix) {
  const [name] = fs.readdirSync(folder);
  const { result } = JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8'));
  const ours = result.filter(({ url }) => url.startsWith(prefix) && /\/(packages|apps)\/[^/]+\/src\//.test(url));
  return ours.filter(({ functions: all }) => all.slice(1).some(({ ranges }) => ranges[0].count > 0)).length;
}

function sum(numbers) {
  return numbers.reduce((total, each) => total + each, 0);
}

function spread(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  return [0.5, 0.9, 1].map((part) => sorted[Math.ceil(part * sorted.length) - 1]).join(' / ');
}
