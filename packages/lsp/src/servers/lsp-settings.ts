import type { ToolContext } from '@jinn/core';
import type { ToolError } from '@jinn/core/errors';
import { type Config, readConfig, toConfigError } from '@jinn/core/read-config';
import { isObject } from '@jinn/core/text';
import {
  SERVER_TABLE,
  type ServedLanguage,
  type Server,
  type ServerDescription,
  type ServerTable,
} from './server-table.ts';

const NO_PATHS =
  'config.json: "trusted_workspaces" has no effect. Remove it, and allow each server in its workspace: jinn lsp trust SERVER';

/** The settings of config.json under `lsp`, checked and joined with the table. */
export interface LspSettings {
  readonly table: ServerTable;
  readonly maxServers: number;
  readonly idleMs: number;
  readonly diagnose: 'off' | 'errors' | 'all';
  readonly diagnoseWaitMs: number;
}

const TOP_KEYS = ['servers', 'languages', 'max_servers', 'idle_minutes', 'diagnose', 'diagnose_wait_ms'];
/** The keys of a server in config.json, each with its type and its name in the table. */
const SERVER_KEYS = {
  enabled: ['true or false', (value: unknown) => typeof value === 'boolean', undefined],
  command: ['a list of strings that is not empty', (value: unknown) => isWords(value) && value.length > 0, 'command'],
  extensions: ['an object of language ids by extension', isTexts, undefined],
  install: ['a string', isText, 'install'],
  roots: ['a list of file names', isWords, 'roots'],
  initialization_options: ['an object', isObject, 'initializationOptions'],
  settings: ['an object', isObject, 'settings'],
  environment: ['an object of strings', isTexts, 'environment'],
  runs_project_code: ['a string', isText, 'runsProjectCode'],
  code_files: ['a list of file names', isWords, 'codeFiles'],
  ready: ['an object', isReady, 'ready'],
  cure: ['a string', isText, 'cure'],
} as const satisfies Record<
  string,
  readonly [string, (value: unknown) => boolean, keyof ServerDescription | undefined]
>;

const READY_TEXTS = ['log', 'progress', 'fails'];
const READY_NUMBERS = ['beginsWithin', 'quiet'];

/** Reads the object under `lsp` of config.json. Throws `lsp_unavailable`, naming the key invalid. */
export function readLspSettings(given: unknown, table: ServerTable): LspSettings {
  const lsp = given ?? {};
  if (!isObject(lsp)) throw settingsError('"lsp" must be an object');
  const unknown = Object.keys(lsp).find((key) => !TOP_KEYS.includes(key));
  if (unknown !== undefined) throw settingsError(`"lsp.${unknown}" is not known: there are ${TOP_KEYS.join(', ')}`);
  const { servers = {}, languages = {}, diagnose = 'errors' } = lsp;
  if (!isObject(servers)) throw settingsError('"lsp.servers" must be an object');
  if (!isObject(languages)) throw settingsError('"lsp.languages" must be an object');
  if (diagnose !== 'off' && diagnose !== 'errors' && diagnose !== 'all') {
    throw settingsError('"lsp.diagnose" must be one of off, errors, all');
  }
  return {
    table: joinTables(table, servers, languages),
    maxServers: toNumber(lsp, 'max_servers', { fallback: 4, least: 1, most: 32 }),
    idleMs: toNumber(lsp, 'idle_minutes', { fallback: 10, least: 0.001, most: 1_440 }) * 60_000,
    diagnose,
    diagnoseWaitMs: toNumber(lsp, 'diagnose_wait_ms', { fallback: 1_500, least: 0, most: 60_000 }),
  };
}

function joinTables(
  table: ServerTable,
  servers: Record<string, unknown>,
  choices: Record<string, unknown>,
): ServerTable {
  const joined: Record<string, ServerDescription> = { ...table.servers };
  const languages: Record<string, ServedLanguage> = { ...table.languages };
  for (const [id, given] of Object.entries(servers)) {
    const settings = checkServer(id, given);
    joined[id] = joinServer(id, joined[id], settings);
    if (settings['extensions']) addLanguages(languages, id, settings['extensions'] as Record<string, string>);
    if (settings['enabled'] === false) delete joined[id];
  }
  for (const [name, chosen] of Object.entries(choices)) {
    const language = languages[name];
    if (!language) throw settingsError(`"lsp.languages.${name}": there is no such language`);
    if (!isWords(chosen)) throw settingsError(`"lsp.languages.${name}" must be a list of servers`);
    const missing = chosen.find((id) => !Object.hasOwn(joined, id) && !Object.hasOwn(table.servers, id));
    if (missing !== undefined)
      throw settingsError(`"lsp.languages.${name}": there is no server ${JSON.stringify(missing)}`);
    languages[name] = { ...language, servers: chosen };
  }
  return { servers: joined, languages };
}

function checkServer(id: string, given: unknown): Record<string, unknown> {
  if (!isObject(given)) throw settingsError(`"lsp.servers.${id}" must be an object`);
  for (const [key, value] of Object.entries(given)) {
    const rule = Object.hasOwn(SERVER_KEYS, key) ? SERVER_KEYS[key as keyof typeof SERVER_KEYS] : undefined;
    if (!rule)
      throw settingsError(`"lsp.servers.${id}.${key}" is not known: there are ${Object.keys(SERVER_KEYS).join(', ')}`);
    if (!rule[1](value)) throw settingsError(`"lsp.servers.${id}.${key}" must be ${rule[0]}`);
  }
  return given;
}

function joinServer(
  id: string,
  known: ServerDescription | undefined,
  given: Record<string, unknown>,
): ServerDescription {
  if (!known && given['command'] === undefined && given['enabled'] !== false) {
    throw settingsError(`"lsp.servers.${id}" needs a command, since there is no such server`);
  }
  const changed: Record<string, unknown> = {};
  for (const [key, [, , field]] of Object.entries(SERVER_KEYS)) {
    if (field !== undefined && given[key] !== undefined) changed[field] = given[key];
  }
  if (changed['roots']) changed['roots'] = [changed['roots']];
  if (changed['runsProjectCode'] !== undefined) changed['harmlessPackage'] = undefined; // The user knows better.
  for (const field of ['initializationOptions', 'settings', 'environment'] as const) {
    if (changed[field]) changed[field] = merge(known?.[field] ?? {}, changed[field] as Record<string, unknown>);
  }
  return { command: [], install: 'see config.json', ...known, ...changed } as ServerDescription;
}

function merge(
  below: Readonly<Record<string, unknown>>,
  above: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const joined: Record<string, unknown> = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const known = joined[key];
    joined[key] = isObject(known) && isObject(value) ? merge(known, value) : value;
  }
  return joined;
}

function addLanguages(languages: Record<string, ServedLanguage>, id: string, extensions: Record<string, string>): void {
  for (const [extension, languageId] of Object.entries(extensions)) {
    const key = extension.replace(/^\./, '').toLowerCase();
    const [name = languageId, known] = Object.entries(languages).find(([, { extensions: of }]) => of?.[key]) ?? [];
    const { servers = [] } = known ?? languages[name] ?? {};
    const others = servers.filter((other) => other !== id);
    const base: Omit<ServedLanguage, 'servers'> = known ?? languages[name] ?? { name: languageId };
    languages[name] = { ...base, extensions: { ...base.extensions, [key]: languageId }, servers: [id, ...others] };
  }
}

/** Returns the servers for a language, except for those that the settings omit. */
export function serversOf({ servers }: ServerTable, language: ServedLanguage): Server[] {
  return language.servers.flatMap((id) => {
    const description = Object.hasOwn(servers, id) ? servers[id] : undefined;
    return description ? [{ id, ...description }] : [];
  });
}

function toNumber(
  lsp: Record<string, unknown>,
  key: string,
  { fallback, least, most }: { fallback: number; least: number; most: number },
): number {
  const value = lsp[key] ?? fallback;
  if (typeof value === 'number' && value >= least && value <= most) return value;
  throw settingsError(`"lsp.${key}" must be a number from ${least} to ${most}`);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isWords(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((word) => typeof word === 'string' && word !== '' && !word.includes('\0'));
}

function isTexts(value: unknown): boolean {
  return isObject(value) && Object.values(value).every((text) => typeof text === 'string' && !text.includes('\0'));
}

function isReady(value: unknown): boolean {
  if (!isObject(value)) return false;
  return Object.entries(value).every(([key, entry]) => {
    if (READY_TEXTS.includes(key)) return typeof entry === 'string' && isPattern(entry);
    if (READY_NUMBERS.includes(key)) return typeof entry === 'number';
    return key === 'notification' && isObject(entry) && typeof entry['method'] === 'string';
  });
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
}

function settingsError(what: string): ToolError {
  return toConfigError('lsp_unavailable', new Error(`config.json: ${what}`));
}

/** Reads config.json in the state directory. Throws `lsp_unavailable`, naming the key invalid. */
export function readLanguageConfig({ user: { state } }: Pick<ToolContext, 'user'>): {
  readonly settings: LspSettings;
  readonly warnings: readonly string[];
} {
  let config: Config;
  try {
    config = readConfig(state);
  } catch (error) {
    throw toConfigError('lsp_unavailable', error as Error);
  }
  const settings = readLspSettings(config['lsp'], SERVER_TABLE);
  return { settings, warnings: config['trusted_workspaces'] === undefined ? [] : [NO_PATHS] };
}
