import type { Machine, ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { listUnignored } from '../documents/file-watch.ts';
import { chooseServer, describeObstacle, findServer, type ServerSearch, servedLanguageOf } from './find-server.ts';
import { readLanguageConfig, serversOf } from './lsp-settings.ts';
import type { Server, ServerTable } from './server-table.ts';
import { type OwnCode, SessionTrust } from './server-trust.ts';

export interface ServerStatus {
  readonly id: string;
  readonly program?: string;
  readonly isTrusted: boolean;
  readonly obstacle?: string;
  /** Set if it lacks only the trust of the user. */
  readonly untrusted?: OwnCode;
  readonly install: string;
}

export interface LanguageStatus {
  readonly language: string;
  readonly files: number;
  readonly servers: readonly ServerStatus[];
}

/** Languages of data and markup: a project may have more files of these than of code, without being written in them. */
const DATA: ReadonlySet<string> = new Set(['JSON', 'YAML', 'TOML', 'XML', 'Markdown', 'HTML', 'CSS', 'SCSS']);

/**
 * Lists the languages of a workspace, with warnings of settings in config.json that have no effect. The language with
 * the most files comes first. Throws `lsp_unavailable` for settings that are wrong.
 */
export async function listLanguages(
  machine: Machine,
): Promise<{ readonly languages: readonly LanguageStatus[]; readonly warnings: readonly string[] }> {
  const { workspace, environment } = machine;
  const { settings, warnings } = readLanguageConfig(machine);
  const paths = await listUnignored(workspace, async () => {});
  const trust = new SessionTrust(machine.grants);
  const languages = await listServers(settings.table, paths, { root: workspace.root, environment, trust });
  return { languages, warnings };
}

/** Reports whether a server may be started for a file of this name: one is installed, and it needs no trust or has it. */
export async function hasServerFor(
  { workspace: { root }, environment, grants, user }: Pick<Machine, 'workspace' | 'environment' | 'grants' | 'user'>,
  path: string,
): Promise<boolean> {
  try {
    const { settings } = readLanguageConfig({ user });
    await chooseServer(settings.table, path, { root, environment, trust: new SessionTrust(grants) });
    return true;
  } catch {
    return false; // The call itself reports why.
  }
}

/** Finds the file nearest to the root in the language with the most files. Throws `not_found` if there is none. */
export async function findMainFile({ workspace, checkpoint }: ToolContext, table: ServerTable): Promise<string> {
  const byLanguage = new Map<string, string[]>();
  for (const path of await listUnignored(workspace, checkpoint)) {
    const name = servedLanguageOf(table, path)?.language.name;
    if (name === undefined || DATA.has(name)) continue;
    const found = byLanguage.get(name);
    if (found) found.push(path);
    else byLanguage.set(name, [path]);
  }
  const [most] = [...byLanguage.values()].sort((a, b) => b.length - a.length);
  const nearest = most?.sort((a, b) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1))[0];
  if (nearest !== undefined) return nearest;
  throw new ToolError('not_found', 'there is no source file in the working directory', {
    suggestion: 'pass path: a file of the project',
  });
}

/** Lists the servers for the languages of files. The language with the most files comes first. */
export async function listServers(
  table: ServerTable,
  paths: Iterable<string>,
  options: ServerSearch,
): Promise<LanguageStatus[]> {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const name = servedLanguageOf(table, path)?.language.name;
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const found: LanguageStatus[] = [];
  for (const [name, files] of [...counts].sort(([, a], [, b]) => b - a)) {
    const language = Object.values(table.languages).find((candidate) => candidate.name === name);
    const servers = language ? serversOf(table, language) : [];
    const status = await Promise.all(servers.map((server) => statusOf(server, options)));
    found.push({ language: name, files, servers: status });
  }
  return found;
}

async function statusOf(server: Server, options: ServerSearch): Promise<ServerStatus> {
  const { id, install } = server;
  const search = await findServer(server, options);
  if ('argv' in search) return { id, install, isTrusted: search.isTrusted, program: search.argv[0] ?? '' };
  const { obstacle } = search;
  const untrusted = obstacle.kind === 'untrusted' ? { untrusted: obstacle.own } : {};
  return { id, install, isTrusted: false, obstacle: describeObstacle(server, obstacle), ...untrusted };
}
