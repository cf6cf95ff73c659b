import fs from 'node:fs';
import path from 'node:path';
import { type FileTree, makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { findDocumentSymbols } from '../answers/queries.ts';
import { makeWorkspace, TRUSTS_ALL, TRUSTS_NOTHING, TSSERVER } from '../fixture/language-workspace.ts';
import { chooseServer, findServer, servedLanguageOf, serverEnvironment } from './find-server.ts';
import { listServers } from './list-languages.ts';
import { readLspSettings, serversOf } from './lsp-settings.ts';
import { projectRoot } from './server-choices.ts';
import { SERVER_TABLE, type Server } from './server-table.ts';
import { codeNames, runsProjectCode } from './server-trust.ts';

const PROGRAM = { content: '#!/bin/sh\nexit 1\n', mode: 0o755 };

/** A workspace, and beside it a directory of programs that is on the PATH. */
function makePlaces(tree: FileTree, programs: FileTree = {}) {
  const [root, bin] = [makeTempDirectory(), makeTempDirectory()];
  makeTree(root, tree);
  makeTree(bin, programs);
  return { root, bin, options: { root, environment: { PATH: bin }, trust: TRUSTS_NOTHING } };
}

function server(id: string): Server {
  return { id, ...(SERVER_TABLE.servers[id] as Omit<Server, 'id'>) };
}

test('a language is known by an extension in any case, or by a whole name', () => {
  const ids = (name: string) => servedLanguageOf(SERVER_TABLE, name)?.id;
  expect(
    ['a/b.TSX', 'x.d.ts', 'Dockerfile', 'a/CMakeLists.txt', 'Gemfile', '.bashrc', 'a.h', 'a.mli'].map(ids),
  ).toEqual(['typescriptreact', 'typescript', 'dockerfile', 'cmake', 'ruby', 'shellscript', 'c', 'ocaml.interface']);
  expect(['a', 'a.unknown', '.ts', 'a.constructor', '__proto__', 'toString'].map(ids)).toEqual(
    Array(6).fill(undefined),
  );
});

test('every language of the table has servers that are described', () => {
  const languages = Object.entries(SERVER_TABLE.languages);
  expect(languages.length).toBeGreaterThanOrEqual(30);
  for (const [name, language] of languages) {
    expect([name, serversOf(SERVER_TABLE, language).length]).toEqual([name, language.servers.length]);
    expect(Object.keys({ ...language.extensions, ...language.names }).length).toBeGreaterThan(0);
  }
  for (const [id, { command, install }] of Object.entries(SERVER_TABLE.servers)) {
    expect([id, command.length > 0, install.length > 0]).toEqual([id, true, true]);
    expect(command[0]).not.toContain('/');
  }
  const used = new Set(languages.flatMap(([, language]) => language.servers));
  expect(Object.keys(SERVER_TABLE.servers).filter((id) => !used.has(id))).toEqual([]);
});

test('the server of TypeScript 7 goes before the others, and an older tsc is passed over', async () => {
  const say = (version: string) => ({ content: `#!/bin/sh\necho Version ${version}\n`, mode: 0o755 });
  const { bin, options } = makePlaces({}, { tsc: say('7.0.2') });
  expect((await chooseServer(SERVER_TABLE, 'a.ts', options)).argv).toEqual([`${bin}/tsc`, '--lsp', '--stdio']);
  makeTree(bin, { tsc: say('5.9.3') });
  await expect(chooseServer(SERVER_TABLE, 'a.ts', options)).rejects.toMatchObject({
    code: 'lsp_unavailable',
    message: expect.stringMatching(
      /tsc is too old \(version 5.9.3\); none of typescript-language-server, .* is on PATH$/,
    ),
  });
});

test('a file of no known language is refused with the extensions that are known', async () => {
  const { options } = makePlaces({});
  await expect(chooseServer(SERVER_TABLE, 'a/b.unknown', options)).rejects.toMatchObject({
    code: 'lsp_unavailable',
    message: 'no LSP server known for extension .unknown',
    suggestion: expect.stringContaining('.ts .mts'),
  });
  await expect(chooseServer(SERVER_TABLE, 'Strange', options)).rejects.toMatchObject({
    message: 'no LSP server known for Strange',
  });
});

test('a server that is not installed is refused with how to install it', async () => {
  const { options } = makePlaces({});
  await expect(chooseServer(SERVER_TABLE, 'a.go', options)).rejects.toMatchObject({
    code: 'lsp_unavailable',
    message: 'no language server for Go: gopls is not on PATH',
    suggestion: 'install with: go install golang.org/x/tools/gopls@latest',
  });
});

/** What the suggestion for a file holds where no server is installed. */
const HINTS: readonly (readonly [files: string, hint: string])[] = [
  ['a.go', 'go install golang.org/x/tools/gopls@latest'],
  ['a.rs', 'rustup component add rust-analyzer'],
  ['a.py', 'pip install basedpyright or pip install python-lsp-server'],
  ['a.ts a.tsx a.js a.jsx', 'npm install -g typescript@7 or npm install -g typescript-language-server typescript'],
  ['a.c a.h a.cpp a.cc a.cxx a.hpp', 'apt install clangd (bundled with LLVM or via system package manager)'],
  ['A.java', 'install the Eclipse JDT Language Server'],
  ['a.lua', 'https://github.com/LuaLS/lua-language-server'],
  ['a.zig', 'https://github.com/zigtools/zls'],
];

test.for(HINTS)('the suggestion for %s names the usual ways to install a server', async ([files, hint]) => {
  const { options } = makePlaces({});
  for (const file of files.split(' ')) {
    await expect(chooseServer(SERVER_TABLE, file, options)).rejects.toMatchObject({
      suggestion: expect.stringContaining(hint),
    });
  }
});

test('the suggestion names only servers that the settings leave', async () => {
  const { options } = makePlaces({});
  const { table: chosen } = readLspSettings({ languages: { Python: ['ty', 'pyrefly'] } }, SERVER_TABLE);
  await expect(chooseServer(chosen, 'a.py', options)).rejects.toMatchObject({
    suggestion: 'install with: pip install ty',
  });
});

test('a server that runs code of the workspace needs trust', async () => {
  const { bin, options } = makePlaces({ 'Cargo.toml': '' }, { 'rust-analyzer': PROGRAM });
  await expect(chooseServer(SERVER_TABLE, 'a.rs', options)).rejects.toMatchObject({
    code: 'lsp_unavailable',
    message: expect.stringMatching(/rust-analyzer needs trust, since it runs code of the workspace: build.rs/),
    suggestion: expect.stringContaining('jinn lsp trust rust-analyzer'),
  });
  const { argv } = await chooseServer(SERVER_TABLE, 'a.rs', { ...options, trust: TRUSTS_ALL });
  expect(argv).toEqual([`${bin}/rust-analyzer`]);
});

test('a server that runs no code goes before a better one that does, until that is trusted', async () => {
  const { options } = makePlaces({}, { 'basedpyright-langserver': PROGRAM, ...packageWithPyright('pyright') });
  const { server, isTrusted } = await chooseServer(SERVER_TABLE, 'a.py', options);
  expect([server.id, isTrusted]).toEqual(['pyright', false]);
  // A session asks again whether such a server still needs no trust, and ends it when one of its code files changes.
  expect(await runsProjectCode(server, options.root)).toBe(false);
  expect(codeNames(server)).toEqual([]);
  const trusted = await chooseServer(SERVER_TABLE, 'a.py', { ...options, trust: TRUSTS_ALL });
  expect(trusted.server.id).toBe('basedpyright');
});

/** A package of npm that installs the program `pyright-langserver`, and the link to it. */
function packageWithPyright(name: string): FileTree {
  return {
    'pyright-langserver': { symlink: `node_modules/${name}/langserver.index.js` },
    [`node_modules/${name}/langserver.index.js`]: PROGRAM,
    [`node_modules/${name}/package.json`]: JSON.stringify({ name, version: '1.1.400' }),
  };
}

const SCRIPT_OF_PNPM = {
  content: '#!/bin/sh\nbasedir=$(dirname "$0")\nexec node "$basedir/../pyright/langserver.index.js" "$@"\n',
  mode: 0o755,
};
const { 'pyright-langserver': _, ...INSTALLED } = packageWithPyright('pyright');

/** Programs of the name `pyright-langserver`, and whether they need trust. */
const NAMED_PYRIGHT: readonly (readonly [what: string, needsTrust: boolean, programs: FileTree])[] = [
  ['a link to the package pyright', false, packageWithPyright('pyright')],
  ['a script of pnpm for it', false, { ...INSTALLED, 'node_modules/.bin/pyright-langserver': SCRIPT_OF_PNPM }],
  ['a link to the package basedpyright', true, packageWithPyright('basedpyright')],
  ['a link to a package with a scope', true, packageWithPyright('@some/pyright')],
  [
    'a link to a link',
    true,
    {
      ...packageWithPyright('basedpyright'),
      'node_modules/.bin/pyright-langserver': { symlink: '../../pyright-langserver' },
    },
  ],
  [
    'the package basedpyright in a directory of the other name',
    true,
    {
      ...packageWithPyright('pyright'),
      'node_modules/pyright/package.json': '{"name":"basedpyright","version":"1.1.400"}',
    },
  ],
  ['a package without a manifest', true, { ...packageWithPyright('pyright'), 'node_modules/pyright/package.json': '' }],
  [
    'a wrapper script',
    true,
    {
      ...INSTALLED,
      'pyright-langserver': {
        content: '#!/bin/sh\nexec node "$(dirname "$0")/node_modules/pyright/langserver.index.js" "$@"\n',
        mode: 0o755,
      },
    },
  ],
  ['a renamed copy', true, { ...INSTALLED, 'pyright-langserver': PROGRAM }],
];

test.for(NAMED_PYRIGHT)('pyright-langserver is %s: it needs trust: %s', async ([, needsTrust, programs]) => {
  const { bin, options } = makePlaces({ '.venv/bin/python': PROGRAM }, programs);
  const environment = { PATH: `${bin}/node_modules/.bin${path.delimiter}${bin}` };
  const found = await findServer(server('pyright'), { ...options, environment });
  if (!needsTrust) expect(found).toMatchObject({ isTrusted: false, argv: [expect.any(String), '--stdio'] });
  else {
    const why = 'it runs code of the workspace: the interpreter of its .venv';
    expect(found).toMatchObject({ obstacle: { kind: 'untrusted', own: { why } } });
  }
});

test('a pyright that the settings say runs code of the workspace needs trust', async () => {
  const { options } = makePlaces({}, packageWithPyright('pyright'));
  const { table } = readLspSettings({ servers: { pyright: { runs_project_code: 'its hooks' } } }, SERVER_TABLE);
  await expect(chooseServer(table, 'a.py', options)).rejects.toMatchObject({
    message: expect.stringContaining('pyright-langserver needs trust, since it runs code of the workspace: its hooks'),
  });
});

/** Servers that run code only of projects, each with a file and names that make a project. */
const PROJECTS: readonly (readonly [program: string, file: string, names: readonly string[]])[] = [
  ['lua-language-server', 'a.lua', ['.luarc.json', '.luarc.jsonc', '.vscode/settings.json', '.vscode/lua/plugin.lua']],
  [
    'jdtls',
    'A.java',
    [
      'pom.xml',
      'build.gradle',
      'settings.gradle.kts',
      'mvnw',
      'gradlew',
      '.project',
      '.classpath',
      '.settings/a.prefs',
    ],
  ],
  [
    'rust-analyzer',
    'a.rs',
    ['Cargo.toml', 'rust-project.json', 'build.rs', '.cargo/config.toml', 'rust-toolchain', 'rust-analyzer.toml'],
  ],
  ['pylsp', 'a.py', ['.ropeproject/config.py', 'setup.cfg']],
  ['vtsls', 'a.ts', ['node_modules/typescript/lib/tsserver.js']],
];

test.for(PROJECTS)('%s needs no trust for a file outside of a project', async ([program, file, names]) => {
  const fingerprints: (string | undefined)[] = [];
  const isTrusted = async (_: string, fingerprint: () => Promise<string | undefined>) => {
    fingerprints.push(await fingerprint());
    return false;
  };
  const { root, options } = makePlaces({ [`top/${file}`]: '', 'top/src/a': '' }, { [program]: PROGRAM });
  const choose = () =>
    chooseServer(SERVER_TABLE, file, { ...options, root: `${root}/top`, trust: { ...TRUSTS_NOTHING, isTrusted } });
  expect(await choose()).toMatchObject({ isTrusted: false });
  for (const name of names.flatMap((each) => [`top/src/${each}`, each])) {
    for (const content of ['one', 'another']) {
      makeTree(root, { [name]: content });
      await expect(choose(), name).rejects.toMatchObject({ message: expect.stringContaining('needs trust') });
    }
    const [first, second] = fingerprints.slice(-2);
    expect(first, name).toMatch(/^[0-9a-f]{64}$/);
    expect(second, name).not.toBe(first);
    fs.rmSync(path.join(root, name));
    if (name.includes('.settings')) fs.rmdirSync(path.dirname(path.join(root, name)));
    if (name.includes('node_modules')) fs.rmSync(path.join(root, name, '../..'), { recursive: true });
  }
  expect(await choose()).toMatchObject({ isTrusted: false });
});

/** Ways by which a program of the workspace could come to be started. */
const INSIDE: readonly [string, FileTree, (root: string, bin: string) => string][] = [
  ['node_modules/.bin', { 'node_modules/.bin/gopls': PROGRAM }, () => ''],
  ['a directory of the PATH', { 'tools/gopls': PROGRAM }, (root) => `${root}/tools`],
  ['a relative directory of the PATH', { gopls: PROGRAM }, () => '.:'],
  ['a link that leads into it', { 'tools/gopls': PROGRAM }, (_, bin) => bin],
];

for (const [name, tree, search] of INSIDE) {
  test(`a program of the workspace is not started without trust: ${name}`, async () => {
    const { root, bin, options } = makePlaces(tree);
    if (name.startsWith('a link')) makeTree(bin, { gopls: { symlink: `${root}/tools/gopls` } });
    const environment = { PATH: search(root, bin) };
    expect(await findServer(server('gopls'), { ...options, environment })).toHaveProperty('obstacle');
    const trusted = await findServer(server('gopls'), { ...options, environment, trust: TRUSTS_ALL });
    if (name.includes('relative')) expect(trusted).toHaveProperty('obstacle');
    else expect(trusted).toHaveProperty('argv');
  });
}

test('a program of the settings is found by its absolute path, and not by a relative one', async () => {
  const { bin, options } = makePlaces({}, { mine: PROGRAM });
  const search = (command: string) => findServer({ ...server('gopls'), command: [command, '--x'] }, options);
  expect(await search(`${bin}/mine`)).toMatchObject({ argv: [`${bin}/mine`, '--x'] });
  expect(await search('./mine')).toEqual({ obstacle: { kind: 'missing' } });
  expect(await search(`${bin}/other`)).toEqual({ obstacle: { kind: 'missing' } });
});

test('typescript-language-server is given a TypeScript outside of the workspace, or is not started', async () => {
  const own = { 'node_modules/typescript/lib/tsserver.js': 'require("fs").writeFileSync("ran", "")\n' };
  const { root, bin, options } = makePlaces(own, { 'typescript-language-server': PROGRAM });
  const language = server('typescript-language-server');
  const untrusted = { obstacle: { kind: 'untrusted', own: { why: 'it would load the TypeScript of the workspace' } } };
  expect(await findServer(language, options)).toMatchObject(untrusted);
  expect(await findServer(language, { ...options, trust: TRUSTS_ALL })).toMatchObject({
    server: { initializationOptions: { tsserver: { path: `${root}/node_modules/typescript/lib/tsserver.js` } } },
    isTrusted: true,
  });
  makeTree(bin, { 'node_modules/typescript': { symlink: `${root}/node_modules/typescript` } });
  expect(await findServer(language, options)).toMatchObject(untrusted);
  fs.rmSync(`${bin}/node_modules/typescript`);
  makeTree(bin, { 'node_modules/typescript/lib/tsserver.js': '' });
  // What needs no trust goes before what does.
  for (const trust of [TRUSTS_NOTHING, TRUSTS_ALL]) {
    expect(await findServer(language, { ...options, trust })).toMatchObject({
      server: {
        initializationOptions: {
          tsserver: { path: `${bin}/node_modules/typescript/lib/tsserver.js`, useSyntaxServer: 'never' },
        },
      },
      isTrusted: false,
    });
  }
});

test('typescript-language-server starts as it is if the workspace has no TypeScript either', async () => {
  const { bin, options } = makePlaces({ 'a.ts': '' }, { 'typescript-language-server': PROGRAM });
  const found = await findServer(server('typescript-language-server'), options);
  expect(found).toMatchObject({ argv: [`${bin}/typescript-language-server`, '--stdio'], isTrusted: false });
  expect(found).not.toHaveProperty('server.initializationOptions.tsserver.path');
});

test.for([
  'packages/a/node_modules/typescript/lib/tsserver.js',
  'packages/a/.yarn/sdks/typescript/lib/tsserver.js',
  '.vscode/pnpify/typescript/lib/tsserver.js',
  '../node_modules/typescript/lib/tsserver.js',
])('typescript-language-server does not start where it could load %s', async (name) => {
  const { root, options } = makePlaces({ [path.join('top', name)]: '' }, { 'typescript-language-server': PROGRAM });
  fs.mkdirSync(`${root}/top`, { recursive: true });
  for (const trust of [TRUSTS_NOTHING, TRUSTS_ALL]) {
    const search = findServer(server('typescript-language-server'), { ...options, root: `${root}/top`, trust });
    expect(await search).toEqual({ obstacle: { kind: 'no-typescript' } });
  }
});

test('a program of the workspace is not asked for its version without trust, unless its package tells', async () => {
  const { root, options } = makePlaces({
    'node_modules/.bin/tsc': { content: '#!/bin/sh\ntouch "$0.ran"\necho Version 7.0.2\n', mode: 0o755 },
  });
  const search = (trust = TRUSTS_NOTHING) => findServer(server('typescript'), { ...options, trust });
  expect(await search()).toMatchObject({ obstacle: { kind: 'untrusted' } });
  expect(fs.existsSync(`${root}/node_modules/.bin/tsc.ran`)).toBe(false);
  const environment = { PATH: '/usr/bin:/bin' };
  expect(await findServer(server('typescript'), { ...options, environment, trust: TRUSTS_ALL })).toMatchObject({
    argv: [`${root}/node_modules/.bin/tsc`, '--lsp', '--stdio'],
  });
  expect(fs.existsSync(`${root}/node_modules/.bin/tsc.ran`)).toBe(true);
  fs.rmSync(`${root}/node_modules/.bin/tsc`);
  makeTree(root, {
    'node_modules/.bin/tsc': { symlink: '../typescript/bin/tsc' },
    'node_modules/typescript/bin/tsc': PROGRAM,
    'node_modules/typescript/package.json': '{"name":"typescript","version":"5.9.3"}',
  });
  expect(await search()).toEqual({ obstacle: { kind: 'old', version: '5.9.3' } });
});

test('opening a workspace runs nothing of what it brings', async () => {
  const trap = (name: string) => ({ content: `#!/bin/sh\ntouch '${marks}/${name}'\n`, mode: 0o755 });
  const marks = makeTempDirectory();
  const tree = {
    'package.json': '{"devDependencies":{"typescript":"*"}}',
    'package-lock.json': '{}',
    'a.ts': 'export const one = 1;\n',
    'a.py': 'one = 1\n',
    'node_modules/typescript/package.json': '{"name":"typescript","version":"5.9.3","bin":"bin/tsc"}',
    'node_modules/typescript/lib/tsserver.js': `require('node:fs').writeFileSync('${marks}/tsserver', '')\n`,
    'node_modules/.bin/tsc': trap('tsc'),
    'node_modules/.bin/node': trap('node'),
    'node_modules/.bin/typescript-language-server': trap('tsls'),
    '.venv/pyvenv.cfg': 'home = /usr/bin\n',
    '.venv/bin/python': trap('python'),
    'bin/python3': trap('python3'),
  };
  const root = makeTempDirectory();
  const { ask } = makeWorkspace(tree, {
    root,
    programs: ['typescript-language-server', 'pyright-langserver'],
    lsp: {
      languages: { TypeScript: ['typescript-language-server'] },
      servers: { 'typescript-language-server': { initialization_options: { tsserver: { path: TSSERVER } } } },
    },
  });
  expect((await ask('a.ts', findDocumentSymbols)).value).toMatchObject([{ name: 'one' }]);
  expect((await ask('a.py', findDocumentSymbols)).value).toMatchObject([{ name: 'one' }]);
  expect(fs.readdirSync(marks)).toEqual([]);
}, 60_000);

test('the environment of a server is what is allowed, and leads into the workspace only for one that is trusted', () => {
  const environment = {
    PATH: `/usr/bin${path.delimiter}/ws/bin${path.delimiter}bin${path.delimiter}/ws${path.delimiter}/ws/..bin${path.delimiter}/wsx`,
    HOME: '/home/me',
    LC_ALL: 'C',
    VIRTUAL_ENV: '/ws/.venv',
    GOPATH: '/ws/go',
    NODE_OPTIONS: '--require /tmp/x.js',
    LD_PRELOAD: 'x.so',
    GITHUB_TOKEN: 'secret',
    RUSTC_WRAPPER: 'x',
  };
  const given = { environment, root: '/ws', own: { GOTOOLCHAIN: 'local' } };
  expect(serverEnvironment({ ...given, isTrusted: false })).toEqual({
    PATH: `/usr/bin${path.delimiter}/wsx`,
    HOME: '/home/me',
    LC_ALL: 'C',
    GOPATH: '',
    GOTOOLCHAIN: 'local',
  });
  expect(serverEnvironment({ ...given, isTrusted: true })).toMatchObject({
    VIRTUAL_ENV: '/ws/.venv',
    GOPATH: '/ws/go',
  });
  expect(serverEnvironment({ ...given, isTrusted: true })).not.toHaveProperty('GITHUB_TOKEN');
});

test('the root of a project is the nearest with a marker of the first group, and never above the workspace', () => {
  const files = new Set(['pnpm-lock.yaml', 'a/tsconfig.json', 'a/b/package.json', 'r/Cargo.toml', 'r/x/Cargo.toml']);
  const hasAny = (directory: string, names: readonly string[]) =>
    names.some((name) => files.has(path.posix.join(directory, name)));
  const rootOf = (id: string, file: string) => projectRoot(server(id), file, hasAny);
  expect(rootOf('typescript', 'a/b/c.ts')).toBe('.');
  files.delete('pnpm-lock.yaml');
  expect(rootOf('typescript', 'a/b/c.ts')).toBe('a');
  files.delete('a/tsconfig.json');
  expect(rootOf('typescript', 'a/b/c.ts')).toBe('a/b');
  expect(rootOf('typescript', 'z/c.ts')).toBe('.');
  expect(rootOf('rust-analyzer', 'r/x/src/a.rs')).toBe('r');
});

test('the servers of a project are listed with what is in their way', async () => {
  const { bin, options } = makePlaces({ 'Cargo.toml': '' }, { gopls: PROGRAM, 'rust-analyzer': PROGRAM });
  const found = await listServers(SERVER_TABLE, ['a.go', 'b.go', 'c.rs', 'd.unknown', 'e.py'], options);
  expect(found.map(({ language, files }) => [language, files])).toEqual([
    ['Go', 2],
    ['Rust', 1],
    ['Python', 1],
  ]);
  expect(found[0]?.servers).toEqual([
    { id: 'gopls', isTrusted: false, program: `${bin}/gopls`, install: 'go install golang.org/x/tools/gopls@latest' },
  ]);
  expect(found[1]?.servers[0]).toMatchObject({
    isTrusted: false,
    obstacle: expect.stringContaining('needs trust, since it runs code'),
    untrusted: { why: expect.any(String) },
  });
  expect(found[2]?.servers[1]).toMatchObject({ id: 'pyright', obstacle: 'pyright-langserver is not on PATH' });
});

const table = (lsp: unknown) => readLspSettings(lsp, SERVER_TABLE).table;

test('settings change a server, add one, leave one out, and choose among them', () => {
  const changed = table({
    servers: {
      gopls: { initialization_options: { a: 1 }, environment: { X: 'y' }, settings: { gopls: {} } },
      pylsp: { enabled: false },
      'typescript-language-server': { initialization_options: { tsserver: { path: '/x' } } },
      mine: { command: ['mine', '--stdio'], extensions: { '.FOO': 'foo', py: 'python' }, roots: ['foo.json'] },
    },
    languages: { 'C++': ['ccls'] },
  });
  expect(changed.servers['gopls']).toMatchObject({
    command: ['gopls', 'serve'],
    initializationOptions: { a: 1 },
    environment: { X: 'y', GOTOOLCHAIN: 'local' },
  });
  // What the table says beside it stays: with its syntax server, early answers would lack references.
  expect(changed.servers['typescript-language-server']?.initializationOptions).toEqual({
    tsserver: { path: '/x', useSyntaxServer: 'never' },
    disableAutomaticTypingAcquisition: true,
  });
  expect(changed.servers).not.toHaveProperty('pylsp');
  expect(changed.servers['mine']).toMatchObject({ command: ['mine', '--stdio'], roots: [['foo.json']] });
  expect(servedLanguageOf(changed, 'a.foo')).toMatchObject({ id: 'foo', language: { servers: ['mine'] } });
  expect(servedLanguageOf(changed, 'a.py')?.language.servers[0]).toBe('mine');
  expect(servedLanguageOf(changed, 'a.cpp')?.language.servers).toEqual(['ccls']);
  expect(SERVER_TABLE.servers).not.toHaveProperty('mine');
});

/** Settings that are refused, with what the refusal says. */
const BAD_SETTINGS: readonly [unknown, RegExp][] = [
  [5, /"lsp" must be an object/],
  [{ server: {} }, /"lsp.server" is not known/],
  [{ servers: [] }, /"lsp.servers" must be an object/],
  [{ servers: { gopls: 'x' } }, /"lsp.servers.gopls" must be an object/],
  [{ servers: { gopls: { comand: [] } } }, /"lsp.servers.gopls.comand" is not known/],
  [{ servers: { gopls: { command: [] } } }, /command" must be a list of strings that is not empty/],
  [{ servers: { gopls: { command: ['a\0'] } } }, /command" must be a list/],
  [{ servers: { gopls: { environment: { A: 1 } } } }, /environment" must be an object of strings/],
  [{ servers: { gopls: { ready: { log: '(' } } } }, /ready" must be/],
  [{ servers: { gopls: { enabled: 1 } } }, /enabled" must be true or false/],
  [{ servers: { gopls: { code_files: 'x' } } }, /code_files" must be a list of file names/],
  [{ servers: { mine: {} } }, /"lsp.servers.mine" needs a command/],
  [{ languages: { Klingon: [] } }, /there is no such language/],
  [{ languages: { Go: ['nope'] } }, /there is no server "nope"/],
  [{ languages: { Go: 'gopls' } }, /must be a list of servers/],
  [{ languages: [] }, /"lsp.languages" must be an object/],
  [{ diagnose: 'some' }, /"lsp.diagnose" must be one of/],
  [{ max_servers: 0 }, /"lsp.max_servers" must be a number from 1 to 32/],
  [{ idle_minutes: '5' }, /"lsp.idle_minutes" must be a number/],
  [{ diagnose_wait_ms: -1 }, /"lsp.diagnose_wait_ms" must be a number/],
];

for (const [lsp, message] of BAD_SETTINGS) {
  test(`settings are refused: ${JSON.stringify(lsp)}`, () => {
    expect(() => table(lsp)).toThrow(
      expect.objectContaining({ code: 'lsp_unavailable', message: expect.stringMatching(message) }),
    );
  });
}
