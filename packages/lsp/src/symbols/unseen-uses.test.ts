import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { lspQuery } from '../tools/lsp-query.ts';
import { findReferences } from './find-references.ts';
import { findSymbol } from './find-symbol.ts';
import { openProject } from './fixture/project.ts';
import { TYPESCRIPT } from './fixture/servers.ts';
import { listSymbols } from './list-symbols.ts';
import { removeSymbol } from './remove-symbol.ts';
import { renameSymbol } from './rename-symbol.ts';

const LIMIT = 60_000;
const PROJECT = {
  'tsconfig.json':
    '{ "compilerOptions": { "module": "esnext", "moduleResolution": "bundler", "types": [] }, "exclude": ["*.test.ts"] }\n',
  'lib.ts': 'export function smile() {}\n',
  'use.ts': 'import { smile } from "./lib";\nsmile();\n',
} as const;
const SMILE = { path: 'lib.ts', name_path: 'smile' };

test.for([
  [
    'a component',
    'C.vue',
    '<script setup lang="ts">\nimport { smile } from "./lib"\nsmile()\n</script>\n',
    /does not read C\.vue/,
  ],
  ['a page without a grammar', 'A.astro', '---\nimport { smile } from "./lib"\nsmile()\n---\n', /A\.astro/],
  [
    'a test with an import that leads nowhere',
    'a.test.ts',
    'import { smile } from "@alias/lib";\nsmile();\n',
    /cannot be followed in a\.test\.ts/,
  ],
] as const)(
  'a server that cannot see the uses in %s is not said to know all, and renames nothing',
  { timeout: LIMIT },
  async ([, file, text, why]) => {
    const files = { ...PROJECT, [file]: text };
    const { ask, read } = openProject(files, TYPESCRIPT);
    const found = await ask(findReferences, SMILE);
    expect(found.meta).toMatchObject({ textual: true, complete: false });
    expect(`${found.result}${JSON.stringify(found.meta)}`).toContain(file);
    const renamed = await ask(renameSymbol, { ...SMILE, new_name: 'grin' });
    expect(renamed).toMatchObject({ ok: false, error_code: 'lsp_unavailable', error: expect.stringMatching(why) });
    for (const [name, content] of Object.entries(files)) expect(read(name)).toBe(content);
  },
);

test('a file with the name in another meaning does not make an answer incomplete', { timeout: LIMIT }, async () => {
  const own = 'import gone from "gone";\nfunction smile() {}\nsmile(gone);\n';
  const { ask } = openProject({ ...PROJECT, 'own.ts': own }, TYPESCRIPT);
  const { meta } = await ask(findReferences, SMILE);
  expect(meta).toMatchObject({ server: 'typescript', complete: true });
});

test('a new file that git ignores is seen in a running session', { timeout: LIMIT }, async () => {
  const files = { ...PROJECT, '.gitignore': 'gen.ts\n', '.git/HEAD': 'ref: refs/heads/main\n' };
  const { data, write } = openProject(files, TYPESCRIPT);
  expect(await data(findReferences, SMILE)).toMatchObject({ total: 3 });
  write('gen.ts', 'import { smile } from "./lib";\nsmile();\n');
  expect(await data(findReferences, SMILE)).toMatchObject({ total: 5 });
});

test('uses in a directory like vendor count if git tracks it', { timeout: LIMIT }, async () => {
  const files = {
    ...PROJECT,
    'vendor/use.ts': 'import { smile } from "../lib";\nsmile();\n',
    'dist/use.ts': 'smile();\n',
  };
  for (const options of [{}, TYPESCRIPT]) {
    const { root, data, ask } = openProject(files, options);
    execFileSync('git', ['init', '-q'], { cwd: root });
    execFileSync('git', ['add', '.', ':!dist'], { cwd: root });
    expect(await data(findReferences, SMILE)).toMatchObject({ total: 5 });
    const asked = await ask(lspQuery, { action: 'references', path: 'lib.ts', symbol: 'smile' });
    expect(asked).toMatchObject({ total_count: 5 });
  }
});

const BROKEN = 'struct one { int a; };\n\nBEGIN(x\n  { int f(int a) } } =\n\nstruct two { int b; };\n';

test('lists and searches say which lines may declare more', async () => {
  const { ask } = openProject({ 'a.cpp': BROKEN });
  const warnings = [expect.stringMatching(/^a\.cpp may declare more where it cannot be parsed: lines \d/)];
  expect((await ask(listSymbols, { path: 'a.cpp' })).meta).toMatchObject({ warnings });
  expect((await ask(findSymbol, { pattern: 'one' })).meta).toMatchObject({ warnings });
});

test.for([
  ['a.cpp', 'extern "C" int run(int x) {\n  return x;\n}\n\nint z;\n', 'run', 'int z;\n'],
  ['E.java', 'enum E {\n  A(1),\n  B(2);\n  E(int x) {}\n}\n', 'E/B', 'enum E {\n  A(1),\n  ;\n  E(int x) {}\n}\n'],
  ['a.lua', 'local cfg\nfunction f() return cfg end\n', 'cfg', 'function f() return cfg end\n'],
] as const)('removes the whole of a declaration of %s and nothing else', async ([path, text, name_path, left]) => {
  const { data, read } = openProject({ [path]: text });
  await data(removeSymbol, { path, name_path });
  expect(read(path)).toBe(left);
});
