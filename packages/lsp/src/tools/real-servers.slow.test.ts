import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type FileTree, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { openLanguageSession } from './fixture/language-session.ts';

/** The npm packages with servers that packages/lsp tests with. */
const PACKAGES = fileURLToPath(new URL('../../node_modules', import.meta.url));

function fromNpm(name: string, file: string): FileTree {
  const program = fs.realpathSync(path.join(PACKAGES, file));
  return { [name]: { content: `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, mode: 0o755 } };
}

/** A project in which `old` is declared in one file and used in others, and is renamed to `fresh`. */
interface Case {
  readonly server: string;
  readonly files: Readonly<Record<string, string>>;
  readonly path: string;
  readonly programs?: FileTree;
  readonly lsp?: object;
  /** Programs that must be on the PATH of the tests. */
  readonly needs?: readonly string[];
  /** A text for `path` that has an error, and what is said of it. */
  readonly broken?: readonly [text: string, message: RegExp];
}

const TYPESCRIPT = {
  path: 'use.ts',
  files: {
    'tsconfig.json': '{ "compilerOptions": { "strict": true, "types": [] } }\n',
    'declare.ts': 'export const old = (x: number) => x;\r\nexport const text = "😀", twice = old(old(2));\r\n',
    'use.ts': "import { old } from './declare';\nexport const used: number = old(1);\n",
  },
  broken: ["import { fresh } from './declare';\nfresh('one');\n", /not assignable to parameter/],
} as const;

const CASES: readonly Case[] = [
  { ...TYPESCRIPT, server: 'typescript' },
  {
    ...TYPESCRIPT,
    server: 'tsserver',
    programs: fromNpm('tsserver', 'typescript5/bin/tsserver'),
    lsp: { languages: { TypeScript: ['tsserver'] } },
  },
  {
    ...TYPESCRIPT,
    server: 'typescript-language-server',
    programs: fromNpm('typescript-language-server', 'typescript-language-server/lib/cli.mjs'),
    lsp: {
      languages: { TypeScript: ['typescript-language-server'] },
      servers: {
        'typescript-language-server': {
          initialization_options: { tsserver: { path: path.join(PACKAGES, 'typescript5/lib/tsserver.js') } },
        },
      },
    },
  },
  {
    server: 'pyright',
    programs: {
      'pyright-langserver': { symlink: fs.realpathSync(path.join(PACKAGES, 'pyright/langserver.index.js')) },
      node: { symlink: process.execPath },
    },
    path: 'use.py',
    files: {
      'pyproject.toml': '[tool.pyright]\n',
      'declare.py': 'def old(x: int) -> int:\n    return x\n',
      'use.py': 'from declare import old\n\nTEXT = "😀"; USED = old(1)\n',
    },
    broken: ['from declare import fresh\n\nUSED: str = fresh(1)\n', /not assignable/],
  },
  {
    server: 'bash-language-server',
    programs: fromNpm('bash-language-server', 'bash-language-server/out/cli.js'),
    path: 'use.sh',
    files: {
      'declare.sh': '#!/bin/bash\nold() {\n  echo hello\n}\n',
      'use.sh': '#!/bin/bash\nsource ./declare.sh\nold\n',
    },
    ...(isInstalled('shellcheck') && { broken: ['#!/bin/bash\nif true; then\n', /if expression/] as const }),
  },
  {
    server: 'gopls',
    needs: ['gopls', 'go'],
    path: 'use.go',
    files: {
      'go.mod': 'module example.com/x\n\ngo 1.19\n',
      'declare.go': 'package main\n\nfunc old(x int) int {\n\treturn x\n}\n',
      'use.go': 'package main\n\nfunc main() {\n\tprintln("😀", old(1))\n}\n',
    },
    broken: ['package main\n\nfunc main() {\n\tprintln(fresh("one"))\n}\n', /cannot use|cannot convert/],
  },
  {
    server: 'clangd',
    needs: ['clangd'],
    path: 'use.c',
    files: {
      'declare.h': 'int old(int x);\n',
      'declare.c': '#include "declare.h"\nint old(int x) {\n  return x;\n}\n',
      'use.c': '#include "declare.h"\nint main(void) {\n  return old(1);\n}\n',
    },
    broken: ['int main(void) {\n  return missing;\n}\n', /undeclared identifier 'missing'/],
  },
  {
    server: 'vscode-css-language-server',
    programs: fromNpm('vscode-css-language-server', 'vscode-langservers-extracted/bin/vscode-css-language-server'),
    path: 'use.css',
    files: { 'use.css': ':root { --old: red; }\na { color: var(--old); }\n' },
    broken: ['a { color: }\n', /property value expected/],
  },
];

function isInstalled(program: string): boolean {
  return spawnSync(program, ['--version']).error === undefined;
}

for (const { server, files, path: file, programs, lsp, needs = [], broken } of CASES) {
  test.skipIf(!needs.every(isInstalled))(
    `a rename is applied with ${server}, and errors are told`,
    async () => {
      const { ask, root, read } = openLanguageSession(files, {
        ...(lsp && { config: { lsp } }),
        ...(programs && { programs }),
      });
      if (server === 'clangd') {
        const commands = ['declare.c', 'use.c'].map((name) => ({
          directory: root,
          file: name,
          command: `cc -c ${name}`,
        }));
        makeTree(root, { 'compile_commands.json': JSON.stringify(commands) });
      }
      const sign = file.endsWith('.css') ? '--' : '';
      const lines = (files[file] ?? '').split('\n');
      const line = lines.findLastIndex((text) => text.includes('old')) + 1;
      const rename = {
        action: 'rename',
        path: file,
        line,
        symbol: `${sign}old`,
        new_name: `${sign}fresh`,
        timeout: 60,
      };
      expect(await ask({ ...rename, apply: true })).toMatchObject({ ok: true, meta: { server, applied: true } });
      for (const [name, text] of Object.entries(files)) expect(read(name)).toBe(text.replace(/\bold\b/g, 'fresh'));
      // The server knows what was written.
      const place = { path: file, line, symbol: `${sign}fresh`, timeout: 60 };
      const count = Object.values(files)
        .join('')
        .match(/\bold\b/g)?.length;
      expect(await ask({ ...place, action: 'references' })).toMatchObject({ ok: true, total_count: count });
      if (!broken) return;
      expect(await ask({ action: 'diagnostics', path: file, timeout: 60 })).toMatchObject({
        result: 'no diagnostics found',
      });
      makeTree(root, { [file]: broken[0] });
      const said = await ask({ action: 'diagnostics', path: file, timeout: 60 });
      expect(said.ok && said.result).toMatch(broken[1]);
      expect(said.ok && said.result).toMatch(new RegExp(`^${file}:\\d+:\\d+ error `, 'm'));
    },
    120_000,
  );
}

/** Servers of languages in which a file stands for itself; they offer no references of what they rename. */
const SINGLE: readonly { server: string; programs: FileTree; path: string; text: string }[] = [
  {
    server: 'yaml-language-server',
    programs: fromNpm('yaml-language-server', 'yaml-language-server/bin/yaml-language-server'),
    path: 'a.yaml',
    text: 'base: &old\n  size: 1\nother: *old\n',
  },
  {
    server: 'vscode-html-language-server',
    programs: fromNpm('vscode-html-language-server', 'vscode-langservers-extracted/bin/vscode-html-language-server'),
    path: 'a.html',
    text: '<old>\n  <p>text</p>\n</old>\n',
  },
];

test.for(SINGLE)('a rename in one file is applied with $server', async ({ server, programs, path: file, text }) => {
  const { ask, read } = openLanguageSession({ [file]: text }, { programs });
  const rename = { action: 'rename', path: file, line: 1, symbol: 'old', new_name: 'fresh', timeout: 60 };
  expect(await ask({ ...rename, apply: true })).toMatchObject({ ok: true, meta: { server, applied: true } });
  expect(read(file)).toBe(text.replaceAll('old', 'fresh'));
});

/** What typescript packages of these versions are here, with their directories. */
const OWN_TYPESCRIPTS = ['4.9.5', '5.9.3']
  .map((version) => [version, `../../../../node_modules/.pnpm/typescript@${version}/node_modules/typescript`] as const)
  .map(([version, directory]) => [version, fileURLToPath(new URL(directory, import.meta.url))] as const)
  .filter(([, directory]) => fs.existsSync(directory));

test.each(OWN_TYPESCRIPTS)(
  'the tsserver of TypeScript %s in node_modules serves, once the person trusts it',
  { timeout: 120_000 },
  async (_, directory) => {
    const server = 'typescript-language-server';
    const { ask, root } = openLanguageSession(TYPESCRIPT.files, {
      // There is no TypeScript 7.
      programs: { ...fromNpm(server, `${server}/lib/cli.mjs`), tsc: { content: '#!/bin/sh\nexit 1\n', mode: 0o755 } },
    });
    fs.cpSync(directory, path.join(root, 'node_modules/typescript'), { recursive: true, dereference: true });
    const hover = { action: 'hover', path: 'use.ts', line: 2, symbol: 'old', timeout: 60 };
    expect(await ask(hover)).toMatchObject({
      error_code: 'lsp_unavailable',
      error: expect.stringContaining('it would load the TypeScript of the workspace'),
      suggestion: expect.stringContaining(`jinn lsp trust ${server}`),
    });
    expect(await ask(hover, { ask: async () => 'once' as const })).toMatchObject({
      result: expect.stringContaining('old(x: number): number'),
      meta: { server, complete: true },
    });
    expect(await ask({ ...hover, action: 'references' })).toMatchObject({ total_count: 5 });
  },
);

test.each(['tsserver', 'typescript-language-server', 'typescript'])(
  '%s finds the uses of a file that was created or brought back while its importer was open',
  { timeout: 120_000 },
  async (server) => {
    const { programs, lsp } = CASES.find((each) => each.server === server) as Case;
    const { 'declare.ts': declaring, ...others } = TYPESCRIPT.files;
    const { ask, root } = openLanguageSession(others, {
      ...(programs && { programs }),
      ...(lsp && { config: { lsp } }),
    });
    const diagnose = { action: 'diagnostics', path: 'use.ts', timeout: 60 };
    const uses = { action: 'references', path: 'declare.ts', symbol: 'old', timeout: 60 };
    for (let round = 0; round < 2; round++) {
      expect(await ask(diagnose)).toMatchObject({ result: expect.stringContaining('Cannot find module') });
      fs.writeFileSync(path.join(root, 'declare.ts'), declaring);
      expect(await ask(uses)).toMatchObject({ total_count: 5, meta: { server, complete: true } });
      expect(await ask(diagnose)).toMatchObject({ result: 'no diagnostics found' });
      fs.rmSync(path.join(root, 'declare.ts'));
    }
  },
);
