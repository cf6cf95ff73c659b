import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/** What every tool needs: the contracts, and the files. */
const BASE = ['core', 'workspace'];

/**
 * What each package, or a folder of its own rank, may import of the others. Imports go down, never up, never sideways
 * (CONTRIBUTING.md).
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'apps/jinn': ['ui', 'toolsets', 'custom-tools', 'lsp', 'process', 'store', 'views', ...BASE],
  'apps/mcp-server': ['team', 'ui', 'toolsets', 'custom-tools', 'store', 'shell', 'views', ...BASE],
  'apps/jinni': ['context', 'git', 'process', ...BASE],
  'packages/sdk': ['ui', 'toolsets', ...BASE],
  'packages/ui': ['toolsets', 'custom-tools', 'fs-tools', 'context', 'process', 'views', ...BASE],
  'packages/toolsets': [
    'codescout',
    'context',
    'custom-tools',
    'fs-tools',
    'lsp',
    'process',
    'project',
    'search',
    'shell',
    'store',
    'syntax',
    ...BASE,
  ],
  // A second set of tools on the engines of these families.
  'packages/codescout': ['fs-tools', 'search', 'shell', 'process', ...BASE],
  'packages/fs-tools': ['syntax', ...BASE],
  'packages/search': ['syntax', 'process', ...BASE],
  'packages/project': ['fs-tools/match', 'process', ...BASE],
  'packages/context': ['syntax', 'git', ...BASE],
  'packages/shell': ['process', 'git', ...BASE],
  'packages/custom-tools': ['lsp', 'process', 'views/terminal', ...BASE],
  'packages/lsp': ['syntax', 'process', 'store', ...BASE],
  'packages/git': ['process', ...BASE],
  'packages/process': [...BASE],
  'packages/store': [...BASE],
  // A server for several people: only the MCP server imports it.
  'packages/team': ['store', ...BASE],
  'packages/syntax': ['core/errors'],
  // Runs in browsers and terminals; the programs have the files that are built of it.
  'packages/views': ['core'],
  'packages/core': ['workspace'],
  // The base of core, on which the workspace stands.
  'packages/core/src/errors': [],
  'packages/core/src/text': [],
  'packages/core/src/regex': [],
  'packages/core/src/thread': [],
  'packages/core/src/visualization': [],
  'packages/workspace': ['core/errors'],
  'packages/workspace/src/secrets': [],
  'packages/testkit': ['toolsets', 'core'],
};

/** Who may reach the machine; everybody else goes through `ctx`. An app's main.ts has the standard streams. */
const REACHES_MACHINE =
  /^(packages\/(core\/src\/(tool|thread)|workspace\/src\/(guard|walk)|process\/src|git\/src|store\/src|team\/src|custom-tools\/src\/folders|syntax\/src|sdk\/src|ui\/src\/(journal|server)|testkit\/src)|apps\/\w[\w-]*\/src)\/|^packages\/ui\/src\/run-ui\.ts$/;
/** Of an app, only its entry points: its main.ts, what listens for HTTP or for other processes, what has the files of hosts, and its start. */
const ENTRY_POINTS =
  /^apps\/(\w[\w-]*\/src\/main|jinni\/src\/start\/jinni-system|mcp-server\/src\/(http\/(end-revoked|serve-http|http-sessions|probes)|install\/(config-file|status)|start\/(this-program|host-commands|team-of-options)))\.ts$/;
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
        isTest: name.endsWith('.test.ts') || /(^|\/)fixture\//.test(name),
        text,
        imports,
      },
    ];
  }),
);

/** Returns the row of the table that holds for a file: that of its folder, or of its package. */
function rankOf(file: string, owner: string): string {
  return Object.keys(MAY_IMPORT).find((row) => row.includes('/src/') && isWithin(file, row)) ?? owner;
}

const isWithin = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);

function wrongImports(rule: (source: Source, specifier: string) => boolean): string[] {
  return sources.flatMap((source) => {
    const wrong = source.imports.filter((specifier) => !rule(source, specifier));
    return wrong.map((specifier) => `${source.file} imports ${specifier}`);
  });
}

test('every package is in the table', () => {
  const packages = Object.keys(MAY_IMPORT).filter((row) => !row.includes('/src/'));
  expect(folders.toSorted()).toEqual(packages.toSorted());
});

test('every package takes its settings of TypeScript from the base', () => {
  const others = folders.filter((folder) => !['packages/views', 'packages/ui'].includes(folder));
  const settings = others.map((folder) => JSON.parse(fs.readFileSync(`${folder}/tsconfig.json`, 'utf8')));
  expect(settings).toEqual(others.map(() => ({ extends: '../../tsconfig.base.json' })));
});

test('every package says in a README of at most ten lines what it is for and where to start', () => {
  for (const folder of folders.filter((each) => each.startsWith('packages/') && each !== 'packages/sdk')) {
    const text = fs.readFileSync(`${folder}/README.md`, 'utf8');
    expect(text.split('\n').length - 1, folder).toBeLessThanOrEqual(10);
    const [, first] = /Start with `([^`]+)`/.exec(text) ?? [];
    expect(fs.existsSync(`${folder}/src/${first}`), `${folder}: ${first}`).toBe(true);
  }
});

test('the root has at most 32 entries', () => {
  const ignored = ['node_modules', '.git', '.turbo', 'bundle'];
  expect(fs.readdirSync('.').filter((name) => !ignored.includes(name)).length).toBeLessThanOrEqual(32);
});

test('packages import what lies below them, through its exports', () => {
  const wrong = wrongImports(({ file, owner, isTest }, specifier) => {
    if (specifier.startsWith('.')) return !specifier.includes('packages/');
    const [, path] = /^@jinn\/(.+)/.exec(specifier) ?? [];
    if (path === undefined || MAY_IMPORT[rankOf(file, owner)]?.some((name) => isWithin(path, name))) return true;
    return isTest && ['testkit', 'store', 'process/sandbox', ...BASE].some((name) => isWithin(path, name));
  });
  expect(wrong).toEqual([]);
});

test('nothing but the engine makes a registry or a session, except for what docs/architecture.md names', () => {
  const made = sources.filter(
    ({ isTest, file, text }) => !isTest && !file.includes('/fixture/') && MAKES_ENGINE.test(text),
  );
  // Their own package, the engine, and what calls tools in tests.
  const others = made.filter(({ owner }) => !['core', 'toolsets', 'testkit'].includes(path.basename(owner)));
  const entryPoints = others.map(({ owner, file }) => (owner.startsWith('apps/') ? owner : file));
  expect([...new Set(entryPoints)].toSorted()).toEqual([
    // Its connections share a registry, and each has the machine of a root and of a person.
    'apps/mcp-server',
    // They are below the engine.
    'packages/custom-tools/src/commands/run-tool-command.ts',
  ]);
});

test('only the kernel reaches the machine', () => {
  const wrong = wrongImports(({ file, isTest }, specifier) => {
    if (isTest || !MACHINE.test(specifier)) return true;
    return REACHES_MACHINE.test(file) && (!file.startsWith('apps/') || ENTRY_POINTS.test(file));
  });
  expect(wrong).toEqual([]);
});

/**
 * The one opener for what lies in a workspace, and what opens or lists only what jinn itself, its packages or the system made, or
 * holds what it opens by O_PATH.
 */
const OPENS =
  /^packages\/(workspace\/src\/guard\/(inode|target|mutate\/locks|private-files)|git\/src\/git-snapshot|process\/src\/(end-supervisor|listening|start-alone|run-program|loader\/(kept-code|main)|sandbox\/(git\/held-directory|view\/(command-view|sandbox-places)|find-sandbox|workspace\/(workspace-scan|workspace-guard)))|ui\/src\/(journal|server)\/[\w-]+|syntax\/src\/compile|custom-tools\/src\/folders\/(copy-folder|installed-folder)|store\/src\/((node-sqlite|sqlite)|memory\/import-legacy)|team\/src\/([\w-]+|(audit|database|limits|people)\/[\w-]+))\.ts$/;
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

test('a server for one person on standard input and output does not load the package team', () => {
  const known = new Map(sources.map((source) => [source.file, source]));
  const loaded = new Set<string>();
  const load = (file: string): void => {
    const source = known.get(file);
    if (source === undefined || loaded.has(file)) return;
    loaded.add(file);
    const values = /^(?:import|export)(?! type)[^;]*?from '([^']+)'|^import '([^']+)'/gm;
    for (const [, from, bare] of source.text.matchAll(values)) {
      const specifier = from ?? bare ?? '';
      expect([file, specifier]).toEqual([file, expect.not.stringMatching(/^@jinn\/team/)]);
      if (specifier.startsWith('.')) load(path.posix.join(path.posix.dirname(file), specifier));
    }
  };
  load('apps/mcp-server/src/main.ts');
  expect(loaded).toContain('apps/mcp-server/src/stdio/serve-stdio.ts');
});
