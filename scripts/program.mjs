import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { isPublished } from './names.mjs';
import { scriptText } from './script-text.mjs';

const LOADER = path.join(import.meta.dirname, '../packages/process/src/loader/main.ts');
const GRAMMARS = path.join(import.meta.dirname, '../packages/syntax/dist/grammars');
const VIEWS = path.join(import.meta.dirname, '../packages/views/dist');
const NODE_FS = '\0node:fs';

/** Writes the program that runs `chunks/main.cjs` beside it; the chunks are those of a bundle. */
export async function writeProgram(file, chunks) {
  const hash = createHash('sha256');
  for (const { fileName, code = '' } of chunks) hash.update(`${fileName}\0${code}\0`);
  const BUILD = JSON.stringify(hash.digest('hex').slice(0, 16));
  const bundle = await rolldown({
    input: LOADER,
    platform: 'node',
    plugins: [plainNodeFs(), scriptText()],
    transform: { define: { BUILD } },
  });
  await bundle.write({ file, format: 'cjs', minify: true, banner: '#!/usr/bin/env node' });
  fs.chmodSync(file, 0o755);
}

/** Puts the grammars beside code that parses source files, as long as there is no published package that brings them. */
export function addGrammars() {
  if (!isPublished('packages/grammars')) copyGrammars('dist/grammars');
}

/** Copies the grammars into a directory. */
export function copyGrammars(directory) {
  fs.cpSync(GRAMMARS, directory, { recursive: true });
}

/** Puts the built pages beside code that serves them. */
export function copyViews() {
  fs.cpSync(VIEWS, 'dist/views', { recursive: true });
}

/** Imports node:fs without copying all of its properties at each start, as interoperation would. */
export function plainNodeFs() {
  return {
    name: 'plain-node-fs',
    resolveId: (id) => (id === 'node:fs' ? NODE_FS : null),
    load: (id) => (id === NODE_FS ? `export default process.getBuiltinModule('node:fs');` : null),
  };
}

/** Makes a chunk the function that the loader calls, which would otherwise copy its text. */
export function forLoader(code) {
  return `(function (exports, require, module, __filename, __dirname) {${code}\n})`;
}

/**
 * Makes the chunks ready for the loader. What rolldown adds to chunks goes into the main
 * one, which each of them has loaded: a file of its own takes longer to load than to run.
 */
export function chunksForLoader() {
  const REQUIRE = 'require("./rolldown-runtime.cjs")';
  return {
    name: 'chunks-for-loader',
    generateBundle(_, bundle) {
      const [main, runtime] = ['main', 'rolldown-runtime'].map((name) => bundle[`chunks/${name}.cjs`]);
      const chunks = Object.values(bundle).filter(({ type }) => type === 'chunk');
      if (runtime) {
        for (const chunk of chunks) chunk.code = chunk.code.replaceAll(REQUIRE, 'require("./main.cjs").runtime');
        main.code = `(exports=>{${runtime.code}})(exports.runtime={});${main.code.replace('require("./main.cjs").runtime', 'exports.runtime')}`;
        delete bundle[runtime.fileName];
      }
      for (const chunk of chunks) if (chunk !== runtime) chunk.code = forLoader(chunk.code);
    },
  };
}

const MAKE_REQUIRE = "process.getBuiltinModule('node:module').createRequire(import.meta.url)";

/** Gives a chunk the `require` that it has, instead of one that node:module makes, which takes long to load. */
export function ownRequire() {
  return {
    name: 'own-require',
    transform: (code) => (code.includes(MAKE_REQUIRE) ? code.replace(MAKE_REQUIRE, 'require') : null),
  };
}
