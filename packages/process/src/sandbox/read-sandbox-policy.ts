import { posix } from 'node:path';
import { SANDBOX_MODES, type SandboxMode, type SandboxPolicy, type ToolSandbox } from '@jinn/core';
import type { ToolError } from '@jinn/core/errors';
import { type Config, readConfig, toConfigError } from '@jinn/core/read-config';
import { createStateFiles, type Directories } from '@jinn/workspace';
import { runFiles } from '@jinn/workspace/secrets/run-files';

export interface PolicySources {
  readonly directories: Directories;
  readonly ownFiles?: readonly string[];
  readonly home: string | undefined;
  readonly environment?: SandboxPolicy['environment'];
  /** The flags of the command line. They take precedence over config.json. */
  readonly flags: { readonly mode?: SandboxMode | undefined; readonly network?: boolean | undefined };
  readonly fallback?: SandboxMode | undefined;
}

/**
 * Makes the policy from the command line and `config.json` (docs/config.md). Throws `command_blocked` if the file
 * cannot be understood: a setting that was meant to confine must not be ignored.
 */
export function readSandboxPolicy({
  directories,
  ownFiles = [],
  home,
  environment = {},
  flags,
  fallback = 'auto',
}: PolicySources): SandboxPolicy {
  const { state, cache } = directories;
  const config = readSettings(state);
  const { network = true } = config;
  const sandbox = toSettings(config['sandbox']);
  const { mode = fallback } = sandbox;
  if (!isMode(mode))
    throw settingsError(`"sandbox" must be one of ${SANDBOX_MODES.join(', ')}, or an object with such a "mode"`);
  if (typeof network !== 'boolean') throw settingsError('"network" must be true or false');
  const { writable, opened } = toWritable(sandbox['writable'], home);
  const list = (key: string) => toPaths(`sandbox.${key}`, sandbox[key], home);
  return {
    mode: flags.mode ?? mode,
    source: flags.mode ? '--sandbox' : sandbox['mode'] ? 'config.json' : 'default',
    network: flags.network ?? network,
    home,
    state: [state, cache].filter((path) => path !== undefined),
    keep: cache && `${cache}/sandbox`,
    environment,
    opened,
    writable: [...writable, ...toPaths('sandbox_writable', config['sandbox_writable'], home)],
    hidden: [...list('hidden'), ...toPaths('sandbox_hidden', config['sandbox_hidden'], home)],
    ownFiles,
    shown: list('shown'),
    sockets: list('sockets'),
    tools: toTools(config['tools'], home),
  };
}

function toWritable(value: unknown = [], home: string | undefined): { writable: string[]; opened: string[] } {
  const isOpened = (entry: unknown): entry is string =>
    typeof entry === 'string' && (runFiles('projects').holds(entry) || runFiles('home').holds(entry));
  const entries = Array.isArray(value) ? value : [];
  const paths = Array.isArray(value) ? entries.filter((entry) => !isOpened(entry)) : value;
  const and = ', or names of files that programs run (docs/shell.md#files-that-programs-run)';
  return { writable: toPaths('sandbox.writable', paths, home, and), opened: entries.filter(isOpened) };
}

function toTools(tools: unknown = {}, home: string | undefined): Record<string, ToolSandbox> {
  if (!isObject(tools)) throw settingsError('"tools" must be an object of the settings of each tool');
  return Object.fromEntries(
    Object.entries(tools).map(([name, settings]) => [name, toToolSandbox(name, settings, home)]),
  );
}

function toToolSandbox(name: string, settings: unknown, home: string | undefined): ToolSandbox {
  if (!isObject(settings)) throw settingsError(`"tools.${name}" must be an object`);
  const { network, writable, ...rest } = settings;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw settingsError(`"tools.${name}" has no "${unknown}". It knows network, writable`);
  if (network !== undefined && typeof network !== 'boolean')
    throw settingsError(`"tools.${name}.network" must be true or false`);
  return {
    ...(network !== undefined && { network }),
    ...(writable !== undefined && { writable: toPaths(`tools.${name}.writable`, writable, home) }),
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const SANDBOX_KEYS = ['mode', 'writable', 'hidden', 'shown', 'sockets'];

/** Refuses an unknown key: it may be meant as a protection, which would be missing. */
function toSettings(sandbox: unknown): Record<string, unknown> {
  if (!isObject(sandbox)) return { mode: sandbox };
  const unknown = Object.keys(sandbox).find((key) => !SANDBOX_KEYS.includes(key));
  if (unknown !== undefined) throw settingsError(`"sandbox" has no "${unknown}"; it knows ${SANDBOX_KEYS.join(', ')}`);
  return sandbox;
}

function readSettings(state: string | undefined): Config {
  try {
    return readConfig(createStateFiles(state));
  } catch (error) {
    throw blockedBy(error as Error);
  }
}

function toPaths(key: string, value: unknown = [], home: string | undefined, and = ''): string[] {
  const isList = Array.isArray(value) && value.every((entry) => typeof entry === 'string');
  const expand = (path: string) => (home && path.startsWith('~/') ? posix.join(home, path.slice(2)) : path);
  const paths = isList ? value.map(expand) : [];
  if (isList && paths.every((path) => posix.isAbsolute(path))) return paths;
  throw settingsError(`"${key}" must be a list of paths that start with / or ~/${and}`);
}

function isMode(value: unknown): value is SandboxMode {
  return SANDBOX_MODES.some((mode) => mode === value);
}

function settingsError(what: string): ToolError {
  return blockedBy(new Error(`config.json: ${what}`));
}

function blockedBy(fault: Error): ToolError {
  return toConfigError('command_blocked', fault, ', so no command runs');
}
