// Bundles the library in the current directory: each module that package.json exports to dist, with its types, and dynamic imports
// to chunks.
import fs from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import { lightLibraries } from './light-libraries.mjs';
import { addGrammars, plainNodeFs } from './program.mjs';
import { scriptText } from './script-text.mjs';
import { ROOT } from './setup.mjs';

const MAIN = './src/index.ts';
const { exports, peerDependencies } = JSON.parse(fs.readFileSync('package.json', 'utf8'));
const names = Object.keys(exports).flatMap((name) => (name === '.' ? [] : [name.slice(2)]));
const input = { index: MAIN, ...Object.fromEntries(names.map((name) => [name, `./src/adapters/${name}.ts`])) };
const isPeer = (id) => Object.keys(peerDependencies).some((name) => id === name || id.startsWith(`${name}/`));
const code = { external: isPeer, plugins: [plainNodeFs(), scriptText(), lightLibraries()] };

fs.rmSync('dist', { recursive: true, force: true });
const atOnce = await modulesAtOnce();
const groups = [{ name: 'core', test: (id) => atOnce.has(id) }];
await write({ input, ...code }, { minify: true, codeSplitting: { groups } });
// Of other packages, only types of the frameworks are left.
const types = dts({ dtsOnly: true, cwd: ROOT, tsconfig: path.join(ROOT, 'tsconfig.json') });
await write({ input, external: (id) => /^(?!@jinn\/)[\w@]/.test(id), plugins: [types] });
addGrammars();

/** Returns what the library imports at once. It becomes one chunk: to load a chunk takes longer than to run it. */
async function modulesAtOnce() {
  const bundle = await rolldown({ input: { index: MAIN }, platform: 'node', ...code });
  const { output } = await bundle.generate({ format: 'esm' });
  await bundle.close();
  const chunks = new Map(output.map((chunk) => [chunk.fileName, chunk]));
  const found = new Set(['index.js']);
  for (const name of found) for (const imported of chunks.get(name)?.imports ?? []) found.add(imported);
  return new Set([...found].flatMap((name) => chunks.get(name)?.moduleIds ?? []));
}

async function write(options, output) {
  const bundle = await rolldown({ platform: 'node', ...options });
  await bundle.write({ dir: 'dist', format: 'esm', chunkFileNames: 'chunks/[name]-[hash].js', ...output });
  await bundle.close();
}
