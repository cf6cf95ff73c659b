// Bundles the app in the current directory: src/main.ts to dist/<name>.cjs, and what it imports lazily to chunks.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';

const SCHEMAS = path.join(import.meta.dirname, '../packages/toolsets/src/schemas');
const NODE_FS = '\0node:fs';

/** Code that lies beside its compiled form, and what stands in its place. */
const loaderOf = (base) => `const fs = require('node:fs');
const { Script } = require('node:vm');
const filename = __dirname + '/${base}.js';
const cache = __dirname + '/${base}.cache';
const cachedData = fs.existsSync(cache) ? fs.readFileSync(cache) : undefined;
const script = new Script(fs.readFileSync(filename, 'utf8'), { filename, cachedData });
script.runInThisContext()(exports, require, module, __filename, __dirname);
`;

const name = path.basename(process.cwd());
fs.rmSync('dist', { recursive: true, force: true });
const bundle = await rolldown({
  input: { [name]: 'src/main.ts' },
  platform: 'node',
  preserveEntrySignatures: false,
  plugins: [plainNodeFs()],
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

keepCompiledCode(`${name}.cjs`, 'main', { tool: 'read_file', args: { path: 'package.json' } });
if (fs.existsSync('dist/chunks/run_shell.cjs')) {
  const request = { tool: 'run_shell', args: { command: 'echo' } };
  for (const base of ['run_shell', 'bash']) keepCompiledCode(`chunks/${base}.cjs`, base, request);
}

/**
 * Puts the code of a file beside what V8 compiled of it while it answered a request, and a loader in its place: to compile
 * takes an eighth of the time of a one-shot call otherwise. V8 refuses code of another version of itself, and compiles as ever.
 */
function keepCompiledCode(file, base, request) {
  const folder = path.join('dist', path.dirname(file));
  const [, interpreter = '', code] = /^(#!.*\n)?([\s\S]*)$/.exec(fs.readFileSync(`dist/${file}`, 'utf8'));
  fs.writeFileSync(
    path.join(folder, `${base}.js`),
    `(function (exports, require, module, __filename, __dirname) {${code}\n})`,
  );
  fs.writeFileSync(`dist/${file}`, interpreter + loaderOf(base));
  const args = [path.join(import.meta.dirname, 'code-cache.cjs'), `dist/${name}.cjs`, path.join(folder, base)];
  const input = `${JSON.stringify(request)}\n`;
  const { status, stderr } = spawnSync(process.execPath, args, { input, encoding: 'utf8' });
  if (status !== 0 || !fs.existsSync(path.join(folder, `${base}.cache`))) {
    throw new Error(`the bundle does not run: ${stderr}`);
  }
}

/** A tool and its schema share a chunk: finding and opening a file is a part of a millisecond of a one-shot call. */
function toolOf(id) {
  if (/\/packages\/(shell|process)\/src\/(?!replace-matches)/.test(id)) return 'run_shell';
  if (id.includes('/packages/bash/src/')) return 'bash';
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
