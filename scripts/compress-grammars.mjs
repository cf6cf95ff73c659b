// Writes the parser and the grammars of packages/syntax to dist/grammars of the current directory, compressed. A program
// that parses takes that folder into its own dist; scripts/bundle.mjs copies it.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { rolldown } from 'rolldown';

const OUT = 'dist/grammars';
/** 11 takes a minute for all, and makes them a twelfth smaller. */
const QUALITY = 9;
const LARGEST_WINDOW = 24;

const compress = promisify(zlib.brotliCompress);
const require = createRequire(path.resolve('package.json'));

fs.rmSync(OUT, { recursive: true, force: true });
fs.mkdirSync(OUT, { recursive: true });
const files = [
  ['web-tree-sitter', 'web-tree-sitter/web-tree-sitter.wasm'],
  ...(await languageNames()).map((name) => [name, `tree-sitter-wasm/${name}/tree-sitter-${name}.wasm`]),
];
await Promise.all(files.map(([name, id]) => write(name, require.resolve(id))));
fs.copyFileSync(require.resolve('web-tree-sitter'), `${OUT}/web-tree-sitter.cjs`);
for (const name of ['web-tree-sitter', 'tree-sitter-wasm']) {
  fs.copyFileSync(path.resolve('node_modules', name, 'LICENSE'), `${OUT}/LICENSE-${name}`);
}

async function write(name, file) {
  const content = fs.readFileSync(file);
  const params = {
    [zlib.constants.BROTLI_PARAM_QUALITY]: QUALITY,
    [zlib.constants.BROTLI_PARAM_LGWIN]: LARGEST_WINDOW,
    [zlib.constants.BROTLI_PARAM_SIZE_HINT]: content.length,
  };
  fs.writeFileSync(`${OUT}/${name}.wasm.br`, await compress(content, { params }));
}

/** Node 20 cannot import TypeScript. */
async function languageNames() {
  const bundle = await rolldown({ input: 'src/languages.ts', platform: 'node', logLevel: 'silent' });
  const { output } = await bundle.generate({ format: 'esm' });
  const { LANGUAGE_NAMES } = await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);
  return LANGUAGE_NAMES;
}
