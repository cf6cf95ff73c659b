import path from 'node:path';
import { type Environment, ToolError } from '@jinn/core';
import { findPrograms, programVersion, realPath } from '@jinn/process';
import { isRecord } from './server-requests.ts';
import type { Language, Server, ServerTable } from './server-table.ts';
import { serversOf } from './settings.ts';
import { isWithin } from './uris.ts';

/** Where a trusted workspace may keep programs of its own. */
const OWN_PROGRAMS = ['node_modules/.bin', '.venv/bin', 'venv/bin'];
const TYPESCRIPT = 'typescript/lib/tsserver.js';

export interface SearchOptions {
  /** Absolute and real. */
  readonly root: string;
  readonly environment: Environment;
  /** True if the person trusts the workspace: its programs and its code may run. */
  readonly isTrusted: boolean;
  /** Whether a file of one of these names is anywhere in the workspace or above it. True is assumed if absent. */
  holds?(names: readonly string[]): Promise<boolean>;
}

/** Why a server cannot be used here. */
export type Obstacle =
  | { readonly kind: 'missing' }
  | { readonly kind: 'old'; readonly version: string }
  | { readonly kind: 'untrusted'; readonly why: string }
  | { readonly kind: 'no-typescript' };

export type Search = { readonly server: Server; readonly argv: readonly string[] } | { readonly obstacle: Obstacle };

/** The language of a file by its name; undefined if none is known. */
export function languageOf({ languages }: ServerTable, file: string): { language: Language; id: string } | undefined {
  const base = path.posix.basename(file).toLowerCase();
  const extension = base.includes('.', 1) ? base.slice(base.lastIndexOf('.') + 1) : '';
  const all = Object.values(languages);
  const named = all.find(({ names }) => names && Object.hasOwn(names, base));
  if (named) return { language: named, id: named.names?.[base] as string };
  const ending = all.find(({ extensions }) => extensions && Object.hasOwn(extensions, extension));
  return ending && { language: ending, id: ending.extensions?.[extension] as string };
}

/**
 * Finds the program of a server. Security: a program that lies in the workspace is what somebody put there, and a server
 * that runs the workspace's code when it opens it runs what somebody wrote there; both need the person's trust.
 */
export async function findServer(server: Server, options: SearchOptions): Promise<Search> {
  const { root, environment, isTrusted } = options;
  const files = programsOf(server, options);
  const allowed = files.filter((file) => isTrusted || !isInWorkspace(root, file));
  if (allowed.length === 0) {
    if (files.length === 0) return { obstacle: { kind: 'missing' } };
    return { obstacle: { kind: 'untrusted', why: 'it is a program of the workspace' } };
  }
  if (await needsTrust(server, options)) {
    return { obstacle: { kind: 'untrusted', why: `it runs code of the workspace: ${server.runsProjectCode}` } };
  }
  const fit = await firstFit(server, allowed, environment);
  if ('version' in fit) return { obstacle: { kind: 'old', version: fit.version } };
  const argv = [fit.file, ...server.command.slice(1)];
  if (!server.pinsTypeScript) return { server, argv };
  const pinned = pinTypeScript(server, fit.file, options);
  return pinned ? { server: pinned, argv } : { obstacle: { kind: 'no-typescript' } };
}

/** True for a server that runs code of the workspace when it opens it, if the person does not trust the workspace. */
export async function needsTrust(
  { runsProjectCode, runsCodeOf }: Server,
  { isTrusted, holds }: Pick<SearchOptions, 'isTrusted' | 'holds'>,
): Promise<boolean> {
  if (isTrusted || runsProjectCode === undefined) return false;
  return runsCodeOf && holds ? holds(runsCodeOf) : true;
}

/** Finds the first server for a language that can be used. Throws `lsp_unavailable` with how to install one. */
export async function chooseServer(
  table: ServerTable,
  file: string,
  options: SearchOptions,
): Promise<{ server: Server; argv: readonly string[] }> {
  const found = languageOf(table, file);
  if (!found) throw unknownLanguage(table, file);
  const servers = serversOf(table, found.language);
  const obstacles: { server: Server; obstacle: Obstacle }[] = [];
  for (const server of servers) {
    const search = await findServer(server, options);
    if ('argv' in search) return search;
    obstacles.push({ server, obstacle: search.obstacle });
  }
  throw unavailable(found.language, obstacles);
}

function programsOf({ command }: Server, { root, environment, isTrusted }: SearchOptions): string[] {
  const [name = ''] = command;
  if (path.isAbsolute(name)) return realPath(name) === undefined ? [] : [name];
  if (name.includes('/')) return []; // Relative to what? Only a name or an absolute path says it.
  const own = isTrusted ? OWN_PROGRAMS.map((directory) => path.join(root, directory)) : [];
  return findPrograms(name, [environment['PATH'] ?? '', ...own].join(path.delimiter));
}

/** By its name or by where its links lead. */
function isInWorkspace(root: string, file: string): boolean {
  return [file, realPath(file) ?? file].some((name) => isWithin(root, name));
}

async function firstFit(
  { minimum }: Server,
  files: readonly string[],
  environment: Environment,
): Promise<{ file: string } | { version: string }> {
  const [first = ''] = files;
  if (!minimum) return { file: first };
  let version = 'unknown';
  for (const file of files) {
    const found = await programVersion(file, minimum.package, { PATH: environment['PATH'] });
    if (found !== undefined && Number.parseInt(found, 10) >= minimum.version) return { file };
    version = found ?? version;
  }
  return { version };
}

/**
 * Names the TypeScript that the server is to load. Security: left to itself it loads the one of the workspace, which is
 * whatever somebody put there.
 */
function pinTypeScript(server: Server, file: string, { root, isTrusted }: SearchOptions): Server | undefined {
  const options = server.initializationOptions ?? {};
  const tsserver = isRecord(options['tsserver']) ? options['tsserver'] : {};
  if (typeof tsserver['path'] === 'string') return server;
  const beside = upward(realPath(file) ?? file).map((directory) => path.join(directory, 'node_modules', TYPESCRIPT));
  const candidates = isTrusted ? [path.join(root, 'node_modules', TYPESCRIPT), ...beside] : beside;
  const found = candidates.find((name) => realPath(name) !== undefined && (isTrusted || !isInWorkspace(root, name)));
  if (found === undefined) return undefined;
  return { ...server, initializationOptions: { ...options, tsserver: { ...tsserver, path: found } } };
}

function upward(file: string): string[] {
  const directories: string[] = [];
  for (let at = path.dirname(file); at !== path.dirname(at); at = path.dirname(at)) directories.push(at);
  return directories;
}

function unknownLanguage({ languages }: ServerTable, file: string): ToolError {
  const base = path.posix.basename(file);
  const at = base.lastIndexOf('.');
  const what = at > 0 ? `extension ${base.slice(at)}` : base;
  const known = Object.values(languages).flatMap(({ extensions }) => Object.keys(extensions ?? {}));
  return new ToolError('lsp_unavailable', `no LSP server known for ${what}`, {
    suggestion: `known extensions: ${known.map((extension) => `.${extension}`).join(' ')}; config.json can add others`,
  });
}

function unavailable(language: Language, obstacles: readonly { server: Server; obstacle: Obstacle }[]): ToolError {
  const reasons = obstacles.map(({ server, obstacle }) => describeObstacle(server, obstacle)).join('; ');
  const message = `no language server for ${language.name}: ${reasons || 'the settings leave none'}`;
  return new ToolError('lsp_unavailable', message, { suggestion: suggestionFor(obstacles) });
}

function suggestionFor(obstacles: readonly { server: Server; obstacle: Obstacle }[]): string {
  const [first] = obstacles;
  if (!first) return 'ask the user to allow one in config.json (docs/lsp.md)';
  if (obstacles.some(({ obstacle }) => obstacle.kind === 'untrusted')) {
    return `ask the user to trust this workspace (trusted_workspaces in config.json), or to install a server: ${first.server.install}`;
  }
  return `install with: ${first.server.install}`;
}

/** Says what is in the way of a server, in a clause that begins with its program. */
export function describeObstacle({ command: [name = ''] }: Server, obstacle: Obstacle): string {
  switch (obstacle.kind) {
    case 'missing':
      return `${path.basename(name)} is not on PATH`;
    case 'old':
      return `${path.basename(name)} is too old (version ${obstacle.version})`;
    case 'untrusted':
      return `${path.basename(name)} needs a trusted workspace, since ${obstacle.why}`;
    case 'no-typescript':
      return `${path.basename(name)} found no TypeScript 5 beside it`;
  }
}
