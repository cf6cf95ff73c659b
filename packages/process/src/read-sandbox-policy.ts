import fs from 'node:fs';
import { posix } from 'node:path';
import { type Directories, SANDBOX_MODES, type SandboxMode, type SandboxPolicy, ToolError } from '@jinn/core';

const MAX_CONFIG_BYTES = 4 * 1024 * 1024;

export interface PolicySources {
  readonly directories: Directories;
  readonly home: string | undefined;
  /** What the command line says; it goes before config.json. */
  readonly flags: { readonly mode?: SandboxMode | undefined; readonly network?: boolean | undefined };
  /** The mode where neither says anything. */
  readonly fallback: SandboxMode;
}

/**
 * Makes the policy from the command line and `config.json` (docs/config.md). Throws `command_blocked` when the file
 * cannot be understood: what was meant to confine must not be passed over.
 */
export function readSandboxPolicy({ directories, home, flags, fallback }: PolicySources): SandboxPolicy {
  const { state, cache } = directories;
  const config = readConfig(state);
  const { sandbox = fallback, network = true } = config;
  if (!isMode(sandbox)) throw wrong(`"sandbox" must be one of ${SANDBOX_MODES.join(', ')}`);
  if (typeof network !== 'boolean') throw wrong('"network" must be true or false');
  return {
    mode: flags.mode ?? sandbox,
    network: flags.network ?? network,
    home,
    state: [state, cache].filter((path) => path !== undefined),
    writable: toPaths('sandbox_writable', config, home),
    hidden: toPaths('sandbox_hidden', config, home),
  };
}

function readConfig(state: string | undefined): Record<string, unknown> {
  const path = `${state}/config.json`;
  if (state === undefined || !fs.existsSync(path)) return {};
  let config: unknown;
  try {
    if (fs.statSync(path).size > MAX_CONFIG_BYTES) throw new Error('too large');
    config = JSON.parse(fs.readFileSync(path, 'utf8').replace(/^\ufeff/, ''));
  } catch (error) {
    throw wrong('it cannot be read as JSON', error);
  }
  if (typeof config === 'object' && config !== null && !Array.isArray(config)) return config as Record<string, unknown>;
  throw wrong('it must hold an object');
}

function toPaths(key: string, config: Record<string, unknown>, home: string | undefined): string[] {
  const value = config[key] ?? [];
  const isList = Array.isArray(value) && value.every((entry) => typeof entry === 'string');
  const paths = isList ? value.map((entry: string) => expandHome(entry, home)) : [];
  if (isList && paths.every((path) => posix.isAbsolute(path))) return paths;
  throw wrong(`"${key}" must be a list of paths that begin with / or ~/`);
}

function expandHome(path: string, home: string | undefined): string {
  return home !== undefined && path.startsWith('~/') ? posix.join(home, path.slice(2)) : path;
}

function isMode(value: unknown): value is SandboxMode {
  return SANDBOX_MODES.some((mode) => mode === value);
}

function wrong(what: string, cause?: unknown): ToolError {
  return new ToolError(
    'command_blocked',
    `the settings of jinn are at fault, so no command runs: config.json: ${what}`,
    {
      suggestion: 'ask the user to mend config.json in the configuration directory of jinn (docs/config.md)',
      cause,
    },
  );
}
