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
const code = { external: isPeer, plugins: [plainNodeFs(), scriptText(), lightLibraries(), ownZod(), mapsOfCode()] };

fs.rmSync('dist', { recursive: true, force: true });
const atOnce = await modulesAtOnce();
const groups = [{ name: 'core', test: (id) => atOnce.has(id) }];
// Readable, with maps, since an error is read in the stack of the caller's program.
const forCode = {
  sourcemap: true,
  sourcemapPathTransform: inPackage,
  banner: requireOwnFile,
  codeSplitting: { groups },
};
await write({ input, ...code }, forCode);
// Of other packages, only types of the frameworks are left.
const types = dts({ dtsOnly: true, cwd: ROOT, tsconfig: path.join(ROOT, 'tsconfig.json') });
await write({ input, external: (id) => /^(?!@jinn\/)[\w@]/.test(id), plugins: [types] });
addGrammars();

/**
 * Gives the check of options a zod of its own, of which only what it uses is left. Tools take the whole of zod, when one of them is
 * called wrongly.
 */
function ownZod() {
  const OWN = '?own';
  return {
    name: 'own-zod',
    async resolveId(id, importer = '') {
      if (!importer.endsWith(OWN) && !(id === 'zod/mini' && importer.endsWith('/library-options.ts'))) return null;
      const found = await this.resolve(id, importer.replace(OWN, ''), { skipSelf: true });
      return { id: found.id + OWN, moduleSideEffects: false };
    },
    load: (id) => (id.endsWith(OWN) ? fs.readFileSync(id.replace(OWN, ''), 'utf8') : null),
  };
}

/**
 * Makes the chunk that runs first throw if it is not a file of its own: in a bundle, the library would lose its grammars and its native
 * modules.
 */
function requireOwnFile({ name, fileName }) {
  if (name !== 'rolldown-runtime') return '';
  const isOwn = `import.meta.url?.endsWith('/${fileName}') && process.getBuiltinModule('node:fs').existsSync(new URL(import.meta.url))`;
  const message = 'jinn-sdk cannot be part of a bundle: mark jinn-sdk as external (docs/integrations/bundlers.md)';
  return `if (!(${isOwn})) throw new Error('${message}');`;
}

/** Names a source below the package, as if that were the top of the repository. */
function inPackage(source, map) {
  const file = path.relative(ROOT, path.resolve(path.dirname(map), source));
  return path.relative(path.dirname(map), path.resolve(file));
}

/** Drops the maps of tables, which are larger than those of all code. */
function mapsOfCode() {
  return {
    name: 'maps-of-code',
    generateBundle(_, bundle) {
      for (const [file, chunk] of Object.entries(bundle)) {
        if (!chunk.moduleIds?.some((id) => id.includes('/gpt-tokenizer/'))) continue;
        delete bundle[`${file}.map`];
        chunk.code = chunk.code.replace(/\/\/# sourceMappingURL=.*\n?$/, '');
      }
    },
  };
}

/** Returns what the library imports at once. It becomes one chunk: to load a chunk takes longer than to run it. */
async function modulesAtOnce() {
  const later = { name: 'later', resolveDynamicImport: () => false };
  const bundle = await rolldown({ input: MAIN, platform: 'node', ...code, plugins: [later, ...code.plugins] });
  const { output } = await bundle.generate({ format: 'esm' });
  await bundle.close();
  return new Set(output.flatMap(({ moduleIds = [] }) => moduleIds));
}

async function write(options, output) {
  const bundle = await rolldown({ platform: 'node', ...options });
  await bundle.write({ dir: 'dist', format: 'esm', chunkFileNames: 'chunks/[name]-[hash].js', ...output });
  await bundle.close();
}
