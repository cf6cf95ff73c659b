import { type FileTree, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import type { FileEdit } from './answers/edits.ts';
import type { ServerView } from './answers/language-question.ts';
import { findWord } from './answers/parse-symbols.ts';
import {
  findAllReferences,
  findCalls,
  findDiagnostics,
  findDocumentSymbols,
  findHover,
  findLocations,
  findWorkspaceSymbols,
  flattenSymbols,
  planRename,
} from './answers/queries.ts';
import type { Place } from './client/positions.ts';
import {
  byTsserver,
  isInstalled,
  makeWorkspace,
  type TestWorkspaceOptions,
  TSSERVER,
  TSSERVER_VERSIONS,
} from './fixture/language-workspace.ts';

/** What is asked of a server in a small project, where a function is defined in one file and used in another. */
interface Case {
  readonly server: string;
  readonly version?: number;
  readonly files: FileTree;
  /** The file and line that use the symbol, and the symbol. */
  readonly use: { readonly path: string; readonly line: number; readonly symbol: string };
  /** Where it is defined: path, line and character. */
  readonly definition: string;
  /** All its references. */
  readonly references: readonly string[];
  readonly hover: RegExp;
  readonly symbols: readonly string[];
  /** The files that a rename changes. */
  readonly renames: readonly string[];
  /** The file that is broken, what becomes of it, and what is said about it. */
  readonly broken: { readonly path: string; readonly text: string; readonly message: RegExp | undefined };
  readonly options: TestWorkspaceOptions;
  readonly isMissing?: boolean;
}

const TYPESCRIPT: Omit<Case, 'server' | 'options'> = {
  files: {
    'tsconfig.json':
      '{"compilerOptions":{"strict":true,"target":"es2022","module":"nodenext","types":[]},"include":["src"]}',
    'package.json': '{"type":"module"}',
    'src/add.ts': '/** Adds up. */\nexport function add(a: number, b: number): number {\n  return a + b;\n}\n',
    'src/a b#ü.ts': "import { add } from './add.js';\r\nexport const smile = '😀'; export const three = add(1, 2);\r\n",
  },
  use: { path: 'src/a b#ü.ts', line: 2, symbol: 'add' },
  definition: 'src/add.ts:2:17',
  references: ['src/a b#ü.ts:1:10', 'src/a b#ü.ts:2:48', 'src/add.ts:2:17'],
  hover: /add\(a: number, b: number\): number[\s\S]*Adds up/,
  symbols: ['smile', 'three'],
  renames: ['src/a b#ü.ts', 'src/add.ts'],
  broken: {
    path: 'src/add.ts',
    text: 'export function add(): number {\n  return "one";\n}\n',
    message: /not assignable to type 'number'/,
  },
};

const CASES: readonly Case[] = [
  { ...TYPESCRIPT, server: 'typescript', options: { programs: ['tsc'] } },
  ...TSSERVER_VERSIONS.map((version) => ({ ...TYPESCRIPT, server: 'tsserver', version, options: byTsserver(version) })),
  {
    ...TYPESCRIPT,
    server: 'typescript-language-server',
    options: {
      programs: ['typescript-language-server'],
      lsp: {
        languages: { TypeScript: ['typescript-language-server'] },
        servers: {
          'typescript-language-server': {
            initialization_options: { tsserver: { path: TSSERVER } },
          },
        },
      },
    },
  },
  {
    server: 'pyright',
    options: { programs: ['pyright-langserver'] },
    files: {
      'pyproject.toml': '[tool.pyright]\n',
      'shapes.py': 'def area(width: int) -> int:\n    """Computes it."""\n    return width * width\n',
      'main.py': 'from shapes import area\n\nSIZE = "é"; RESULT = area(3)\n',
    },
    use: { path: 'main.py', line: 3, symbol: 'area' },
    definition: 'shapes.py:1:5',
    references: ['main.py:1:20', 'main.py:3:22', 'shapes.py:1:5'],
    hover: /\(function\) def area\(width: int\) -> int[\s\S]*Computes it/,
    symbols: ['SIZE', 'RESULT'],
    renames: ['main.py', 'shapes.py'],
    broken: {
      path: 'main.py',
      text: 'from shapes import area\n\nRESULT: str = area(3)\n',
      message: /"int" is not assignable to "str"/,
    },
  },
  {
    server: 'bash-language-server',
    options: { programs: ['bash-language-server'] },
    files: {
      'lib.sh': '#!/bin/bash\n# Says hello.\ngreet() {\n  echo hello\n}\n',
      'main.sh': '#!/bin/bash\nsource ./lib.sh\ngreet\n',
    },
    use: { path: 'main.sh', line: 3, symbol: 'greet' },
    definition: 'lib.sh:3:1',
    references: ['lib.sh:3:1', 'main.sh:3:1'],
    hover: /greet[\s\S]*Says hello/,
    symbols: [],
    renames: ['lib.sh', 'main.sh'],
    broken: {
      path: 'main.sh',
      text: '#!/bin/bash\nif true; then\n',
      message: isInstalled('shellcheck') ? /if expression/ : undefined,
    },
  },
  {
    server: 'gopls',
    isMissing: !isInstalled('gopls') || !isInstalled('go'),
    options: {},
    files: {
      'go.mod': 'module example.com/x\n\ngo 1.19\n',
      'add.go': 'package main\n\n// Add adds up.\nfunc Add(a, b int) int {\n\treturn a + b\n}\n',
      'main.go': 'package main\n\nfunc main() {\n\tprintln("é", Add(1, 2))\n}\n',
    },
    use: { path: 'main.go', line: 4, symbol: 'Add' },
    definition: 'add.go:4:6',
    references: ['add.go:4:6', 'main.go:4:15'],
    hover: /func Add\(a int, b int\) int|func Add\(a, b int\) int/,
    symbols: ['main'],
    renames: ['add.go', 'main.go'],
    broken: {
      path: 'main.go',
      text: 'package main\n\nfunc main() {\n\tAdd("one", 2)\n}\n',
      message: /cannot use|cannot convert/,
    },
  },
  {
    server: 'clangd',
    isMissing: !isInstalled('clangd'),
    options: {},
    files: {
      'add.h': '// Adds up.\nint add(int a, int b);\n',
      'add.c': '#include "add.h"\nint add(int a, int b) {\n  return a + b;\n}\n',
      'main.c': '#include "add.h"\nint main(void) {\n  return add(1, 2);\n}\n',
    },
    use: { path: 'main.c', line: 3, symbol: 'add' },
    definition: 'add.c:2:5',
    references: ['add.c:2:5', 'add.h:2:5', 'main.c:3:10'],
    hover: /add[\s\S]*int/,
    symbols: ['main'],
    renames: ['add.c', 'add.h', 'main.c'],
    broken: {
      path: 'main.c',
      text: 'int main(void) {\n  return missing;\n}\n',
      message: /undeclared identifier 'missing'/,
    },
  },
];

for (const given of CASES) {
  test.skipIf(given.isMissing)(
    `${given.server} ${given.version ?? ''} answers about a project of several files`,
    async () => {
      const { servers, root, ask } = makeWorkspace(given.files, given.options);
      if (given.server === 'clangd')
        makeTree(root, { 'compile_commands.json': compileCommands(root, ['add.c', 'main.c']) });
      const { use } = given;
      const at = (view: ServerView): Place => {
        const place = findWord(view.document.lines, use.symbol, use.line);
        if (!place) throw new Error('the word is not there');
        return place;
      };

      // References are asked first: a server that is not waited for has not seen the other file yet.
      const references = await ask(use.path, (view) => findAllReferences(view, at(view)), { isProjectWide: true });
      expect(references.server).toBe(given.server);
      expect(references.incomplete).toEqual([]);
      expect(references.value.locations.map(show)).toEqual(given.references);

      const definition = await ask(use.path, (view) => findLocations(view, 'definition', at(view)));
      expect(definition.value.map(show)).toEqual([given.definition]);
      const hover = await ask(use.path, (view) => findHover(view, at(view)));
      expect(hover.value).toMatch(given.hover);
      const symbols = await ask(use.path, findDocumentSymbols);
      expect(flattenSymbols(symbols.value).map((symbol) => symbol.name)).toEqual(
        expect.arrayContaining([...given.symbols]),
      );

      const rename = await ask(use.path, (view) =>
        planRename(view, at(view), { expected: use.symbol, newName: 'renamed' }),
      );
      expect(rename.value.map((edit) => edit.path).sort()).toEqual(given.renames);
      for (const edit of rename.value) expect(occurrences(edit, use.symbol)).toBe(0);

      const before = await ask(given.broken.path, findDiagnostics);
      expect(before.value).toEqual({ diagnostics: [], isPending: false });
      makeTree(root, { [given.broken.path]: given.broken.text });
      const after = await ask(given.broken.path, findDiagnostics);
      expect(after.value.isPending).toBe(false);
      if (!given.broken.message) return;
      expect(after.value.diagnostics.map((diagnostic) => diagnostic.message).join('\n')).toMatch(given.broken.message);
      expect(after.value.diagnostics.map((diagnostic) => diagnostic.severity)).toContain('error');
      expect(servers.running).toHaveLength(1);
    },
    120_000,
  );
}

function show(location: { path: string; range: { start: Place } } | { outside: string; line: number }): string {
  if ('outside' in location) return `(${location.outside}:${location.line})`;
  return `${location.path}:${location.range.start.line}:${location.range.start.character}`;
}

function occurrences(edit: FileEdit, word: string): number {
  const text = 'after' in edit ? edit.after : '';
  return text.match(new RegExp(`\\b${word}\\b(?!\\.)`, 'g'))?.length ?? 0;
}

function compileCommands(root: string, files: readonly string[]): string {
  return JSON.stringify(files.map((file) => ({ directory: root, file, command: `cc -c ${file}` })));
}

const ofTypeScript: readonly (readonly [string, TestWorkspaceOptions])[] = [
  ['typescript', { programs: ['tsc'] }],
  ...TSSERVER_VERSIONS.map((version) => [`tsserver ${version}`, byTsserver(version)] as const),
];

test.for(ofTypeScript)(
  '%s knows callers, callees, symbols of the project, types and implementations',
  async ([, options]) => {
    const { ask } = makeWorkspace(
      {
        'tsconfig.json': '{"compilerOptions":{"types":[]}}',
        'a.ts':
          'export interface Shape { area(): number }\nexport class Square implements Shape {\n  area() { return side(); }\n}\nfunction side() { return 2; }\n',
        'b.ts': "import { Square } from './a';\nconst square = new Square();\nconst text = square.area().toFixed();\n",
      },
      options,
    );
    const callers = await ask('a.ts', (view) => findCalls(view, 'incoming', { line: 5, character: 10 }));
    expect(callers.value).toMatchObject([
      { name: 'area', kind: 'Method', location: { path: 'a.ts', range: { start: { line: 3 } } } },
    ]);
    const callees = await ask('a.ts', (view) => findCalls(view, 'outgoing', { line: 3, character: 3 }));
    expect(callees.value).toMatchObject([{ name: 'side', kind: 'Function', location: { path: 'a.ts' } }]);
    const symbols = await ask('a.ts', (view) => findWorkspaceSymbols(view, 'Square'));
    expect(symbols.value).toContainEqual(
      expect.objectContaining({ name: 'Square', kind: 'Class', location: expect.objectContaining({ path: 'a.ts' }) }),
    );
    const implementation = await ask('a.ts', (view) =>
      findLocations(view, 'implementation', { line: 1, character: 18 }),
    );
    expect(implementation.value.map(show)).toEqual(['a.ts:2:14']);
    const type = await ask('b.ts', (view) => findLocations(view, 'typeDefinition', { line: 3, character: 14 }));
    expect(type.value.map(show)).toEqual(['a.ts:2:14']);
    // The library of the compiler lies outside, and is named.
    const library = await ask('b.ts', (view) => findLocations(view, 'definition', { line: 3, character: 28 }));
    expect(library.value).toMatchObject([{ outside: expect.stringContaining('lib.es5.d.ts') }]);
  },
);
