import { expect, test } from 'vitest';
import { KnownSignals } from './known-signals.ts';

const source = (name: string) => Buffer.from(`import { other } from './${name}';\nexport function ${name}() {}\n`);

test('a text is looked through once, and again when a byte of it is another', () => {
  const known = new KnownSignals();
  const before = known.read('src/a.ts', source('first'));
  expect(known.read('src/a.ts', source('first'))).toBe(before);
  const after = known.read('src/a.ts', source('fir5t'));
  expect(after.imports.map(({ path }) => path)).toEqual(['src/fir5t']);
  expect([...after.names.declared]).toEqual(['fir5t']);
});

test('the same text at another path imports other files', () => {
  const known = new KnownSignals();
  known.read('src/a.ts', source('first'));
  expect(known.read('lib/a.ts', source('first')).imports.map(({ path }) => path)).toEqual(['lib/first']);
});

test('those that were asked for longest ago are dropped when there are too many names', () => {
  const known = new KnownSignals({ mostKept: 30 });
  const first = known.read('first.ts', source('first'));
  const second = known.read('second.ts', source('second'));
  expect(known.read('first.ts', source('first'))).toBe(first);
  known.read('many.ts', Buffer.from(Array.from({ length: 20 }, (_, i) => `name${i}`).join(' ')));
  expect(known.read('first.ts', source('first'))).toBe(first);
  expect(known.read('second.ts', source('second'))).not.toBe(second);
});
