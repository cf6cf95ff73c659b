import fs from 'node:fs';
import path from 'node:path';
import { isOutline, openSyntax } from '@jinn/syntax';
import { countProcessorTime } from '@jinn/testkit';
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

test.for<[string, string, string]>([
  [
    'a.ts',
    'export const LIMIT = 10, OTHER = 11;\nstartWithSomething();\nlet one = 1,\n  two = 2;\n',
    'export const LIMIT = 10, OTHER = 11;\n⋮----\nlet one = 1,\n  two = 2;\n',
  ],
  [
    'a.ts',
    "import a from './a';\nfunction f() {\n  return 1;\n}\nexport { parse as reparsed } from './parse';\nexport {\n  one,\n  two,\n};\nexport * from './parse';\nrun({\n  a: 1,\n});\n",
    "import a from './a';\nfunction f() { … }\nexport { parse as reparsed } from './parse';\nexport {\n  one,\n  two,\n};\nexport * from './parse';\n⋮----\n",
  ],
  [
    'b.go',
    '// Package b does things.\npackage b\n\nconst (\n\tA = 1\n\tB = 2\n)\n\nfunc F() int {\n\treturn A\n}\n',
    '// Package b does things.\npackage b\n\nconst (\n\tA = 1\n\tB = 2\n)\n\nfunc F() int { … }\n',
  ],
  [
    'c.py',
    '"""What the module does.\n\nAt length.\n"""\n\nimport os\n\nif os.name == "x":\n    def a():\n        return 1\nelse:\n    # elsewhere\n    def a():\n        return 2\n\nif __name__ == "__main__":\n    a()\n',
    '"""What the module does.\n\nAt length.\n"""\n\nimport os\n\nif os.name == "x":\n    def a():\n        …\nelse:\n    # elsewhere\n    def a():\n        …\n\n⋮----\n',
  ],
  [
    'd.js',
    '#!/usr/bin/env node\n// Says what it is.\nconst a = require("a");\nstart(\n  a,\n);\n\nstop();\nfunction b() {\n  return 1;\n}\nmodule.exports = { a, b };\n',
    '#!/usr/bin/env node\n// Says what it is.\nconst a = require("a");\n⋮----\nfunction b() { … }\nmodule.exports = { a, b };\n',
  ],
])('keeps what declares something, and the lines around it: %s', async ([name, text, expected]) => {
  expect(await compressed(name, text)).toBe(expected);
});

test('cuts a long export after its first lines', async () => {
  const entries = Array.from({ length: 30 }, (_, i) => `  name${i},`).join('\n');
  expect(await compressed('a.ts', `function f() {\n  return 1;\n}\nexport {\n${entries}\n};\n`)).toBe(
    'function f() { … }\nexport {\n  name0,\n  name1, …\n',
  );
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
  const content = fs.readFileSync(path.join(import.meta.dirname, '../dump.ts'));
  const short = (await compress(content, 'dump.ts')) ?? content;
  expect(short.length).toBeLessThan(content.length / 1.5);
  const syntax = openSyntax();
  const [before, after] = [await syntax.outline(content, 'typescript'), await syntax.outline(short, 'typescript')];
  if (!isOutline(before) || !isOutline(after)) throw new Error('no outline');
  const { symbols } = before;
  const outer = symbols.filter(({ parent }) => !['function', 'method'].includes(symbols[parent]?.kind ?? ''));
  expect(after.symbols.map((symbol) => symbol.path)).toEqual(outer.map((symbol) => symbol.path));
});

test.each([
  ['brackets that are never closed', '(\n'],
  ['comments that never end', '/*\n'],
  ['quotes that are escaped', '"\\"\\"\\"\\"\\"\\"'],
])('takes little time for %s', { tags: 'slow', timeout: 60_000 }, async (_, part) => {
  const text = `function f() {}\n${part.repeat(Math.floor(400_000 / part.length))}\n`;
  const used = countProcessorTime();
  await compressed('a.js', text);
  expect(used()).toBeLessThan(10_000);
});

test('takes statements of several lines as one, up to the line that opens the next block', async () => {
  const text = `call(\n  1,\n  2,\n);\nother(\nif (x) {\n  function f() {\n    run();\n  }\n}\n`;
  expect(await compressed('a.js', text)).toBe('⋮----\nif (x) {\n  function f() { … }\n}\n');
});

test('leaves out the bodies of the functions in an object, and not the functions', async () => {
  const text = `export const api = {
  limit: 3,
  users: {
    /** Gets one. */
    get(id: string) {
      const found = find(id);
      return found;
    },
    del: (id: string) => {
      remove(id);
    },
  },
};
`;
  expect(await compressed('a.ts', text)).toBe(`export const api = {
  limit: 3,
  users: {
    /** Gets one. */
    get(id: string) { … },
    del: (id: string) => { … },
  },
};
`);
});
