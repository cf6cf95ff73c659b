import type { ToolContext } from '@jinn/core';
import { realPath } from '@jinn/process';
import { isRecord } from './server-requests.ts';
import { SERVER_TABLE } from './server-table.ts';
import { type LspSettings, readLspSettings, wrong } from './settings.ts';

const CONFIG = 'config.json';

/** What config.json says about language servers in this workspace. */
export interface LanguageConfig {
  readonly settings: LspSettings;
  /** True if the workspace is one of `trusted_workspaces`. */
  readonly isTrusted: boolean;
}

/** Reads config.json in the state directory. Throws `lsp_unavailable`, naming the key at fault. */
export function readLanguageConfig({ user, workspace }: Pick<ToolContext, 'user' | 'workspace'>): LanguageConfig {
  const config = parse(user.state.read(CONFIG));
  const { trusted_workspaces: trusted = [] } = config;
  if (!isPathList(trusted)) throw wrong('"trusted_workspaces" must be a list of paths that begin with / or ~/');
  const paths = trusted.map((path) => (path.startsWith('~/') ? `${user.home}${path.slice(1)}` : path));
  return {
    settings: readLspSettings(config['lsp'], SERVER_TABLE),
    isTrusted: paths.some((path) => realPath(path) === workspace.root),
  };
}

function parse(content: Buffer | undefined): Record<string, unknown> {
  if (!content) return {};
  let config: unknown;
  try {
    config = JSON.parse(content.toString('utf8').replace(/^\ufeff/, ''));
  } catch (cause) {
    throw wrong('it cannot be read as JSON', cause);
  }
  if (isRecord(config)) return config;
  throw wrong('it must hold an object');
}

function isPathList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((path) => typeof path === 'string' && /^(~\/|\/)/.test(path));
}
