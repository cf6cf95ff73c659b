import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/** The contracts and what they are made of, which every tool needs. */
const BASE = ['tool', 'guard', 'errors', 'text', 'thread', 'visualization', 'secrets'];

/** What each package may import of the others. Imports go down, never up, never sideways (CONTRIBUTING.md). */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'apps/jinn': [
    'ui',
    'toolsets',
    'custom-tools',
    'machine',
    'lsp',
    'sandbox',
    'process',
    'store',
    'terminal',
    'command-line',
    ...BASE,
  ],
  'apps/mcp-server': ['toolsets', 'custom-tools', 'machine', 'store', 'walk', 'bash', 'views', 'command-line', ...BASE],
  'apps/jinni': ['context', 'git', 'process', 'command-line', ...BASE],
  'apps/ui': ['toolsets', 'custom-tools', 'fs-tools', 'terminal', 'machine', 'journal', 'context', 'views', ...BASE],
  'packages/sdk': ['toolsets', 'machine', ...BASE],
  'packages/toolsets': [
    'codescout',
    'fs-tools',
    'lean',
    'context',
    'custom-tools',
    'lsp-tools',
    'memory',
    'project',
    'search',
    'shell',
    'symbols',
    'syntax',
    ...BASE,
  ],
  'packages/machine': ['journal', 'sandbox', 'store', ...BASE],
  'packages/journal': ['context', ...BASE],
  // A second set of tools on the engines of these families.
  'packages/codescout': ['fs-tools', 'search', 'shell', 'walk', 'process', 'regex', 'bash', ...BASE],
  'packages/lean': ['fs-tools', 'search', ...BASE],
  'packages/fs-tools': ['syntax', 'walk', 'regex', ...BASE],
  'packages/search': ['syntax', 'walk', 'sandbox', 'process', 'regex', ...BASE],
  'packages/symbols': ['syntax', 'lsp', 'walk', ...BASE],
  'packages/memory': [...BASE],
  'packages/project': ['walk', 'process', ...BASE],
  'packages/context': ['syntax', 'walk', 'git', ...BASE],
  'packages/shell': ['bash', 'sandbox', 'process', 'regex', ...BASE],
  'packages/custom-tools': ['lsp', 'sandbox', 'process', 'store', 'terminal', 'command-line', ...BASE],
  'packages/lsp-tools': ['lsp', 'syntax', 'walk', ...BASE],
  'packages/lsp': ['walk', 'sandbox', 'process', 'store', ...BASE],
  'packages/sandbox': ['git', 'process', ...BASE],
  'packages/git': ['process', ...BASE],
  'packages/process': [...BASE],
  'packages/store': [...BASE],
  'packages/walk': ['guard', 'errors', 'secrets'],
  'packages/bash': ['secrets'],
  'packages/command-line': ['errors'],
  'packages/syntax': ['errors'],
  'packages/regex': ['errors'],
  // It starts the programs, and is no part of their chunks.
  'packages/loader': ['tool', 'guard'],
  'packages/tool': ['guard', 'errors', 'text', 'thread', 'visualization'],
  'packages/guard': ['errors', 'secrets'],
  'packages/thread': ['errors'],
  'packages/errors': ['visualization'],
  'packages/text': [],
  'packages/visualization': [],
  'packages/terminal': ['text', 'visualization'],
  // Runs in browsers; the programs have the file that is built of it.
  'packages/views': ['text', 'visualization', 'journal'],
  'packages/secrets': [],
  'packages/testkit': ['machine', 'tool'],
};

/** Who may reach the machine; everybody else goes through `ctx`. An app's main.ts has the standard streams. */
const REACHES_MACHINE =
  /^(packages\/(guard|tool|thread|walk|process|git|sandbox|store|syntax|loader|sdk|journal|testkit)|apps\/\w[\w-]*)\/src\//;
/**
 * Of an app, only what stands at the door: its main.ts, what listens for HTTP or for other processes of the user, what has the
 * files of hosts, of tokens, of the log and of control groups, and what starts them.
 */
const DOORS =
  /^apps\/(\w[\w-]*\/src\/main|mcp-server\/src\/named-file|jinn\/src\/background\/\w+-background|jinn\/src\/background\/background-place|ui\/src\/server\/[\w-]+|mcp-server\/src\/(http\/(serve-http|connections|body-room|probes|under-way)|audit\/open-log|isolation\/own-files|install\/(config-file|status)|people\/(identity|open-identity|token-file|trusted-proxy)|limits\/(control-groups|network-of)|start\/(find-places|host-commands|read-secrets|read-team-settings)))\.ts$/;
const MACHINE = /^node:(fs|child_process|net|http|https|http2|dgram|tls|worker_threads|cluster|os|inspector)(\/|$)/;

/** What the engine is made of. Who has it makes another way in. */
const MAKES_ENGINE = /\b(openRegistry|createRegistry|createSession)\b/;

const IMPORT = /(?:\bfrom|\bimport|\bimport\()\s*'([^']+)'/g;

interface Source {
  readonly file: string;
  readonly owner: string;
  readonly isTest: boolean;
  readonly text: string;
  readonly imports: readonly string[];
}

/** Each package that has code. */
const folders = ['apps', 'packages']
  .flatMap((top) => fs.readdirSync(top).map((name) => `${top}/${name}`))
  .filter((folder) => fs.existsSync(`${folder}/src`));

const sources = folders.flatMap((owner) =>
  fs.readdirSync(`${owner}/src`, { recursive: true, encoding: 'utf8' }).flatMap((name): Source[] => {
    if (!name.endsWith('.ts')) return [];
    const text = fs.readFileSync(path.join(owner, 'src', name), 'utf8');
    const imports = [...text.matchAll(IMPORT)].map(([, specifier]) => specifier ?? '');
    return [
      {
        file: `${owner}/src/${name}`,
        owner,
        isTest: name.endsWith('.test.ts') || name.startsWith('fixture/'),
        text,
        imports,
      },
    ];
  }),
);

function wrongImports(rule: (source: Source, specifier: string) => boolean): string[] {
  return sources.flatMap((source) => {
    const wrong = source.imports.filter((specifier) => !rule(source, specifier));
    return wrong.map((specifier) => `${source.file} imports ${specifier}`);
  });
}

test('every package stands in the table', () => {
  expect(folders.toSorted()).toEqual(Object.keys(MAY_IMPORT).toSorted());
});

test('every package takes its settings of TypeScript from the base', () => {
  const settings = folders.map((folder) => JSON.parse(fs.readFileSync(`${folder}/tsconfig.json`, 'utf8')));
  const baseOf = (folder: string) => (folder === 'packages/views' ? 'browser' : 'base');
  expect(settings).toEqual(folders.map((folder) => ({ extends: `../../tsconfig.${baseOf(folder)}.json` })));
});

test('every package says in a README what it holds', () => {
  for (const folder of folders)
    expect(fs.readFileSync(`${folder}/README.md`, 'utf8').split('\n').length, folder).toBeGreaterThan(3);
});

test('no folder has more than 15 source files', () => {
  const counts = new Map<string, number>();
  for (const { file, isTest } of sources) {
    const folder = path.dirname(file);
    if (!isTest && !file.endsWith('.d.ts')) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  expect([...counts].filter(([, count]) => count > 15)).toEqual([]);
});

test('packages import what lies below them, through its exports', () => {
  const wrong = wrongImports(({ owner, isTest }, specifier) => {
    if (specifier.startsWith('.')) return !specifier.includes('packages/');
    const [, name] = /^@jinn\/([^/]+)/.exec(specifier) ?? [];
    if (name === undefined || MAY_IMPORT[owner]?.includes(name)) return true;
    return isTest && ['testkit', 'store', 'sandbox', ...BASE].includes(name);
  });
  expect(wrong).toEqual([]);
});

test('nothing but the engine makes a registry or a session, except for what docs/architecture.md names', () => {
  const made = sources.filter(
    ({ isTest, file, text }) => !isTest && !file.includes('/fixture/') && MAKES_ENGINE.test(text),
  );
  // Their own package, the engine, and what calls tools in tests.
  const others = made.filter(({ owner }) => !['tool', 'toolsets', 'testkit'].includes(path.basename(owner)));
  const doors = others.map(({ owner, file }) => (owner.startsWith('apps/') ? owner : file));
  expect([...new Set(doors)].toSorted()).toEqual([
    // Its connections share a registry, and each has the machine of a root and of a person.
    'apps/mcp-server',
    // They lie below the engine.
    'packages/custom-tools/src/commands/check-command.ts',
    'packages/custom-tools/src/commands/run-tool-command.ts',
  ]);
});

test('only the kernel reaches the machine', () => {
  const wrong = wrongImports(({ file, isTest }, specifier) => {
    if (isTest || !MACHINE.test(specifier)) return true;
    return REACHES_MACHINE.test(file) && (!file.startsWith('apps/') || DOORS.test(file));
  });
  expect(wrong).toEqual([]);
});

/**
 * The one opener for what lies in a workspace, and what opens or lists only what jinn itself, its packages or the system made, or
 * holds what it opens by O_PATH.
 */
const OPENS =
  /^packages\/(guard\/src\/(regular-file|inode|target|mutate\/(locks|write-all)|spill|user-files)|git\/src\/(held-directory|repository\/git-snapshot)|process\/src\/(end-supervisor|listening|start-alone|waits-at-fifo)|sandbox\/src\/(view\/(sandbox-places|unix-sockets)|workspace\/(known-secrets|scan-places|workspace-record|settings-copies))|journal\/src\/[\w-]+|loader\/src\/(kept-code|main)|syntax\/src\/read-library|store\/src\/((database-files|node-sqlite|open-to-read)|memory\/import-legacy|postgres\/[\w-]+|tool-folders\/(copy-folder|installed-folder)))\.ts$/;
const READS = /\bfs\.(readFileSync|openSync|createReadStream|copyFileSync|cpSync|promises)\b|node:fs\/promises/;

test('files of a workspace are opened without waiting, in one place', () => {
  const opened = sources.filter(({ owner, file, text }) => {
    return (
      owner.startsWith('packages/') &&
      !/\.test\.ts$|\/fixture\/|^packages\/(testkit|views)\//.test(file) &&
      READS.test(text)
    );
  });
  expect(opened.map(({ file }) => file).filter((file) => !OPENS.test(file))).toEqual([]);
});
