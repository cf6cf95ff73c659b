import path from 'node:path';
import type { Environment } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { findPrograms, installedVersion, programVersion, realPath } from '@jinn/process';
import { serversOf } from './lsp-settings.ts';
import { describeOwnCode, isInWorkspace, type OwnCode, runsProjectCode } from './own-code.ts';
import { type FoundFile, pinTypeScript } from './pin-typescript.ts';
import { serverEnvironment } from './server-environment.ts';
import type { Language, Server, ServerTable } from './server-table.ts';
import type { ServerTrust } from './server-trust.ts';

/** The directories where a workspace may keep programs of its own. */
const OWN_PROGRAMS = ['node_modules/.bin', '.venv/bin', 'venv/bin'];

export interface SearchOptions {
  /** Absolute and real. */
  readonly root: string;
  readonly environment: Environment;
  readonly trust: ServerTrust;
}

/** Why a server cannot be used here. */
export type Obstacle =
  | { readonly kind: 'missing' }
  | { readonly kind: 'old'; readonly version: string }
  | { readonly kind: 'untrusted'; readonly own: OwnCode; readonly way: string }
  | { readonly kind: 'no-typescript' };

/** A server that may be started. */
export interface Choice {
  readonly server: Server;
  readonly argv: readonly string[];
  /** True if a person trusts the code of the workspace that it runs; false if it runs no such code. */
  readonly isTrusted: boolean;
}

export type Search = Choice | { readonly obstacle: Obstacle };

/** A server that only lacks the trust of a person. */
export interface UntrustedServer {
  readonly server: Server;
  readonly own: OwnCode;
}

/** No server may be started. */
export class NoServer extends ToolError {
  /** The best server that only lacks trust. */
  readonly untrusted: UntrustedServer | undefined;
  /** True if no usable server is installed, or it lacks trust. */
  readonly isMissing: boolean;

  constructor(language: Language, obstacles: readonly FoundObstacle[]) {
    const reasons = obstacles.map(({ server, obstacle }) => describeObstacle(server, obstacle)).join('; ');
    const message = `no language server for ${language.name}: ${reasons || 'the settings leave none'}`;
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

/** Returns the language of a file by its name; undefined if it is not known. */
export function languageOf({ languages }: ServerTable, file: string): { language: Language; id: string } | undefined {
  const base = path.posix.basename(file).toLowerCase();
  const extension = base.includes('.', 1) ? base.slice(base.lastIndexOf('.') + 1) : '';
  const all = Object.values(languages);
  const named = all.find(({ names }) => names && Object.hasOwn(names, base));
  if (named) return { language: named, id: named.names?.[base] as string };
  const ending = all.find(({ extensions }) => extensions && Object.hasOwn(extensions, extension));
  return ending && { language: ending, id: ending.extensions?.[extension] as string };
}

/** Reports whether an error means that no server for a file is installed, or none that a person trusts. */
export function isWithoutServer(error: unknown): boolean {
  return error instanceof NoServer && error.isMissing;
}

/** Reports whether a server serves the language of a file. */
export function isServedBy(table: ServerTable, file: string, serverId: string): boolean {
  return languageOf(table, file)?.language.servers.includes(serverId) ?? false;
}

/** Returns a test for files that the server of this file may serve too. */
export function sharesServer(table: ServerTable, file: string): (other: string) => boolean {
  const ids = languageOf(table, file)?.language.servers ?? [];
  return (other) => ids.some((id) => isServedBy(table, other, id));
}

/**
 * Finds the program of a server. Security: somebody else may have put a program, or code that a server runs when it
 * opens the workspace, there; both need the person's trust. Servers that need no trust are preferred.
 */
export async function findServer(server: Server, options: SearchOptions): Promise<Search> {
  const { root, trust } = options;
  const program = await findProgram(server, options);
  if ('obstacle' in program) return program;
  const { file, isOwn } = program;
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

/** Finds the first usable server for a language. Throws NoServer, which says what to do. */
export async function chooseServer(table: ServerTable, file: string, options: SearchOptions): Promise<Choice> {
  const found = languageOf(table, file);
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
 * Finds the program of a server outside of the workspace, or else the first within it. Security: the latter is not
 * started here, not even to ask for its version.
 */
async function findProgram(server: Server, options: SearchOptions): Promise<FoundFile | { obstacle: Obstacle }> {
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

function programsOf({ command }: Server, { root, environment }: SearchOptions): string[] {
  const [name = ''] = command;
  if (path.isAbsolute(name)) return realPath(name) === undefined ? [] : [name];
  if (name.includes('/')) return []; // Such a path does not say what it is relative to.
  const own = OWN_PROGRAMS.map((directory) => path.join(root, directory));
  return findPrograms(name, [environment['PATH'] ?? '', ...own].join(path.delimiter));
}

async function firstFit(
  server: Server,
  files: readonly string[],
  { environment, root }: SearchOptions,
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
    suggestion: `known extensions: ${known.map((extension) => `.${extension}`).join(' ')}; config.json can add others`,
  });
}

function suggestionFor({ alsoSuggest = [] }: Language, obstacles: readonly FoundObstacle[]): string {
  if (obstacles.length === 0) return 'ask the user to allow one in config.json (docs/lsp.md)';
  const [way] = obstacles.flatMap(({ obstacle }) => (obstacle.kind === 'untrusted' ? [obstacle.way] : []));
  if (way !== undefined) return `tell the user what it would run, and that ${way}`;
  const suggested = obstacles.filter(({ server }, i) => i === 0 || alsoSuggest.includes(server.id));
  return `install with: ${[...new Set(suggested.map(({ server }) => server.install))].join(' or ')}`;
}

/** Says what is in the way of a server, in a clause that begins with its program. */
export function describeObstacle({ command: [name = ''] }: Server, obstacle: Obstacle): string {
  switch (obstacle.kind) {
    case 'missing':
      return `${path.basename(name)} is not on PATH`;
    case 'old':
      return `${path.basename(name)} is too old (version ${obstacle.version})`;
    case 'untrusted':
      return `${path.basename(name)} needs trust, since ${obstacle.own.why}`;
    case 'no-typescript':
      return `${path.basename(name)} found no TypeScript 5 beside it`;
  }
}
