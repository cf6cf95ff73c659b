import fs from 'node:fs/promises';
import { rolldown } from 'rolldown';

const THREAD = '?thread';

/**
 * Lets files be imported as text: Perl, HTML and tables as they stand (`./supervisor.pl`), and the module that a thread runs with all that it
 * imports, as one CommonJS module (`./match-thread-main.ts?thread`). It is a plugin of rolldown and of vitest.
 */
export function scriptText() {
  return {
    name: 'script-text',
    async load(id) {
      if (/\.(pl|html|table)$/.test(id)) return toModule(await fs.readFile(id, 'utf8'));
      return id.endsWith(THREAD) ? toModule(await bundleThread(id.slice(0, -THREAD.length))) : null;
    },
  };
}

async function bundleThread(input) {
  const bundle = await rolldown({ input, platform: 'node', treeshake: { moduleSideEffects: false } });
  const { output } = await bundle.generate({ format: 'cjs', minify: true });
  return output[0].code;
}

function toModule(text) {
  return { code: `export default ${JSON.stringify(text)};`, moduleType: 'js' };
}
