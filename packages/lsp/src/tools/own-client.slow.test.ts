import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { type LanguageSession, openLanguageSession } from './fixture/language-session.ts';
import { type OwnClient, openOwnClient, type Position } from './fixture/own-client.ts';

const PACKAGES = fileURLToPath(new URL('../../node_modules', import.meta.url));
const NPM = fileURLToPath(new URL('../../../../node_modules/.pnpm', import.meta.url));
const SYMBOLS = 50;

/** A real package, and how a server of its language is started. */
interface Project {
  readonly name: string;
  /** The directories that are copied, each with its name in the workspace. */
  readonly from: Readonly<Record<string, string | undefined>>;
  readonly file: RegExp;
  readonly languageId: string;
  readonly also: Readonly<Record<string, string>>;
  readonly program: string;
  readonly command: readonly string[];
  /** How many symbols are compared. 50 if absent. */
  readonly symbols?: number;
}

const node = (file: string) => [process.execPath, fs.realpathSync(path.join(PACKAGES, file))];
const TYPESCRIPT = { program: 'tsc', command: [...node('typescript/bin/tsc'), '--lsp', '--stdio'] };
const go = (name: string) => `/usr/share/go/src/${name}`;

const PROJECTS: readonly Project[] = [
  {
    name: 'hono',
    from: { types: npmPackage('hono', 'dist/types') },
    file: /\.ts$/,
    languageId: 'typescript',
    also: { 'tsconfig.json': '{ "compilerOptions": { "types": [], "skipLibCheck": true } }' },
    ...TYPESCRIPT,
  },
  {
    name: 'express',
    from: { lib: npmPackage('express', 'lib') },
    file: /\.js$/,
    languageId: 'javascript',
    also: { 'jsconfig.json': '{ "compilerOptions": { "types": [] } }' },
    ...TYPESCRIPT,
  },
  {
    name: 'zod, whose sources and tests are two projects',
    from: { src: npmPackage('zod', 'src') },
    file: /\.ts$/,
    languageId: 'typescript',
    also: solution('"paths": { "zod": ["./src/index.ts"], "zod/*": ["./src/*/index.ts", "./src/*.ts"] }'),
    symbols: 15,
    ...TYPESCRIPT,
  },
  {
    name: 'email of Python',
    from: { email: '/usr/lib/python3.11/email' },
    file: /\.py$/,
    languageId: 'python',
    also: { 'pyproject.toml': '[tool.pyright]\n' },
    program: 'pyright-langserver',
    command: [...node('pyright/langserver.index.js'), '--stdio'],
  },
  {
    name: 'four packages of Go',
    from: {
      csv: go('encoding/csv'),
      tabwriter: go('text/tabwriter'),
      scanner: go('text/scanner'),
      list: go('container/list'),
    },
    file: /\.go$/,
    languageId: 'go',
    also: { 'go.mod': 'module example.com/four\n\ngo 1.19\n' },
    program: 'gopls',
    command: ['/usr/bin/gopls', 'serve'],
  },
];

/** Makes the settings of two projects in one directory, one of them for the tests. */
function solution(options: string): Record<string, string> {
  const tests = '"src/**/*.test.ts", "src/**/tests/**"';
  const project = (files: string) =>
    `{ "compilerOptions": { "strict": true, "composite": true, "noEmit": true, "module": "esnext", "moduleResolution": "bundler", "types": [], "skipLibCheck": true, ${options} }, ${files} }`;
  return {
    'tsconfig.json':
      '{ "files": [], "references": [{ "path": "./tsconfig.build.json" }, { "path": "./tsconfig.spec.json" }] }',
    'tsconfig.build.json': project(`"include": ["src"], "exclude": [${tests}]`),
    'tsconfig.spec.json': project(`"include": [${tests}], "references": [{ "path": "./tsconfig.build.json" }]`),
  };
}

/** Returns a directory of an npm package that is installed here; undefined if it is not. */
function npmPackage(name: string, directory: string): string | undefined {
  const version = fs.readdirSync(NPM).find((entry) => entry.startsWith(`${name}@`));
  return version && path.join(NPM, version, 'node_modules', name, directory);
}

function copyOf({ from, file, also }: Project): Record<string, string> {
  const tree: Record<string, string> = { ...also };
  for (const [name, directory] of Object.entries(from)) {
    for (const entry of fs.readdirSync(directory as string, { recursive: true, encoding: 'utf8' })) {
      if (file.test(entry)) tree[`${name}/${entry}`] = fs.readFileSync(path.join(directory as string, entry), 'utf8');
    }
  }
  return tree;
}

const isHere = ({ from, program, command }: Project) =>
  Object.values(from).every((directory) => directory !== undefined && fs.existsSync(directory)) &&
  (program !== 'gopls' || spawnSync(command[0] as string, ['version']).status === 0);

for (const project of PROJECTS) {
  test.skipIf(!isHere(project))(
    `answers about ${project.name} are those of a client of its own, or are marked as incomplete`,
    { timeout: 300_000 },
    async () => {
      const tree = copyOf(project);
      const [node, program] = project.command as [string, string];
      const linked = { node: { symlink: node }, [project.program]: { symlink: program } };
      const programs = project.program === 'gopls' ? {} : linked;
      const session = openLanguageSession(tree, { programs });
      const files = Object.keys(tree).filter((name) => project.file.test(name));
      const own = await openOwnClient(project.command, session.root, files, project.languageId);
      const differences: string[] = [];
      const compared = { count: 0 };
      const { symbols: most = SYMBOLS } = project;
      const symbols = spread(await symbolsOf(own, files), most);
      expect(symbols.length).toBe(most);
      for (const symbol of symbols) differences.push(...(await compare(symbol, own, session, compared)));
      expect(differences).toEqual([]);
      // Four answers a symbol: most are complete.
      expect(compared.count).toBeGreaterThan(3 * most);
    },
  );
}

interface NamedPlace {
  readonly file: string;
  readonly name: string;
  readonly at: Position;
}

async function symbolsOf(own: OwnClient, files: readonly string[]): Promise<NamedPlace[]> {
  const found: NamedPlace[] = [];
  for (const file of files) {
    const add = (symbols: readonly DocumentSymbol[]) => {
      for (const { name, selectionRange, children = [] } of symbols) {
        if (/^[A-Za-z_]\w+$/.test(name)) found.push({ file, name, at: selectionRange.start });
        add(children);
      }
    };
    add(((await own.ask('documentSymbol', file)) as readonly DocumentSymbol[] | null) ?? []);
  }
  return found;
}

interface DocumentSymbol {
  readonly name: string;
  readonly selectionRange: { readonly start: Position };
  readonly children?: readonly DocumentSymbol[];
}

interface Location {
  readonly uri: string;
  readonly range: { readonly start: Position };
}

async function compare(
  { file, name, at }: NamedPlace,
  own: OwnClient,
  { ask, root }: LanguageSession,
  compared: { count: number },
): Promise<string[]> {
  const place = { path: file, line: at.line + 1, character: at.character + 1, timeout: 60 };
  const differences: string[] = [];
  const judge = async (action: string, expected: string, toText: (answer: Told) => string) => {
    const answer = (await ask({ action, ...place })) as Told;
    if (!answer.ok || !answer.meta?.complete) return; // A refusal, or marked.
    compared.count++;
    const told = toText(answer);
    if (told !== expected)
      differences.push(`${action} of ${file}:${at.line + 1} ${name}: ${told} instead of ${expected}`);
  };
  const places = async (method: string) => {
    const found = ((await own.ask(method, file, at)) ?? []) as Location | readonly Location[];
    return [found].flat().map(({ uri, range: { start } }) => placeOf(uri, start, root));
  };
  const referenced = [...new Set(await places('references'))].sort();
  await judge('references', String(referenced.length), ({ total_count }) => String(total_count ?? 0));
  await judge('references', perFile(referenced), ({ meta }) =>
    JSON.stringify(sorted(withoutDirectories(meta?.per_file ?? {}))),
  );
  await judge('definition', (await places('definition')).join(' '), ({ result }) => toPlaces(result).join(' '));
  const hover = (await own.ask('hover', file, at)) as { contents?: { value?: string } } | null;
  const value = (hover?.contents?.value ?? '').replaceAll(`${pathToFileURL(root).href}/`, '');
  const said = words(value.slice(0, 1_000));
  await judge('hover', said, ({ result }) => (words(result).startsWith(said) ? said : words(result)));
  return differences;
}

interface Told {
  readonly ok: boolean;
  readonly result: string;
  readonly total_count?: number;
  readonly meta?: { readonly complete?: boolean; readonly per_file?: Record<string, number> };
}

function placeOf(uri: string, { line, character }: Position, root: string): string {
  const prefix = `${pathToFileURL(root).href}/`;
  const isInside = decodeURI(uri).startsWith(decodeURI(prefix));
  const file = decodeURIComponent(uri).slice(decodeURIComponent(prefix).length);
  return isInside
    ? `${file}:${line + 1}:${character + 1}`
    : `outside ${path.basename(decodeURIComponent(uri))}:${line + 1}`;
}

function toPlaces(result: string): string[] {
  return result.split('\n').flatMap((line) => {
    const outside = /([^/\s]+):(\d+) \(outside of the workspace\)$/.exec(line);
    return outside ? [`outside ${outside[1]}:${outside[2]}`] : (/^\S+:\d+:\d+/.exec(line)?.[0] ?? []);
  });
}

function perFile(places: readonly string[]): string {
  const counts: Record<string, number> = {};
  for (const place of places) {
    const file = place.replace(/^outside /, '').replace(/(?::\d+)+$/, '');
    counts[file] = (counts[file] ?? 0) + 1;
  }
  return JSON.stringify(sorted(counts));
}

/** Leaves of a name that lies outside only what it is called: how much of its directory is shown is our choice. */
function withoutDirectories(counts: Record<string, number>): Record<string, number> {
  const names = Object.entries(counts).map(([file, count]) => [
    file.replace(/^.*\/(lib\.[\w.]+\.d\.ts)$/, '$1'),
    count,
  ]);
  return Object.fromEntries(names);
}

function sorted(counts: Record<string, number>): [string, number][] {
  return Object.entries(counts)
    .map(([file, count]): [string, number] => [file, count])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

function words(text: string): string {
  return text.replace(/\W+/g, ' ').trim();
}

function spread<Item>(items: readonly Item[], most: number): Item[] {
  const step = Math.max(1, items.length / most);
  return Array.from({ length: Math.min(most, items.length) }, (_, i) => items[Math.floor(i * step)] as Item);
}
