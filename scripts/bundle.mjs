// Bundles the app in the current directory: src/main.ts to dist/<name>.cjs, and dynamic imports to chunks.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { lazySchemas, lightLibraries } from './light-libraries.mjs';
import { scriptText } from './script-text.mjs';

const GRAMMARS = path.join(import.meta.dirname, '../packages/syntax/dist/grammars');
const NODE_FS = '\0node:fs';
/**
 * Code that several chunks need gets a file of its own, however small: merged into a chunk of other code, it would make its
 * users load that too, and what that needs.
 */
const SHARED = 'shared';

/** Runs the bundle's files as `require` would, with the code that V8 compiled at build time. */
const LOADER = `#!/usr/bin/env node
const fs = require('node:fs');
const { Script } = require('node:vm');
const loaded = new Map([[__filename, module]]);
function load(filename) {
  const known = loaded.get(filename);
  if (known) return known.exports;
  const own = { exports: {} };
  loaded.set(filename, own);
  run(filename, own);
  return own.exports;
}
function run(filename, own) {
  const cache = filename + '.cache';
  const cachedData = fs.existsSync(cache) ? fs.readFileSync(cache) : undefined;
  const script = new Script(fs.readFileSync(filename, 'utf8'), { filename, cachedData });
  script.runInThisContext()(own.exports, requireFrom, own, filename, __dirname);
}
function requireFrom(id) {
  if (!id.startsWith('.')) return require(id);
  const base = id.slice(id.lastIndexOf('/') + 1);
  return load(base === 'NAME.cjs' ? __filename : __dirname + '/chunks/' + base);
}
run(__dirname + '/main.js', module);
`;

/** The files of a home in which the bundle is run. */
const HOME_FILES = {
  'package.json': '{ "name": "a", "scripts": { "test": "a" }, "dependencies": { "vue": "3" } }\n',
  'pnpm-workspace.yaml': 'packages:\n  - packages/*\ncatalog:\n  a: "1"\nstrict: true\n',
  'turbo.json': '{ "tasks": { "build": {} } }\n',
  'Taskfile.yml': 'version: "3"\ntasks:\n  build:\n    cmds: [a]\n',
  'packages/a/package.json': '{ "name": "b" }\n',
  'Cargo.toml': '[package]\nname = "a"\n[dependencies]\naxum = "1"\n',
  'README.md': '# Anything\n\nAnything else.\n',
  'main.ts': '/** Anything. */\nexport class A {\n  run(): void {}\n}\n',
  '.config/jinn/tools/a/tool.md':
    '---\nname: a\nscript: a.sh\nruntime: bash\ninputSchema:\n  type: object\n  properties: {}\noutputSchema:\n  type: object\n  properties: {}\n---\n\nAnything.\n',
  '.config/jinn/tools/a/a.sh': 'echo "{}"\n',
  '.claude/kb/note.md': '---\ndescription: Anything\ntags: [a]\n---\n# Anything\n\n## Else\n',
};

/** With this many directories that did not change for this long, jinn keeps their names for the next process. */
const DIRECTORIES = 200;
const SETTLING_MS = 2_100;

/**
 * The runs that a bundle makes when it is built, so that V8's code of each chunk is kept. The code of the main file is kept
 * after the first run alone.
 */
const WARM_UP = {
  jinn: [
    [{ tool: 'read_file', args: { path: 'package.json' } }],
    [
      { tool: 'stat_file', args: { path: 'package.json' } },
      { tool: 'list_dir', args: {} },
      { tool: 'find_files', args: { pattern: '*.md' } },
      { tool: 'search_files', args: { pattern: 'Anything' } },
      { tool: 'memory', args: { action: 'save', key: 'a', value: 'b' } },
      { tool: 'memory', args: { action: 'recall', key: 'a' } },
      { tool: 'write_file', args: { path: 'edited.md', content: 'Anything\n' } },
      { tool: 'edit_file', args: { path: 'edited.md', old_text: 'Anything', new_text: 'Else' } },
      { tool: 'run_shell', args: { command: 'echo' } },
      { tool: 'checksum_tree', args: {} },
      { tool: 'diff_files', args: { path_a: 'package.json', path_b: 'README.md' } },
      { tool: 'apply_patch', args: { patch: '*** Begin Patch\n*** Add File: a\n+a\n*** End Patch', dry_run: true } },
      { tool: 'detect_project' },
      { tool: 'related_context', args: { query: 'anything', client: 'all' } },
      { tool: 'related_context', args: { query: 'anything', client: 'all' } },
      { tool: 'a', args: {} },
    ],
  ]
    .map((requests) => toRun([], requests))
    .concat(
      toRun(
        ['--toolset', 'codescout'],
        [
          { tool: 'read_file', args: { path: 'package.json' } },
          { tool: 'list_dir', args: { path: '.' } },
          { tool: 'find_file', args: { pattern: '*.md' } },
          { tool: 'search_pattern', args: { pattern: 'Anything' } },
          { tool: 'create_file', args: { path: 'created', content: 'a' } },
          { tool: 'edit_file', args: { path: 'created', old_string: 'a', new_string: 'b' } },
          { tool: 'run_command', args: { command: 'rm created', acknowledge_risk: true } },
        ],
      ),
      toRun(
        ['--toolset', 'jinn,symbols'],
        [
          { tool: 'read_file', args: { path: 'main.ts', symbol: 'A/run' } },
          { tool: 'list_symbols', args: { path: 'main.ts' } },
          { tool: 'find_symbol', args: { pattern: 'run' } },
          { tool: 'replace_symbol', args: { path: 'main.ts', name_path: 'A/run', new_body: 'run(): void {}' } },
        ],
      ),
    ),
  jinni: [
    { args: ['-l'], input: '' },
    { args: ['--no-copy'], input: '' },
  ],
  'jinn-mcp': [
    {
      args: [],
      input: toLines([
        [
          1,
          'initialize',
          { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'build', version: '1' } },
        ],
        [undefined, 'notifications/initialized', {}],
        [2, 'tools/list', {}],
        [3, 'tools/call', { name: 'read_file', arguments: { path: 'package.json' } }],
      ]),
    },
  ],
};

const { name } = JSON.parse(fs.readFileSync('package.json', 'utf8'));
const home = makeHome();
const settled = new Promise((resolve) => setTimeout(resolve, SETTLING_MS));
fs.rmSync('dist', { recursive: true, force: true });
const bundle = await rolldown({
  input: { [name]: 'src/main.ts' },
  platform: 'node',
  preserveEntrySignatures: false,
  plugins: [plainNodeFs(), scriptText(), lightLibraries(), lazySchemas()],
});
const { output } = await bundle.write({
  dir: 'dist',
  format: 'cjs',
  minify: true,
  entryFileNames: '[name].cjs',
  chunkFileNames: ({ name }) => `chunks/${name.startsWith(SHARED) ? `${SHARED}-[hash]` : '[name]'}.cjs`,
  // The chunks follow the dynamic imports: what a start needs, what several imports need, and the rest of each.
  codeSplitting: {
    groups: [
      { name: 'start', tags: ['$initial'], priority: 1 },
      { name: SHARED, minShareCount: 2, entriesAware: true },
    ],
  },
});

addGrammars();
await settled;
keepCompiledCode();
fs.rmSync(home, { recursive: true });

/** A program that parses source files has the grammars beside it. */
function addGrammars() {
  const parses = output.some(({ moduleIds = [] }) => moduleIds.some((id) => id.includes('/packages/syntax/src/')));
  if (parses) fs.cpSync(GRAMMARS, 'dist/grammars', { recursive: true });
}

/**
 * Keeps V8's compiled code beside each file, and puts a loader in the place of the program. Compiling would take an eighth of
 * a one-shot call. V8 refuses code of another version and compiles again.
 */
function keepCompiledCode() {
  wrap(`dist/${name}.cjs`, 'dist/main.js');
  for (const chunk of fs.readdirSync('dist/chunks')) wrap(`dist/chunks/${chunk}`, `dist/chunks/${chunk}`);
  fs.writeFileSync(`dist/${name}.cjs`, LOADER.replace('NAME', name));
  fs.chmodSync(`dist/${name}.cjs`, 0o755);
  const options = {
    cwd: home,
    encoding: 'utf8',
    env: { ...process.env, HOME: home, JINN_CONFIG_DIR: `${home}/.config`, XDG_CACHE_HOME: `${home}/.cache` },
  };
  const program = path.resolve(`dist/${name}.cjs`);
  const runs = WARM_UP[name];
  // The first run fills jinn's cache; then one file is new, as in daily use.
  for (const { args, input } of runs) run([program, ...args], { input, ...options });
  fs.writeFileSync(path.join(home, 'new.md'), 'Anything\n');
  const keeping = path.join(import.meta.dirname, 'code-cache.cjs');
  for (const { args, input } of runs) run([keeping, program, ...args], { input, ...options });
}

function run(args, options) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, options);
  if (status !== 0) throw new Error(`the bundle does not run: ${stdout}${stderr}`);
}

/** Makes a run of jinn with these flags and requests. */
function toRun(args, requests) {
  return { args, input: requests.map((request) => JSON.stringify(request)).join('\n') };
}

/** Writes JSON-RPC messages, one a line. */
function toLines(messages) {
  return messages.map(([id, method, params]) => `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`).join('');
}

/** Wraps a module into the function that the loader runs. */
function wrap(from, to) {
  const code = fs.readFileSync(from, 'utf8').replace(/^#!.*\n/, '');
  fs.writeFileSync(to, `(function (exports, require, module, __filename, __dirname) {${code}\n})`);
}

function makeHome() {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'jinn-build-'));
  const many = Array.from({ length: DIRECTORIES }, (_, i) => [`docs/${i}/a/note.md`, 'Anything\n']);
  for (const [file, content] of [...Object.entries(HOME_FILES), ...many]) {
    fs.mkdirSync(path.dirname(path.join(home, file)), { recursive: true });
    fs.writeFileSync(path.join(home, file), content);
  }
  return home;
}

/** Imports node:fs without copying all of its properties at each start, as interoperation would. */
function plainNodeFs() {
  return {
    name: 'plain-node-fs',
    resolveId: (id) => (id === 'node:fs' ? NODE_FS : null),
    load: (id) => (id === NODE_FS ? `export default process.getBuiltinModule('node:fs');` : null),
  };
}
