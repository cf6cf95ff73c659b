import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/** What each package may import of the others. Imports go down, never up, never sideways (CONTRIBUTING.md). */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'apps/jinn': ['toolsets', 'custom-tools', 'machine', 'lsp', 'process', 'store', 'core'],
  'apps/mcp-server': ['toolsets', 'custom-tools', 'machine', 'walk', 'bash', 'core'],
  'apps/jinni': ['context', 'process', 'core'],
  'packages/toolsets': [
    'codescout',
    'fs-tools',
    'context',
    'custom-tools',
    'lsp-tools',
    'memory',
    'project',
    'search',
    'shell',
    'symbols',
    'syntax',
    'core',
  ],
  'packages/machine': ['process', 'store', 'core'],
  // A second set of tools on the engines of these families.
  'packages/codescout': ['fs-tools', 'search', 'shell', 'walk', 'process', 'regex', 'bash', 'core'],
  'packages/fs-tools': ['syntax', 'walk', 'process', 'regex', 'core'],
  'packages/search': ['syntax', 'walk', 'process', 'regex', 'core'],
  'packages/symbols': ['syntax', 'lsp', 'walk', 'core'],
  'packages/memory': ['core'],
  'packages/project': ['walk', 'core'],
  'packages/context': ['syntax', 'walk', 'process', 'core', 'secrets'],
  'packages/shell': ['bash', 'process', 'core'],
  'packages/custom-tools': ['lsp', 'process', 'store', 'core'],
  'packages/bash': ['secrets'],
  'packages/walk': ['core'],
  'packages/syntax': ['core'],
  // It starts the programs, and is no part of their chunks.
  'packages/loader': ['core'],
  'packages/lsp': ['walk', 'process', 'store', 'core'],
  'packages/lsp-tools': ['lsp', 'walk', 'core'],
  'packages/process': ['core', 'secrets'],
  'packages/store': ['core'],
  'packages/regex': ['core'],
  'packages/core': ['secrets'],
  'packages/secrets': [],
  'packages/testkit': ['machine', 'core'],
};

/** Who may reach the machine; everybody else goes through `ctx`. An app's main.ts has the standard streams. */
const REACHES_MACHINE = /^(packages\/(core|walk|process|store|syntax|loader|testkit)|apps\/\w[\w-]*)\/src\//;
/** Of an app, only what stands at the door: its main.ts, what listens for HTTP, what has the files of hosts, and what starts them. */
const DOORS = /^apps\/(\w[\w-]*\/src\/main|mcp-server\/src\/(serve-http|half-open|body-room|config-file|status))\.ts$/;
const MACHINE = /^node:(fs|child_process|net|http|https|http2|dgram|tls|worker_threads|cluster|os|inspector)(\/|$)/;

const IMPORT = /(?:\bfrom|\bimport|\bimport\()\s*'([^']+)'/g;

interface Source {
  readonly file: string;
  readonly owner: string;
  readonly isTest: boolean;
  readonly imports: readonly string[];
}

const folders = ['apps', 'packages'].flatMap((top) => fs.readdirSync(top).map((name) => `${top}/${name}`));

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
  expect(settings).toEqual(folders.map(() => ({ extends: '../../tsconfig.base.json' })));
});

test('packages import what lies below them, through its exports', () => {
  const wrong = wrongImports(({ owner, isTest }, specifier) => {
    if (specifier.startsWith('.')) return !specifier.includes('packages/');
    const [, name] = /^@jinn\/([^/]+)/.exec(specifier) ?? [];
    if (name === undefined || MAY_IMPORT[owner]?.includes(name)) return true;
    return isTest && (name === 'testkit' || name === 'store');
  });
  expect(wrong).toEqual([]);
});

test('only the kernel reaches the machine', () => {
  const wrong = wrongImports(({ file, isTest }, specifier) => {
    if (isTest || !MACHINE.test(specifier)) return true;
    return REACHES_MACHINE.test(file) && (!file.startsWith('apps/') || DOORS.test(file));
  });
  expect(wrong).toEqual([]);
});
