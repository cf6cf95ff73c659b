// Bundles the app in the current directory: src/main.ts to dist/<name>.cjs, and dynamic imports to chunks.
import fs from 'node:fs';
import { rolldown } from 'rolldown';
import { lazySchemas, lightLibraries } from './light-libraries.mjs';
import { addGrammars, chunksForLoader, copyViews, ownRequire, plainNodeFs, writeProgram } from './program.mjs';
import { scriptText } from './script-text.mjs';
import { writeBill } from './write-bill.mjs';

/**
 * Code that several chunks need gets a file of its own, however small: merged into a chunk of other code, it would make its
 * users load that too, and what that needs.
 */
const SHARED = 'shared';

/**
 * Modules that run together are one chunk, although some of them are needed without the others too: to load a file takes a one-shot call as
 * long as to run a hundred functions. `change` is what changes files, `store` the history and the memory, `runners` what a written
 * file is compared with, and `journal` what writes down a call.
 */
const TOGETHER = {
  change: [
    /workspace\/src\/guard\/(target|mutate\/.*)\.ts$/,
    /fs-tools\/src\/(edit-file|edit\/(edit-text|editable-text|line-index|edit-errors)|match\/.*|patch\/carry-over|diff\/(change-report|line-diff))\.ts$/,
    /libesm\/diff\/(base|array)\.js$/,
    /toolsets\/src\/schemas\/jinn\/edit_file\.json$/,
  ],
  store: [
    /store\/src\/(history\/open-history|memory\/(?!.*(search|query))[^/]*|(?!node-sqlite|to-query)[^/]*)\.(ts|sql)$/,
    /\/(better-sqlite3|bindings|file-uri-to-path)\//,
  ],
  runners: [/secrets\/run-files\.ts$/],
  journal: [
    /ui\/src\/journal\/(open-journal|keep-changes|write-journal|journal-place|journal-record|what-of-call)\.ts$/,
    /secrets\/content\.ts$/,
    /text\/differing-region\.ts$/,
  ],
};

const { bin } = JSON.parse(fs.readFileSync('package.json', 'utf8'));
const [program] = Object.values(bin);
fs.rmSync('dist', { recursive: true, force: true });
const bundle = await rolldown({
  input: { main: 'src/main.ts' },
  platform: 'node',
  preserveEntrySignatures: false,
  plugins: [plainNodeFs(), ownRequire(), scriptText(), lightLibraries(), lazySchemas(), chunksForLoader()],
});
const { output } = await bundle.write({
  dir: 'dist',
  format: 'cjs',
  minify: true,
  // One character beyond ASCII makes V8 hold a file as two bytes a character, and read it ten times as slowly.
  charset: 'ascii',
  entryFileNames: 'chunks/[name].cjs',
  chunkFileNames: ({ name }) => `chunks/${name.startsWith(SHARED) ? `${SHARED}-[hash]` : '[name]'}.cjs`,
  // The chunks follow the dynamic imports: what a start needs, what several imports need, and the rest of each.
  codeSplitting: {
    groups: [
      { name: 'start', tags: ['$initial'], priority: 2 },
      ...Object.entries(TOGETHER).map(([name, tests]) => ({
        name,
        test: (id) => tests.some((test) => test.test(id)),
        priority: 1,
        includeDependenciesRecursively: false,
      })),
      { name: SHARED, minShareCount: 2, entriesAware: true },
    ],
  },
});

if (contains('/packages/syntax/src/')) addGrammars();
if (contains('/packages/ui/src/')) copyViews();
await writeProgram(program, output);
writeBill(output);

/** Says whether the program has modules of this folder. */
function contains(folder) {
  return output.some(({ moduleIds = [] }) => moduleIds.some((id) => id.includes(folder)));
}
