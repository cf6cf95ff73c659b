import path from 'node:path';
import type { Environment } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { isObject } from '@jinn/core/text';
import { findPrograms, installedVersion, programVersion, realPath } from '@jinn/process';
import { isUnder } from '../client/positions.ts';
import { serversOf } from './lsp-settings.ts';
import type { ServedLanguage, Server, ServerTable } from './server-table.ts';
import { describeOwnCode, isInWorkspace, type OwnCode, runsProjectCode, type ServerTrust } from './server-trust.ts';

const TSSERVER = 'typescript/lib/tsserver.js';
/** Where typescript-language-server looks for TypeScript, in the root and in the directories above. */
const OWN_TYPESCRIPT = ['node_modules/typescript/', '.yarn/sdks/typescript/', '.vscode/pnpify/typescript/'];

interface ProgramFile {
  readonly file: string;
  readonly isOwn: boolean;
}

/** Neither tokens nor variables that make a program load other code. */
const SERVER_VARIABLES =
  /^(PATH|HOME|USER|LOGNAME|LANG|LC_\w+|TZ|TMPDIR|XDG_\w+|GOPATH|GOROOT|GOCACHE|GOMODCACHE|CARGO_HOME|RUSTUP_HOME|RUSTUP_TOOLCHAIN|JAVA_HOME|DOTNET_ROOT|GEM_HOME|GEM_PATH|OPAM\w+|VIRTUAL_ENV|SYSTEMROOT|APPDATA|LOCALAPPDATA|USERPROFILE)$/;

interface EnvironmentOptions {
  readonly environment: Environment;
  readonly root: string;
  readonly isTrusted: boolean;
  readonly own?: Readonly<Record<string, string>> | undefined;
}

/** The directories where a workspace may keep programs of its own. */
const OWN_PROGRAMS = ['node_modules/.bin', '.venv/bin', 'venv/bin'];

export interface ServerSearch {
  readonly root: string;
  readonly environment: Environment;
  readonly trust: ServerTrust;
}

export type Obstacle =
  | { readonly kind: 'missing' }
  | { readonly kind: 'old'; readonly version: string }
  | { readonly kind: 'untrusted'; readonly own: OwnCode; readonly way: string }
  | { readonly kind: 'no-typescript' };

export interface Choice {
  readonly server: Server;
  readonly argv: readonly string[];
  /** True if the user trusts the code of the workspace that it runs. False if it runs no such code. */
  readonly isTrusted: boolean;
}

export type Search = Choice | { readonly obstacle: Obstacle };

export interface UntrustedServer {
  readonly server: Server;
  readonly own: OwnCode;
}

export class NoServer extends ToolError {
  readonly untrusted: UntrustedServer | undefined;
  /** True if no usable server is installed, or it lacks trust. */
  readonly isMissing: boolean;

  constructor(language: ServedLanguage, obstacles: readonly FoundObstacle[]) {
    const message = `no language server for ${language.name}: ${describeObstacles(obstacles) || 'the settings leave none'}`;
    super('lsp_unavailable', message, { suggestion: suggestionFor(language, obstacles) });
    this.isMissing = obstacles.every(({ obstacle: { kind } }) => kind !== 'no-typescript');
    [this.untrusted] = obstacles.flatMap(({ server, obstacle }) =>
      obstacle.kind === 'untrusted' ? [{ server, own: obstacle.own }] : [],
    );
  }
}

interface FoundObstacle {
  readonly server: Server;
  readonly obstacle: Obstacle;
}

/** Finds the language of a file by its name, and its id in the protocol. */
export function servedLanguageOf(
  { languages }: ServerTable,
  file: string,
): { language: ServedLanguage; id: string } | undefined {
  const base = path.posix.basename(file).toLowerCase();
  const extension = base.includes('.', 1) ? base.slice(base.lastIndexOf('.') + 1) : '';
  const all = Object.values(languages);
  const named = all.find(({ names }) => names && Object.hasOwn(names, base));
  if (named) return { language: named, id: named.names?.[base] as string };
  const ending = all.find(({ extensions }) => extensions && Object.hasOwn(extensions, extension));
  return ending && { language: ending, id: ending.extensions?.[extension] as string };
}

/** True if no server for a file is installed, or none that the user trusts. */
export function isWithoutServer(error: unknown): boolean {
  return error instanceof NoServer && error.isMissing;
}

/** Reports whether a server serves the language of a file. */
export function isServedBy(table: ServerTable, file: string, serverId: string): boolean {
  return servedLanguageOf(table, file)?.language.servers.includes(serverId) ?? false;
}

/** Files whose code uses the names of each other, although no server reads all of them. */
const FAMILIES = [/\.(?:[cm]?[jt]sx?|vue|svelte|astro)$/i, /\.(?:java|kts?|scala)$/i];

/** Returns a test for files that may use the names of this one: those of its servers, and of related languages. */
export function mayShareNames(table: ServerTable, file: string): (other: string) => boolean {
  const ids = servedLanguageOf(table, file)?.language.servers ?? [];
  const family = FAMILIES.find((names) => names.test(file));
  return (other) => family?.test(other) || ids.some((id) => isServedBy(table, other, id));
}

/**
 * Finds the program of a server. Security: others may have put a program there, or code that a server runs when it
 * opens the workspace. Both need trust. Servers that need none are preferred.
 */
export async function findServer(described: Server, options: ServerSearch): Promise<Search> {
  const { root, trust } = options;
  const program = await findProgram(described, options);
  if ('obstacle' in program) return program;
  const { file, isOwn } = program;
  const server = withoutHarmlessCode(described, file);
  const pinned = await pinTypeScript(server, program, root);
  if (!pinned) return { obstacle: { kind: 'no-typescript' } };
  const argv = [file, ...server.command.slice(1)];
  const own = describeOwnCode(server, {
    root,
    program: isOwn ? file : undefined,
    typescript: pinned.typescript,
    runsProjectCode: await runsProjectCode(server, root),
  });
  if (!own) return { server: pinned.server, argv, isTrusted: false };
  if (!(await trust.isTrusted(server.id, own.fingerprint)))
    return { obstacle: { kind: 'untrusted', own, way: await trust.wayToTrust(server.id) } };
  const fit = isOwn ? await firstFit(server, [file], options) : { file };
  return 'version' in fit ? { obstacle: { kind: 'old', ...fit } } : { server: pinned.server, argv, isTrusted: true };
}

function withoutHarmlessCode(server: Server, program: string): Server {
  const { harmlessPackage } = server;
  if (harmlessPackage === undefined || installedVersion(program, harmlessPackage) === undefined) return server;
  const { runsProjectCode: _, codeFiles: __, ...harmless } = server;
  return harmless;
}

/** Finds the first usable server for a language. Throws NoServer, which says what to do. */
export async function chooseServer(table: ServerTable, file: string, options: ServerSearch): Promise<Choice> {
  const found = servedLanguageOf(table, file);
  if (!found) throw unknownLanguage(table, file);
  const obstacles: FoundObstacle[] = [];
  for (const server of serversOf(table, found.language)) {
    const search = await findServer(server, options);
    if ('argv' in search) return search;
    obstacles.push({ server, obstacle: search.obstacle });
  }
  throw new NoServer(found.language, obstacles);
}

/**
 * Prefers a program outside of the workspace. Security: one within is not started here, not even to ask for its
 * version.
 */
async function findProgram(server: Server, options: ServerSearch): Promise<ProgramFile | { obstacle: Obstacle }> {
  const { root } = options;
  const files = programsOf(server, options);
  const outside = files.filter((file) => !isInWorkspace(root, file));
  const fit = outside.length > 0 ? await firstFit(server, outside, options) : undefined;
  if (fit && 'file' in fit) return { file: fit.file, isOwn: false };
  const own = files.find((file) => isInWorkspace(root, file));
  if (own === undefined) return { obstacle: fit ? { kind: 'old', version: fit.version } : { kind: 'missing' } };
  const version = server.minimum && installedVersion(own, server.minimum.package);
  if (version !== undefined && !isFit(server, version)) return { obstacle: { kind: 'old', version } };
  return { file: own, isOwn: true };
}

function programsOf({ command }: Server, { root, environment }: ServerSearch): string[] {
  const [name = ''] = command;
  if (path.isAbsolute(name)) return realPath(name) === undefined ? [] : [name];
  if (name.includes('/')) return []; // Such a path does not say what it is relative to.
  const own = OWN_PROGRAMS.map((directory) => path.join(root, directory));
  return findPrograms(name, [environment['PATH'] ?? '', ...own].join(path.delimiter));
}

async function firstFit(
  server: Server,
  files: readonly string[],
  { environment, root }: ServerSearch,
): Promise<{ file: string } | { version: string }> {
  const [first = ''] = files;
  const { minimum } = server;
  if (!minimum) return { file: first };
  const { PATH } = serverEnvironment({ environment, root, isTrusted: false });
  let version = 'unknown';
  for (const file of files) {
    const found = await programVersion(file, minimum.package, { PATH });
    if (found !== undefined && isFit(server, found)) return { file };
    version = found ?? version;
  }
  return { version };
}

function isFit({ minimum }: Server, version: string): boolean {
  return minimum === undefined || Number.parseInt(version, 10) >= minimum.version;
}

function unknownLanguage({ languages }: ServerTable, file: string): ToolError {
  const base = path.posix.basename(file);
  const at = base.lastIndexOf('.');
  const what = at > 0 ? `extension ${base.slice(at)}` : base;
  const known = Object.values(languages).flatMap(({ extensions }) => Object.keys(extensions ?? {}));
  return new ToolError('lsp_unavailable', `no LSP server known for ${what}`, {
    suggestion: `known extensions: ${known.map((extension) => `.${extension}`).join(' ')} (config.json can add others)`,
  });
}

function suggestionFor({ alsoSuggest = [] }: ServedLanguage, obstacles: readonly FoundObstacle[]): string {
  if (obstacles.length === 0) return 'ask the user to allow one in config.json (docs/lsp.md)';
  const [way] = obstacles.flatMap(({ obstacle }) => (obstacle.kind === 'untrusted' ? [obstacle.way] : []));
  if (way !== undefined) return `tell the user what it would run, and that ${way}`;
  const suggested = obstacles.filter(({ server }, i) => i === 0 || alsoSuggest.includes(server.id));
  return `install with: ${[...new Set(suggested.map(({ server }) => server.install))].join(' or ')}`;
}

function describeObstacles(obstacles: readonly FoundObstacle[]): string {
  const missing = obstacles.filter(({ obstacle: { kind } }) => kind === 'missing');
  const others = obstacles.filter((each) => !missing.includes(each));
  const names = missing.map(({ server }) => path.basename(server.command[0] ?? ''));
  return [
    ...others.map(({ server, obstacle }) => describeObstacle(server, obstacle)),
    ...(names.length > 1 ? [`none of ${names.join(', ')} is on PATH`] : names.map((name) => `${name} is not on PATH`)),
  ].join('; ');
}

/** Says what is in the way of a server, in a clause that starts with its program. */
export function describeObstacle({ command: [name = ''] }: Server, obstacle: Obstacle): string {
  switch (obstacle.kind) {
    case 'missing':
      return `${path.basename(name)} is not on PATH`;
    case 'old':
      return `${path.basename(name)} is too old (version ${obstacle.version})`;
    case 'untrusted':
      return `${path.basename(name)} needs trust, since ${obstacle.own.why}`;
    case 'no-typescript':
      return `${path.basename(name)} found no TypeScript 5 next to it`;
  }
}

/**
 * Makes the environment of a server. Security: without trust, no variable names a directory of the workspace, so that
 * neither `node` nor an interpreter is taken from there.
 */
export function serverEnvironment({ environment, root, isTrusted, own }: EnvironmentOptions): Record<string, string> {
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || !SERVER_VARIABLES.test(name)) continue;
    if (isTrusted) given[name] = value;
    else if (!/PATH$/.test(name)) {
      if (!path.isAbsolute(value) || !isUnder(root, value)) given[name] = value;
    } else {
      const outside = value.split(path.delimiter).filter((entry) => path.isAbsolute(entry) && !isUnder(root, entry));
      given[name] = outside.join(path.delimiter);
    }
  }
  return { ...given, ...own };
}

/**
 * Security: keeps a server from an untrusted TypeScript of the workspace. It gets the path of one next to its program,
 * or of the workspace's. Without either it starts until the workspace has one. Undefined if it must not start.
 */
async function pinTypeScript(
  server: Server,
  program: ProgramFile,
  root: string,
): Promise<{ readonly server: Server; readonly typescript?: string | undefined } | undefined> {
  if (!server.pinsTypeScript || typeof tsserverOf(server)['path'] === 'string') return { server };
  const found = findTypeScript(program, root);
  if (found) return { server: withTypeScript(server, found.file), typescript: found.isOwn ? found.file : undefined };
  const unpinned: Server = {
    ...server,
    runsProjectCode: 'the TypeScript in its node_modules',
    runsCodeOf: OWN_TYPESCRIPT,
  };
  return (await runsProjectCode(unpinned, root)) ? undefined : { server: unpinned };
}

function findTypeScript(program: ProgramFile, root: string): ProgramFile | undefined {
  const beside = upward(realPath(program.file) ?? program.file);
  const found = [...beside, root]
    .map((directory) => path.join(directory, 'node_modules', TSSERVER))
    .filter((file) => realPath(file) !== undefined)
    .map((file) => ({ file, isOwn: isInWorkspace(root, file) }));
  const outside = program.isOwn ? undefined : found.find(({ isOwn }) => !isOwn);
  return outside ?? found[0];
}

function tsserverOf({ initializationOptions = {} }: Server): Readonly<Record<string, unknown>> {
  const { tsserver } = initializationOptions;
  return isObject(tsserver) ? tsserver : {};
}

function withTypeScript(server: Server, file: string): Server {
  const tsserver = { ...tsserverOf(server), path: file };
  return { ...server, initializationOptions: { ...server.initializationOptions, tsserver } };
}

function upward(file: string): string[] {
  const directories: string[] = [];
  for (let at = path.dirname(file); at !== path.dirname(at); at = path.dirname(at)) directories.push(at);
  return directories;
}
