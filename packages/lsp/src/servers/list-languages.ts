import type { Machine, ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import type { Workspace } from '@jinn/workspace';
import { EXCLUDED_DIRECTORIES, walk } from '@jinn/workspace/walk';
import { chooseServer, languageOf } from './find-server.ts';
import { readLanguageConfig } from './language-config.ts';
import { type LanguageStatus, listServers } from './list-servers.ts';
import type { ServerTable } from './server-table.ts';
import { SessionTrust } from './server-trust.ts';

/** Languages of data and markup: a project may have more files of these than of code, without being written in them. */
const DATA: ReadonlySet<string> = new Set(['JSON', 'YAML', 'TOML', 'XML', 'Markdown', 'HTML', 'CSS', 'SCSS']);

/** The languages of a workspace, and the settings of config.json for servers that have no effect. */
export interface Languages {
  /**
   * The languages; the one with the most files comes first. Each has its servers, and what keeps them from being used.
   */
  readonly languages: readonly LanguageStatus[];
  readonly warnings: readonly string[];
}

/** Lists the languages of a workspace. Throws `lsp_unavailable` for settings that are wrong. */
export async function listLanguages(machine: Machine): Promise<Languages> {
  const { workspace, environment } = machine;
  const { settings, warnings } = readLanguageConfig(machine);
  const paths = await listFiles(workspace, async () => {});
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
  for (const path of await listFiles(workspace, checkpoint)) {
    const name = languageOf(table, path)?.language.name;
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

async function listFiles(workspace: Workspace, checkpoint: () => Promise<void>): Promise<string[]> {
  const paths: string[] = [];
  const options = { gitignore: true, excludeDirectories: EXCLUDED_DIRECTORIES, checkpoint };
  await walk(workspace, '.', options, (entry) => {
    if (entry.kind === 'file') paths.push(entry.path);
    return undefined;
  });
  return paths;
}
