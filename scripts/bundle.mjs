// Bundles the app in the current directory: src/main.ts to dist/<name>.cjs, one chunk a tool beside it.
import fs from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';

const name = path.basename(process.cwd());
fs.rmSync('dist', { recursive: true, force: true });
const bundle = await rolldown({ input: { [name]: 'src/main.ts' }, platform: 'node' });
await bundle.write({
  dir: 'dist',
  format: 'cjs',
  minify: true,
  entryFileNames: '[name].cjs',
  chunkFileNames: 'chunks/[name].cjs',
});
