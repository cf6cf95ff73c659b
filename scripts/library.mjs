// Bundles the library in the current directory: src/index.ts to dist/index.js with its types, and dynamic imports to chunks.
import fs from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import { lightLibraries } from './light-libraries.mjs';
import { plainNodeFs } from './program.mjs';
import { scriptText } from './script-text.mjs';
import { ROOT } from './setup.mjs';

const GRAMMARS = path.join(import.meta.dirname, '../packages/syntax/dist/grammars');
const { peerDependencies = {} } = JSON.parse(fs.readFileSync('package.json', 'utf8'));
const peers = Object.keys(peerDependencies);
const input = Object.fromEntries(
  ['index.ts', ...adapters()].map((file) => [file.replace(/\.ts$/, ''), `./src/${file}`]),
);

fs.rmSync('dist', { recursive: true, force: true });
await write({ external: isPeer, plugins: [plainNodeFs(), scriptText(), lightLibraries()] }, { minify: true });
// Of other packages, only types that the library shows would be left, and there are none.
const types = dts({ dtsOnly: true, cwd: ROOT, tsconfig: path.join(ROOT, 'tsconfig.json') });
await write({ external: (id) => /^(?!@jinn\/)[\w@]/.test(id), plugins: [types] });
fs.cpSync(GRAMMARS, 'dist/grammars', { recursive: true });

async function write(options, output) {
  const bundle = await rolldown({ input, platform: 'node', ...options });
  await bundle.write({ dir: 'dist', format: 'esm', chunkFileNames: 'chunks/[name]-[hash].js', ...output });
  await bundle.close();
}

/** Reports whether a package is what a user installs beside the library. */
function isPeer(id) {
  return peers.some((peer) => id === peer || id.startsWith(`${peer}/`));
}

/** Returns the adapters, from which a user takes one: src/adapters/<name>.ts. */
function adapters() {
  const files = fs.existsSync('src/adapters') ? fs.readdirSync('src/adapters') : [];
  return files.filter((file) => /^[^.]+\.ts$/.test(file)).map((file) => `adapters/${file}`);
}
