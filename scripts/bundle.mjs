// Bundles the app in the current directory: src/main.ts to dist/<name>.cjs, and what it imports lazily to chunks.
import fs from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';

const SCHEMAS = path.join(import.meta.dirname, '../packages/toolsets/src/schemas');
const NODE_FS = '\0node:fs';

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
  if (/\/(change-report|changed-lines|unified-diff|mutate|reconcile|read-current|write-all)\.ts$/.test(id))
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
