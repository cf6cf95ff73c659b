import { expect, test } from 'vitest';
import { findReferences } from './find-references.ts';
import { openProject } from './fixture/project.ts';
import { PYRIGHT, TYPESCRIPT } from './fixture/servers.ts';
import { gotoDefinition } from './goto-definition.ts';
import { hover } from './hover.ts';
import { removeSymbol } from './remove-symbol.ts';
import { renameSymbol } from './rename-symbol.ts';
import { symbolDiagnostics } from './symbol-diagnostics.ts';

const LIMIT = 60_000;
const TS = {
  'tsconfig.json': '{ "compilerOptions": { "strict": true, "types": [] } }\n',
  'shape.ts':
    '/** Has a side. */\nexport class Square {\n  constructor(readonly side: number) {}\n\n  /** Its area. */\n  area(): number {\n    return this.side ** 2;\n  }\n}\n\nexport class Plot {\n  area(): string {\n    return "none";\n  }\n}\n',
  'use.ts':
    '\ufeffimport { Square as Box } from "./shape";\n\nexport const text = "😀", total = new Box(2).area();\nexport function show(box: Box) {\n  const size = box.area();\n  return size.toFixed();\n}\n',
} as const;
const AREA = { name_path: 'Square/area', path: 'shape.ts' };
const PY = {
  'pyproject.toml': '[tool.pyright]\n',
  'shape.py':
    'class Square:\n    def area(self) -> int:\n        """Its area."""\n        return 4\n\n\nclass Plot:\n    def area(self) -> str:\n        return "none"\n',
  'use.py': 'from shape import Square\n\n\ndef show(box: Square) -> int:\n    size = box.area()\n    return size\n',
} as const;

test(
  'typescript tells the uses of a method from those of another of that name',
  async () => {
    const { ask } = openProject(TS, TYPESCRIPT);
    const answer = await ask(findReferences, AREA);
    expect(JSON.parse(answer.result ?? '')).toEqual({
      references: [
        { file: 'shape.ts', line: 6, column: 3, context: 'area(): number {' },
        {
          file: 'use.ts',
          line: 3,
          column: 45,
          context: 'export const text = "😀", total = new Box(2).area();',
          in: 'total',
        },
        { file: 'use.ts', line: 5, column: 20, context: 'const size = box.area();', in: 'show' },
      ],
      total: 3,
    });
    expect(answer.meta).toEqual({ server: 'typescript', complete: true });
    const second = await ask(findReferences, { ...AREA, detail_level: 'full', offset: 1, limit: 1 });
    expect(JSON.parse(second.result ?? '')).toMatchObject({
      references: [{ file: 'use.ts', line: 3 }],
      overflow: {
        total: 3,
        next_offset: 2,
        by_file: [
          { file: 'use.ts', count: 2 },
          { file: 'shape.ts', count: 1 },
        ],
      },
    });
  },
  LIMIT,
);

test(
  'typescript finds definitions in other files, behind an alias, of a local variable, and in a library',
  async () => {
    const { ask, data } = openProject(TS, TYPESCRIPT);
    const find = async (line: number, identifier?: string) => {
      const { definitions } = await data(gotoDefinition, { path: 'use.ts', line, identifier });
      return definitions;
    };
    const area = { file: 'shape.ts', line: 6, end_line: 8, name_path: 'Square/area', context: 'area(): number {' };
    expect(await find(5, 'area')).toEqual([area]);
    expect(await find(4, 'Box')).toMatchObject([{ file: 'shape.ts', name_path: 'Square' }]);
    expect(await find(6, 'size')).toEqual([
      { file: 'use.ts', line: 5, end_line: 5, context: 'const size = box.area();' },
    ]);
    expect(await find(6, 'toFixed')).toEqual([
      {
        file: expect.stringMatching(/lib\.es5\.d\.ts$/),
        line: expect.any(Number),
        end_line: expect.any(Number),
        source: 'library',
      },
    ]);
    // Of several names the first counts that is declared: here the one that the line declares itself.
    expect(await find(5)).toMatchObject([{ file: 'use.ts', line: 5 }]);
    const answer = await ask(gotoDefinition, { path: 'use.ts', line: 5, identifier: 'area' });
    expect(answer.meta).toEqual({ server: 'typescript', complete: true });
  },
  LIMIT,
);

test(
  'typescript shows types on hover, of a local variable too',
  async () => {
    const { data } = openProject(TS, TYPESCRIPT);
    expect(await data(hover, { path: 'use.ts', line: 6, identifier: 'size' })).toEqual({
      content: expect.stringContaining('const size: number'),
      location: 'use.ts:5',
      from: 'use.ts:6 size',
    });
    expect(await data(hover, { path: 'use.ts', line: 5, identifier: 'area' })).toEqual({
      content: expect.stringMatching(/Square\.area\(\): number[\s\S]*Its area/),
      location: 'shape.ts:6',
      from: 'use.ts:5 area',
    });
  },
  LIMIT,
);

test(
  'typescript renames a method across files, and leaves another of that name',
  async () => {
    const { ask, read } = openProject(TS, TYPESCRIPT);
    const answer = await ask(renameSymbol, { ...AREA, new_name: 'surface' });
    expect(JSON.parse(answer.result ?? '')).toMatchObject({ files_changed: 2, total_edits: 3 });
    expect(answer.meta).toMatchObject({ server: 'typescript', operation_id: expect.any(String) });
    expect(read('shape.ts')).toBe(TS['shape.ts'].replace('area():', 'surface():'));
    expect(read('use.ts')).toBe(TS['use.ts'].replaceAll('area', 'surface'));
  },
  LIMIT,
);

test(
  'typescript keeps the key of an object that has the renamed symbol as its value',
  async () => {
    const files = { 'tsconfig.json': TS['tsconfig.json'], 'a.ts': 'const run = 1;\nexport const o = { run };\n' };
    const { data, read } = openProject(files, TYPESCRIPT);
    await data(renameSymbol, { path: 'a.ts', name_path: 'run', new_name: 'start' });
    expect(read('a.ts')).toBe('const start = 1;\nexport const o = { run: start };\n');
  },
  LIMIT,
);

test(
  'a rename of the server is refused if the new name is in use',
  async () => {
    const files = { ...TS, 'use.ts': `${TS['use.ts']}export const Rect = 1;\n` };
    const { ask } = openProject(files, TYPESCRIPT);
    const clash = { ok: false, error_code: 'invalid_args' };
    const member = await ask(renameSymbol, { ...AREA, new_name: 'side' });
    expect(member).toMatchObject({ ...clash, error: 'side is in use already, at shape.ts:3 (nothing was changed)' });
    expect(await ask(renameSymbol, { ...AREA, new_name: 'toFixed' })).toMatchObject({ ok: true });
    const plain = await ask(renameSymbol, { name_path: 'show', path: 'use.ts', new_name: 'Rect' });
    expect(plain).toMatchObject({ ...clash, error: 'Rect is in use already, at use.ts:8 (nothing was changed)' });
  },
  LIMIT,
);

test(
  'typescript reaches files that import the symbol where no tsconfig.json names them',
  async () => {
    const { 'tsconfig.json': _, ...files } = TS;
    const { data, read } = openProject(files, TYPESCRIPT);
    expect(await data(renameSymbol, { ...AREA, new_name: 'surface' })).toMatchObject({ files_changed: 2 });
    expect(read('use.ts')).toContain('box.surface()');
  },
  LIMIT,
);

test(
  'typescript says what is wrong in one symbol',
  async () => {
    const broken = 'function a(): number {\n  return "one";\n}\nfunction b(): number {\n  return 2;\n}\na(b);\n';
    const { ask, data } = openProject({ ...TS, 'a.ts': broken }, TYPESCRIPT);
    const { diagnostics, total } = await data(symbolDiagnostics, { path: 'a.ts', name_path: 'a' });
    expect([diagnostics, total]).toEqual([
      [
        {
          line: 2,
          column: 3,
          severity: 'error',
          source: expect.any(String),
          code: '2322',
          message: "Type 'string' is not assignable to type 'number'.",
          symbol: 'a',
        },
      ],
      1,
    ]);
    expect((await data(symbolDiagnostics, { path: 'a.ts', name_path: 'b' })).total).toBe(0);
    const all = await ask(symbolDiagnostics, { path: 'a.ts' });
    expect(all).toMatchObject({ total_count: 2, meta: { server: 'typescript', complete: true } });
  },
  LIMIT,
);

test(
  'pyright finds the packages of the .venv without its interpreter',
  async () => {
    const { data, read } = openProject(
      {
        'main.py': 'from mylib import greet\n\nprint(greet(1))\n',
        '.venv/pyvenv.cfg': 'home = /usr/bin\n',
        '.venv/bin/python': { content: '#!/bin/sh\ntouch "$(dirname "$0")/ran"\n', mode: 0o755 },
        '.venv/lib/python3.11/site-packages/mylib/__init__.py': 'def greet(name: str) -> str: return name\n',
      },
      PYRIGHT,
    );
    const { diagnostics } = await data(symbolDiagnostics, { path: 'main.py' });
    expect(JSON.stringify(diagnostics)).toContain('reportArgumentType');
    expect(JSON.stringify(diagnostics)).not.toContain('reportMissingImports');
    expect(() => read('.venv/bin/ran')).toThrow('ENOENT');
  },
  LIMIT,
);

test(
  'pyright answers all five tools',
  async () => {
    const { ask, data, read } = openProject(PY, PYRIGHT);
    const area = { name_path: 'Square/area', path: 'shape.py' };
    const references = await ask(findReferences, area);
    expect(references).toMatchObject({ total_count: 2, meta: { server: 'pyright', complete: true } });
    const place = { path: 'use.py', line: 5, identifier: 'area' };
    expect((await data(gotoDefinition, place)).definitions).toMatchObject([{ file: 'shape.py', line: 2 }]);
    expect((await data(hover, place)).content).toMatch(/def area\(\) -> int[\s\S]*Its area/);
    expect(await data(renameSymbol, { ...area, new_name: 'surface' })).toMatchObject({ files_changed: 2 });
    expect(read('shape.py')).toBe(PY['shape.py'].replace('area(self) -> int', 'surface(self) -> int'));
    expect(read('use.py')).toBe(PY['use.py'].replace('area', 'surface'));
    expect((await data(symbolDiagnostics, { path: 'use.py' })).total).toBe(0);
  },
  LIMIT,
);

test(
  'typescript finds implementations by name path, and the uses of a method that is removed',
  async () => {
    const { ask, data, read } = openProject(
      {
        'tsconfig.json': TS['tsconfig.json'],
        'a.ts': 'export interface Shape {\n  area(): number;\n}\n',
        'b.ts':
          'import type { Shape } from "./a";\nexport class Square implements Shape {\n  area() {\n    return 1;\n  }\n}\n',
        'c.ts': 'class Plot {\n  area() {}\n}\nnew Plot().area();\n',
      },
      TYPESCRIPT,
    );
    const area = { path: 'a.ts', name_path: 'Shape/area', implementations: true };
    const { references } = await data(findReferences, area);
    expect(references).toMatchObject([{ file: 'b.ts', line: 3, context: 'area() {' }]);
    const answer = await ask(removeSymbol, { path: 'c.ts', name_path: 'Plot/area' });
    expect(JSON.parse(answer.result ?? '')).toMatchObject({ remaining_uses: 1, used_at: ['c.ts:4'] });
    expect(answer.meta).toMatchObject({ server: 'typescript', complete: true });
    expect(read('c.ts')).toBe('class Plot {\n}\nnew Plot().area();\n');
  },
  LIMIT,
);

test('implementations are not guessed without a server', async () => {
  const { ask } = openProject();
  const asked = { path: 'src/store.ts', name_path: 'Store', implementations: true };
  expect(await ask(findReferences, asked)).toMatchObject({ error_code: 'lsp_unavailable' });
});
