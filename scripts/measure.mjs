// Prints the measures of the source by which the house is kept in order, and fails where one is over its limit.
import fs from 'node:fs';
import path from 'node:path';
import { parseSync, Visitor } from 'rolldown/utils';
import { countCircles } from './count-circles.mjs';
import { findFilesRun } from './files-run.mjs';
import { ROOT } from './setup.mjs';

/** The lines at the last look. More than `MAX_GROWTH` beyond it needs a new number here, and a reason in the commit. */
const RECORDED_LINES = 90_822;
const MAX_GROWTH = 200;
const MAX_PACKAGES = 21;
/** A smaller file has two importers, or is loaded on its own. */
const MIN_LINES = 40;
const MAX_FILES_RUN = { read_file: 19, edit_file: 28, run_shell: 56, search_files: 42, http: 65 };
const MAX_PARAMETERS = 3;
/** The one engine that matches names and paths: at most so many files, and lines. */
const MATCHING = 'packages/workspace/src/walk/rules/';
const MAX_MATCHING = { files: 8, lines: 1_000 };
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
const lines = sum(sources.map((source) => source.lines));
const matching = sources.filter(({ file }) => file.startsWith(MATCHING));
const matchingLines = sum(matching.map((source) => source.lines));
// Lint holds that there are none by values.
const circles = { values: countCircles(sources, 'values'), all: countCircles(sources, 'imports') };
const tests = owners.flatMap((owner) => filesOf(owner, /\.test\.ts$|(?:^|\/)fixture\/.*\.tsx?$/));
const mocked = tests.filter(mocksModules);
const packages = fs.readdirSync(path.join(ROOT, 'packages')).length;
const filesRun = Object.entries(await findFilesRun()).map(([flow, files]) => ({ flow, count: files.length }));
const faults = [
  ...mocked.map((file) => `${file}: a mock in the place of a module`),
  ...sharedNames(),
  ...sharedExports(),
  ...fragments(),
  ...sources.flatMap(({ file, unfinished }) => unfinished.map((what) => `${file}: ${what}`)),
  ...over('lines', lines, RECORDED_LINES + MAX_GROWTH),
  ...over('packages', packages, MAX_PACKAGES),
  ...over('circles of files', circles.all, 0),
  ...over(`files in ${MATCHING}`, matching.length, MAX_MATCHING.files),
  ...over(`lines in ${MATCHING}`, matchingLines, MAX_MATCHING.lines),
  ...filesRun.flatMap(({ flow, count }) => over(`files that run in ${flow}`, count, MAX_FILES_RUN[flow])),
];

const rows = [
  ['source files', sources.length],
  ['lines', lines],
  ['lines a file: median / p90 / max', spread(sources.map((source) => source.lines))],
  ['lines a function: median / p90 / max', spread(functions.map((each) => each.lines))],
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
  ['files that match names and paths: files / lines', `${matching.length} / ${matchingLines}`],
  ['names of tests and fixtures that another file has', countSharedTests()],
  ...filesRun.map(({ flow, count }) => [`files that run in ${flow}`, count]),
];
for (const [name, value] of rows) console.log(`${name.padEnd(56)} ${value}`);
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
    exports: [],
    casts: 0,
    /** What lint forbids. */
    forbidden: 0,
    unfinished: comments.flatMap(({ value }) => /\bTODO\b|@ts-(?:ignore|nocheck)/.exec(value) ?? []),
    /** The files that it imports: those of which it needs a value at once, all, and those that it loads by import(). */
    values: new Set(),
    imports: new Set(),
    loads: new Set(),
  };
  const addImport = (source, isValue) => {
    const target = source?.value && resolve(file, source.value);
    if (!target) return;
    measured.imports.add(target);
    if (isValue) measured.values.add(target);
    return target;
  };
  const addImports = ({ source, importKind, exportKind, specifiers }) => {
    const target = addImport(source, (importKind ?? exportKind) === 'value' && !areTypes(specifiers));
    // Such a module is loaded for what it does.
    if (source && specifiers.length === 0) measured.loads.add(target);
  };
  const addFunction = (node) => {
    measured.functions.push({
      lines: lineOf(node.end) - lineOf(node.start) + 1,
      parameters: (node.params ?? node.value.params).length,
    });
  };
  new Visitor({
    ImportDeclaration: addImports,
    ImportExpression: ({ source }) => measured.loads.add(addImport(source, false)),
    TSImportType: ({ source }) => addImport(source, false),
    ExportNamedDeclaration: (node) => {
      addImports(node);
      measured.exports.push(...namesOf(node.declaration));
    },
    FunctionDeclaration: addFunction,
    MethodDefinition: (node) => node.kind !== 'get' && addFunction(node),
    VariableDeclaration: (node) => {
      const [{ init }] = node.declarations;
      if (init?.type === 'ArrowFunctionExpression') addFunction(init);
    },
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

function namesOf(declaration) {
  if (!declaration) return [];
  const declared = declaration.declarations ?? [declaration];
  return declared.flatMap(
    ({ id }) =>
      id?.name ?? id?.properties?.map(({ value }) => value.name) ?? id?.elements?.map(({ name }) => name) ?? [],
  );
}

/** Returns the source file that a file means by an import; undefined if it is not one of ours. */
function resolve(file, specifier) {
  if (specifier.startsWith('.')) return path.posix.join(path.posix.dirname(file), specifier);
  const [, name, rest] = /^@jinn\/([^/]+)(?:\/(.*))?$/.exec(specifier) ?? [];
  if (!name) return undefined;
  const { exports = {} } = JSON.parse(fs.readFileSync(path.join(ROOT, 'packages', name, 'package.json'), 'utf8'));
  const key = rest ? `./${rest}` : '.';
  const isWildFor = (pattern) => pattern.endsWith('*') && key.startsWith(pattern.slice(0, -1));
  const [pattern, wild] = Object.entries(exports).find(([each]) => isWildFor(each)) ?? [];
  const target = exports[key] ?? wild?.replace('*', key.slice(pattern.length - 1));
  return target && path.posix.join('packages', name, target);
}

/** Names the small files that belong into the file that imports them. */
function fragments() {
  const loaded = new Set(sources.flatMap(({ loads }) => [...loads]));
  const small = sources.filter(({ file, lines }) => lines < MIN_LINES && !/\/(?:index|main)\.tsx?$/.test(file));
  const importersOf = ({ file }) => sources.filter(({ imports }) => imports.has(file)).map((source) => source.file);
  // What an index exports is of the whole package, and a file without an importer is a start of its own.
  const isAlone = (source) => importersOf(source).length === 1 && !importersOf(source)[0].endsWith('/index.ts');
  return small
    .filter((source) => !loaded.has(source.file) && isAlone(source))
    .map(({ file, lines }) => `${file}: ${lines} lines for one importer`);
}

function sharedExports() {
  const owners = new Map();
  for (const { file, exports } of sources)
    for (const name of new Set(exports)) owners.set(name, [...(owners.get(name) ?? []), file]);
  // A tool may stand in two toolsets, and each adapter of the library gives the tools in the form of another one.
  const isMeant = (file) => SHARED_NAMES.test(path.basename(file)) || file.startsWith('packages/sdk/src/adapters/');
  return [...owners]
    .filter(([, files]) => files.length > 1 && !files.every(isMeant))
    .map(([name, files]) => `${name} is exported by ${files.join(', ')}`);
}

function over(what, count, limit) {
  return count > limit ? [`${what}: ${count}; at most ${limit}`] : [];
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

function sum(numbers) {
  return numbers.reduce((total, each) => total + each, 0);
}

function spread(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  return [0.5, 0.9, 1].map((part) => sorted[Math.ceil(part * sorted.length) - 1]).join(' / ');
}
