// Bundles the library in the current directory: src/index.ts to dist/index.js with its types, and dynamic imports to chunks.
import fs from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import { lightLibraries } from './light-libraries.mjs';
import { copyGrammars, plainNodeFs } from './program.mjs';
import { scriptText } from './script-text.mjs';
import { ROOT } from './setup.mjs';

fs.rmSync('dist', { recursive: true, force: true });
await write({ plugins: [plainNodeFs(), scriptText(), lightLibraries()] }, { minify: true });
// Of other packages, only types that the library shows would be left, and there are none.
const types = dts({ dtsOnly: true, cwd: ROOT, tsconfig: path.join(ROOT, 'tsconfig.json') });
await write({ external: (id) => /^(?!@jinn\/)[\w@]/.test(id), plugins: [types] });
copyGrammars();

async function write(options, output) {
  const bundle = await rolldown({ input: { index: './src/index.ts' }, platform: 'node', ...options });
  await bundle.write({ dir: 'dist', format: 'esm', chunkFileNames: 'chunks/[name]-[hash].js', ...output });
  await bundle.close();
}
