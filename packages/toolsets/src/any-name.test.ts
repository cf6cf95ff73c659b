import { listFiles, planNamedTargets } from '@jinn/context';
import { searchReplace } from '@jinn/fs-tools/search-replace';
import { findFiles } from '@jinn/search/find-files';
import { searchFiles } from '@jinn/search/search-files';
import { call, makeTempDirectory, makeTree } from '@jinn/testkit';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';

const CHARACTERS = [...'[]{}()!*?\\,-#^$"\'~: \t\n\rab.é日😀'];

/** Any name that is not hidden: what is hidden is found only if that is asked for. */
const anyName = fc
  .array(fc.constantFrom(...CHARACTERS), { minLength: 1, maxLength: 6 })
  .map((characters) => characters.join(''))
  .filter((name) => !name.startsWith('.'));

/** The paths of files, two of them in a directory. No two names are equal, also not without case. */
const anyTree = fc
  .uniqueArray(anyName, { minLength: 3, maxLength: 6, selector: (name) => name.toLowerCase() })
  .map(([directory, ...names]) => names.map((name, i) => (i < 2 ? `${directory}/${name}` : name)).toSorted());

function plant(paths: readonly string[]): string {
  const root = makeTempDirectory();
  makeTree(root, Object.fromEntries(paths.map((path) => [path, 'needle\n'])));
  return root;
}

test('a path with any characters finds that file', async () => {
  await fc.assert(
    fc.asyncProperty(anyTree, async (paths) => {
      const root = plant(paths);
      for (const path of paths) {
        const found = await call(findFiles, { pattern: path }, { root });
        expect(JSON.parse(found.result as string)).toMatchObject({ files: [path] });
        const searched = await call(searchFiles, { pattern: 'needle', include: path, format: 'json' }, { root });
        expect(JSON.parse(searched.result as string)).toMatchObject([{ file: path }]);
        const args = { pattern: 'needle', replacement: 'x', dry_run: true, files: '.', include: path };
        expect(await call(searchReplace, args, { root })).toMatchObject({ meta: { files: [{ path }] } });
      }
    }),
    { numRuns: 50 / inject('runsDivisor') },
  );
});

async function list(root: string, flags: object) {
  const plan = planNamedTargets({ paths: ['.'], root: undefined, cwd: root });
  const found: string[] = [];
  const warnings: string[] = [];
  const warn = (sentence: string) => void warnings.push(sentence);
  const options = { noDefaults: true, opensNamed: true, checkpoint: async () => {}, warn, ...flags };
  await listFiles(plan, options, { take: ({ path }) => void found.push(path) });
  plan.close();
  return { found: found.toSorted(), warnings };
}

test('a path with any characters names that file to jinni', async () => {
  await fc.assert(
    fc.asyncProperty(anyTree, async (paths) => {
      const root = plant(paths);
      for (const path of paths) {
        const others = paths.filter((other) => other !== path);
        for (const flag of ['include', 'keepOnly']) {
          expect([flag, await list(root, { [flag]: [path] })]).toEqual([flag, { found: [path], warnings: [] }]);
        }
        for (const flag of ['not', 'notFiles']) {
          expect([flag, await list(root, { [flag]: [path] })]).toEqual([flag, { found: others, warnings: [] }]);
        }
      }
    }),
    { numRuns: 100 / inject('runsDivisor') },
  );
});
