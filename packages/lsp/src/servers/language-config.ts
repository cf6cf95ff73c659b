import { parseStrictJson } from '@jinn/text';
import type { ToolContext } from '@jinn/tool';
import { isRecord } from '../client/server-requests.ts';
import { type LspSettings, readLspSettings, settingsError } from './lsp-settings.ts';
import { SERVER_TABLE } from './server-table.ts';

const CONFIG = 'config.json';
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
  const config = parse(user.state.read(CONFIG));
  const settings = readLspSettings(config['lsp'], SERVER_TABLE);
  return { settings, warnings: config['trusted_workspaces'] === undefined ? [] : [NO_PATHS] };
}

function parse(content: Buffer | undefined): Record<string, unknown> {
  if (!content) return {};
  let config: unknown;
  try {
    config = parseStrictJson(content);
  } catch (cause) {
    throw settingsError((cause as Error).message, cause);
  }
  if (isRecord(config)) return config;
  throw settingsError('it must hold an object');
}
