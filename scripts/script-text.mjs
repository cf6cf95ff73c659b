import fs from 'node:fs/promises';
import path from 'node:path';
import { rolldown } from 'rolldown';

const THREAD = '?thread';
const FILE = '?file';

/**
 * Lets files be imported as text: Perl, SQL, HTML, tables and pages as they are (`./supervisor.pl`), and the module that a thread runs with all that it
 * imports, as one CommonJS module (`./match-thread-main.ts?thread`). With `?file`, the import is a function that reads the file, which is
 * copied next to the chunk. It is a plugin of rolldown and of vitest.
 */
export function scriptText() {
  return {
    name: 'script-text',
    // Vite would load a .txt file as its address.
    enforce: 'pre',
    async load(id) {
      if (/\.(pl|html|table|txt|sql)$/.test(id)) return toModule(await fs.readFile(id, 'utf8'));
      if (id.endsWith(FILE)) return { code: readerOf(nameOf(id)), moduleType: 'js' };
      return id.endsWith(THREAD) ? toModule(await bundleThread(id.slice(0, -THREAD.length))) : null;
    },
    async generateBundle(_, bundle) {
      for (const { fileName, moduleIds = [] } of Object.values(bundle)) {
        for (const id of moduleIds.filter((each) => each.endsWith(FILE))) {
          const source = await fs.readFile(id.slice(0, -FILE.length));
          this.emitFile({ type: 'asset', fileName: path.join(path.dirname(fileName), nameOf(id)), source });
        }
      }
    },
  };
}

function nameOf(id) {
  return path.basename(id, FILE);
}

function readerOf(name) {
  return `import fs from 'node:fs';
    export default () => fs.readFileSync(import.meta.dirname + '/${name}', 'utf8');`;
}

async function bundleThread(input) {
  const bundle = await rolldown({ input, platform: 'node', treeshake: { moduleSideEffects: false } });
  const { output } = await bundle.generate({ format: 'cjs', minify: true });
  return output[0].code;
}

function toModule(text) {
  return { code: `export default ${JSON.stringify(text)};`, moduleType: 'js' };
}
