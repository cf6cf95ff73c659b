import { expect, test } from 'vitest';
import { findSymbol } from './find-symbol.ts';
import { openProject } from './fixture/project.ts';

test('says which files the parser gave up on', async () => {
  const { ask } = openProject({ 'a.ts': `class Deep {}\n${'a<'.repeat(400_000)}`, 'b.ts': 'class Deep {}\n' });
  const answer = await ask(findSymbol, { pattern: 'Deep' });
  expect(answer).toMatchObject({ ok: true, meta: { warnings: ['cannot be parsed, not searched: a.ts'] } });
}, 60_000);

test('finds the same in many files, of which a second thread reads some', async () => {
  const sourceOf = (file: number) =>
    Array.from({ length: 40 }, (_, i) => `export const handle${file}x${i} = (value: number) => value + ${i};\n`).join(
      '',
    );
  const files = Object.fromEntries(
    Array.from({ length: 1_500 }, (_, i) => [`many/f${String(i).padStart(4, '0')}.ts`, sourceOf(i)]),
  );
  const { data } = openProject(files);
  const { symbols, total } = await data(findSymbol, { pattern: 'x39', detail_level: 'full', limit: 1_500 });
  expect(total).toBe(1_500);
  expect(symbols.map(({ name }: { name: string }) => name)).toEqual(
    Array.from({ length: 500 }, (_, i) => `handle${i}x39`),
  );
}, 60_000);
