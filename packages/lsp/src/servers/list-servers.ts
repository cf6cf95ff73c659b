import { describeObstacle, findServer, languageOf, type SearchOptions } from './find-server.ts';
import { serversOf } from './lsp-settings.ts';
import type { OwnCode } from './own-code.ts';
import type { ServerTable } from './server-table.ts';

/** A server for a language of a project, and whether it can be used. */
export interface ServerStatus {
  readonly id: string;
  /** The program that would be started, absolute; undefined if none can be used. */
  readonly program?: string;
  /** True if it may be started because a person trusts it. */
  readonly isTrusted: boolean;
  /** Why it cannot be used. */
  readonly obstacle?: string;
  /** What a person must trust before it can be used, if it lacks only that. */
  readonly untrusted?: OwnCode;
  /** How to install it. */
  readonly install: string;
  /** The code of the workspace that it runs when it opens it. */
  readonly runsProjectCode?: string;
}

export interface LanguageStatus {
  readonly language: string;
  /** How many of the files are in this language. */
  readonly files: number;
  /** Its servers, the best first. The first with a program is used. */
  readonly servers: readonly ServerStatus[];
}

/** Lists the servers for the languages of these files; the language with the most files comes first. */
export async function listServers(
  table: ServerTable,
  paths: Iterable<string>,
  options: SearchOptions,
): Promise<LanguageStatus[]> {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const name = languageOf(table, path)?.language.name;
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

async function statusOf(server: ReturnType<typeof serversOf>[number], options: SearchOptions): Promise<ServerStatus> {
  const { id, install, runsProjectCode } = server;
  const about = { id, install, ...(runsProjectCode !== undefined && { runsProjectCode }) };
  const search = await findServer(server, options);
  if ('argv' in search) return { ...about, isTrusted: search.isTrusted, program: search.argv[0] ?? '' };
  const { obstacle } = search;
  const untrusted = obstacle.kind === 'untrusted' ? { untrusted: obstacle.own } : {};
  return { ...about, isTrusted: false, obstacle: describeObstacle(server, obstacle), ...untrusted };
}
