import type { ToolContext } from '@jinn/core';
import { type Config, readConfig, toConfigError } from '@jinn/core/read-config';
import { type LspSettings, readLspSettings } from './lsp-settings.ts';
import { SERVER_TABLE } from './server-table.ts';

const NO_PATHS =
  'config.json: "trusted_workspaces" has no effect; remove it, and allow each server in its workspace: jinn lsp trust SERVER';

/** The settings of config.json for language servers. */
export interface LanguageConfig {
  readonly settings: LspSettings;
  /** A sentence on each setting that has no effect. */
  readonly warnings: readonly string[];
}

/** Reads config.json in the state directory. Throws `lsp_unavailable`, naming the key at fault. */
export function readLanguageConfig({ user }: Pick<ToolContext, 'user'>): LanguageConfig {
  const config = readSettings(user);
  const settings = readLspSettings(config['lsp'], SERVER_TABLE);
  return { settings, warnings: config['trusted_workspaces'] === undefined ? [] : [NO_PATHS] };
}

function readSettings({ state }: ToolContext['user']): Config {
  try {
    return readConfig(state);
  } catch (error) {
    throw toConfigError('lsp_unavailable', error as Error);
  }
}
