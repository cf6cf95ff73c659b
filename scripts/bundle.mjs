// Bundles the app in the current directory: src/main.ts to dist/<name>.cjs, and what it imports lazily to chunks.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { lazySchemas, lightLibraries } from './light-libraries.mjs';

const SCHEMAS = path.join(import.meta.dirname, '../packages/toolsets/src/schemas');
const NODE_FS = '\0node:fs';

const LOADER = `#!/usr/bin/env node
const fs = require('node:fs');
const { Script } = require('node:vm');
const filename = __dirname + '/main.js';
const cachedData = fs.existsSync(__dirname + '/main.cache') ? fs.readFileSync(__dirname + '/main.cache') : undefined;
const script = new Script(fs.readFileSync(filename, 'utf8'), { filename, cachedData });
script.runInThisContext()(exports, require, module, __filename, __dirname);
`;

/** What a program reads when it is run once for the code that V8 compiles of it. */
const WARM_UP = {
  jinn: '{"tool":"read_file","args":{"path":"package.json"}}\n',
  'jinn-mcp': toLines([
    [1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'build', version: '1' } }],
    [undefined, 'notifications/initialized', {}],
    [2, 'tools/list', {}],
    [3, 'tools/call', { name: 'read_file', arguments: { path: 'package.json' } }],
  ]),
};

const { name } = JSON.parse(fs.readFileSync('package.json', 'utf8'));
fs.rmSync('dist', { recursive: true, force: true });
const bundle = await rolldown({
  input: { [name]: 'src/main.ts' },
  platform: 'node',
  preserveEntrySignatures: false,
  plugins: [plainNodeFs(), lightLibraries(), lazySchemas()],
});
await bundle.write({
  dir: 'dist',
  format: 'cjs',
  minify: true,
  entryFileNames: '[name].cjs',
  chunkFileNames: 'chunks/[name].cjs',
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [
      { name: toolOf, debugName: 'tools' },
      { name: familyOf, debugName: 'families' },
    ],
  },
});

keepCompiledCode();

/**
 * Puts the code beside what V8 compiled of it, which takes an eighth of the time of a one-shot call otherwise, and a
 * loader in its place. V8 refuses code of another version of itself, and compiles as ever.
 */
function keepCompiledCode() {
  const code = fs.readFileSync(`dist/${name}.cjs`, 'utf8').replace(/^#!.*\n/, '');
  fs.writeFileSync('dist/main.js', `(function (exports, require, module, __filename, __dirname) {${code}\n})`);
  fs.writeFileSync(`dist/${name}.cjs`, LOADER);
  fs.chmodSync(`dist/${name}.cjs`, 0o755);
  const args = [path.join(import.meta.dirname, 'code-cache.cjs'), 'dist/main.js', 'dist/main.cache'];
  const { status, stderr } = spawnSync(process.execPath, args, { input: WARM_UP[name], encoding: 'utf8' });
  if (status !== 0) throw new Error(`the bundle does not run: ${stderr}`);
}

/** JSON-RPC, a message a line. */
function toLines(messages) {
  return messages.map(([id, method, params]) => `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`).join('');
}

/** A tool and its schema share a chunk: finding and opening a file is a part of a millisecond of a one-shot call. */
function toolOf(id) {
  const base = path
    .basename(id)
    .replace(/\.\w+$/, '')
    .replaceAll('-', '_');
  return fs.existsSync(path.join(SCHEMAS, `${base}.json`)) && base !== 'read_file' ? base : null;
}

/** What every change loads, in two files for the same reason: its report, and the history without its archive. */
function familyOf(id) {
  if (
    /\/(change-report|changed-lines|unified-diff|mutate|reconcile|read-current|write-all|target|locks|process-identity|write-error)\.ts$/.test(
      id,
    )
  )
    return 'changes';
  if (/\/node_modules\/diff\//.test(id)) return 'changes';
  if (/\/node_modules\/better-sqlite3\//.test(id)) return 'history';
  return /\/store\/src\//.test(id) && !/\/(open-archive|to-drizzle|entries)\.ts$/.test(id) ? 'history' : null;
}

/** The default import of node:fs without the copy of all its properties that interoperation makes at each start. */
function plainNodeFs() {
  return {
    name: 'plain-node-fs',
    resolveId: (id) => (id === 'node:fs' ? NODE_FS : null),
    load: (id) => (id === NODE_FS ? `export default process.getBuiltinModule('node:fs');` : null),
  };
}
