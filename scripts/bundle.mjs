// Bundles the app in the current directory: src/main.ts to dist/<name>.cjs, and dynamic imports to chunks.
import fs from 'node:fs';
import { rolldown } from 'rolldown';
import { lazySchemas, lightLibraries } from './light-libraries.mjs';
import { addGrammars, copyViews, plainNodeFs, writeProgram } from './program.mjs';
import { scriptText } from './script-text.mjs';
import { writeBill } from './write-bill.mjs';

/**
 * Code that several chunks need gets a file of its own, however small: merged into a chunk of other code, it would make its
 * users load that too, and what that needs.
 */
const SHARED = 'shared';

/** What writes down a call is one chunk: each file costs a call that is written down as much as the writing. */
const RECORDING =
  /packages\/(ui\/src\/journal\/(open-journal|keep-changes|write-journal|journal-place|journal-record)|workspace\/src\/secrets\/content|core\/src\/text\/differing-region)\.ts$/;

const { bin } = JSON.parse(fs.readFileSync('package.json', 'utf8'));
const [program] = Object.values(bin);
fs.rmSync('dist', { recursive: true, force: true });
const bundle = await rolldown({
  input: { main: 'src/main.ts' },
  platform: 'node',
  preserveEntrySignatures: false,
  plugins: [plainNodeFs(), scriptText(), lightLibraries(), lazySchemas()],
});
const { output } = await bundle.write({
  dir: 'dist',
  format: 'cjs',
  minify: true,
  entryFileNames: 'chunks/[name].cjs',
  chunkFileNames: ({ name }) => `chunks/${name.startsWith(SHARED) ? `${SHARED}-[hash]` : '[name]'}.cjs`,
  // The chunks follow the dynamic imports: what a start needs, what several imports need, and the rest of each.
  codeSplitting: {
    groups: [
      { name: 'start', tags: ['$initial'], priority: 2 },
      { name: 'journal', test: RECORDING, priority: 1, includeDependenciesRecursively: false },
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
