import fs from 'node:fs';
import path from 'node:path';
import { isOutline, openSyntax } from '@jinn/syntax';
import { expect, test } from 'vitest';
import { compress } from './compress.ts';

async function compressed(name: string, text: string): Promise<string | undefined> {
  return (await compress(Buffer.from(text), name))?.toString();
}

test('keeps imports, types, signatures and doc comments, and leaves out bodies', async () => {
  const text = `import fs from 'node:fs';
import path from 'node:path';

/** Keeps things. */
export class Store {
  #items: string[] = [];

  /** Adds one. */
  add(item: string): void {
    this.#items.push(item);
  }
}

export interface Options {
  readonly deep: boolean;
}

start();
if (process.argv.length > 2) start();

export const run = async (options: Options): Promise<void> => {
  await start(options);
};
`;
  expect(await compressed('a.ts', text)).toBe(`import fs from 'node:fs';
import path from 'node:path';

/** Keeps things. */
export class Store {
  #items: string[] = [];

  /** Adds one. */
  add(item: string): void { … }
}

export interface Options {
  readonly deep: boolean;
}

⋮----

export const run = async (options: Options): Promise<void> => { … };
`);
});

test('keeps the doc strings of Python', async () => {
  const text = `import os


class Store:
    """Keeps things."""

    def add(self, item):
        """Adds one."""
        self.items.append(item)
        return self

    def clear(self):
        self.items = []
        return self
`;
  expect(await compressed('a.py', text)).toBe(`import os


class Store:
    """Keeps things."""

    def add(self, item):
        """Adds one."""
        …

    def clear(self):
        …
`);
});

test('cuts long values', async () => {
  const list = Array.from({ length: 20 }, (_, i) => `  'item ${i}',`).join('\n');
  expect(await compressed('a.ts', `export const list = [\n${list}\n];\nfoo();\n`)).toBe(
    "export const list = [\n  'item 0',\n  'item 1', …\n⋮----\n",
  );
});

test.for(['a.csv', 'a.json', 'a.md'])('leaves %s as it is', async (name) => {
  expect(await compressed(name, '{ "a": { "b": "c" } }\n')).toBeUndefined();
});

test('leaves a text as it is that has nothing to leave out', async () => {
  expect(await compressed('a.ts', 'export interface A {\n  b: string;\n}\n')).toBeUndefined();
});

test('leaves a text whole that cannot be parsed in time or size', async () => {
  expect(await compressed('a.ts', `function f() { return 1; }\n${' '.repeat(3 * 1024 * 1024)}`)).toBeUndefined();
});

test('keeps the names of a real file, but for those in functions', async () => {
  const content = fs.readFileSync(path.join(import.meta.dirname, 'dump.ts'));
  const short = (await compress(content, 'dump.ts')) ?? content;
  expect(short.length).toBeLessThan(content.length / 1.5);
  const syntax = openSyntax();
  const [before, after] = [await syntax.outline(content, 'typescript'), await syntax.outline(short, 'typescript')];
  if (!isOutline(before) || !isOutline(after)) throw new Error('no outline');
  const { symbols } = before;
  const outer = symbols.filter(({ parent }) => !['function', 'method'].includes(symbols[parent]?.kind ?? ''));
  expect(after.symbols.map((symbol) => symbol.path)).toEqual(outer.map((symbol) => symbol.path));
});
