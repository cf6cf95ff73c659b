// Writes the parser, the script of its thread and the grammars of packages/syntax to dist/grammars of the current directory. A program
// that parses takes that folder into its own dist; scripts/bundle.mjs copies it.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { rolldown } from 'rolldown';
import { minifySync } from 'rolldown/utils';
import { scriptText } from './script-text.mjs';

const OUT = 'dist/grammars';
const LIBRARY = 'web-tree-sitter';
/** gzip makes files a third larger than Brotli, and unpacks them in half of the time. */
const compress = promisify(zlib.gzip);
const require = createRequire(path.resolve('package.json'));

fs.rmSync(OUT, { recursive: true, force: true });
fs.mkdirSync(OUT, { recursive: true });
await write(LIBRARY, fs.readFileSync(require.resolve(`${LIBRARY}/${LIBRARY}.wasm`)));
const names = await languageNames();
const grammarOf = (name) => fs.readFileSync(require.resolve(`tree-sitter-wasm/${name}/tree-sitter-${name}.wasm`));
await Promise.all(names.map((name) => write(name, grammarOf(name))));
writeScript();
await writeThread();
for (const name of [LIBRARY, 'tree-sitter-wasm']) {
  fs.copyFileSync(path.resolve('node_modules', name, 'LICENSE'), `${OUT}/LICENSE-${name}`);
}

async function write(name, content) {
  const compressed = await compress(content, { level: zlib.constants.Z_BEST_COMPRESSION });
  fs.writeFileSync(`${OUT}/${name}.wasm.gz`, compressed);
}

/** Writes the script of the parser. */
function writeScript() {
  const file = require.resolve(LIBRARY);
  const { code } = minifySync(file, fs.readFileSync(file, 'utf8'), { module: false });
  fs.writeFileSync(`${OUT}/${LIBRARY}.cjs`, code);
}

/** Writes the script of the thread that reads outlines. */
async function writeThread() {
  const bundle = await rolldown({ input: 'src/thread-main.ts', platform: 'node', plugins: [scriptText()] });
  await bundle.write({ file: `${OUT}/outline-thread.cjs`, format: 'cjs', minify: true });
}

/** Node 20 cannot import TypeScript. */
async function languageNames() {
  const bundle = await rolldown({ input: 'src/languages.ts', platform: 'node', logLevel: 'silent' });
  const { output } = await bundle.generate({ format: 'esm' });
  const { LANGUAGE_NAMES } = await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);
  return LANGUAGE_NAMES;
}
