import { posix } from 'node:path';
import { ToolError } from '@jinn/core/errors';
import { type Config, readConfig } from '@jinn/core/read-config';
import { isObject } from '@jinn/core/text';
import type { UserFiles, Workspace } from '@jinn/workspace';
import { isThere } from '@jinn/workspace/walk';
import {
  type AgentDirectory,
  type Client,
  type ContextType,
  homeDirectoriesOf,
  searchedBelow,
  WORKSPACE,
} from './agent-directories.ts';

const CONFIGURED = 'related_context.paths';
const PLUGINS = '.claude/plugins';
const PLUGIN_LIST = 'installed_plugins.json';
const PLUGIN_MANIFEST = '.claude-plugin/plugin.json';
const MAX_JSON_BYTES = 4 * 1024 * 1024;
/** Each root keeps a descriptor open until the call ends. */
const MAX_ROOTS = 200;
const MAX_WARNINGS = 30;

const COMPONENTS = { skills: 'skill', agents: 'agent', commands: 'command' } as const;

/** A directory whose Markdown files are indexed, or one such file. */
export interface ContextSource {
  readonly root: Workspace;
  /** The path below the root, with links resolved. */
  readonly start: string;
  readonly isFile: boolean;
  readonly type: ContextType;
  /** The Claude plugin that the source belongs to. */
  readonly plugin: string | undefined;
  /** The name of the root in warnings. */
  readonly called: string;
}

export interface ContextSources {
  readonly sources: readonly ContextSource[];
  readonly warnings: readonly string[];
  close(): void;
}

/**
 * Finds the directories for a client: those of `related_context.paths` in config.json, those of the home that all clients
 * share or that the client itself reads, and those of the workspace. A well-known directory may be missing. Anything else
 * that is wrong is a warning. The caller closes the sources.
 */
export function findContextSources(user: UserFiles, client: Client, workspace: Workspace): ContextSources {
  const finder = new SourceFinder(user);
  try {
    finder.addConfigured();
    for (const { path, type } of homeDirectoriesOf(client).flatMap(searchedBelow)) finder.addKnown(path, type);
    if (client === 'claude' || client === 'all') finder.addPlugins();
    for (const directory of WORKSPACE) finder.addOwn(workspace, directory);
    return finder;
  } catch (error) {
    finder.close();
    throw error;
  }
}

type AddedSource = Omit<ContextSource, 'isFile' | 'plugin'> & { readonly plugin?: string };

class SourceFinder implements ContextSources {
  readonly sources: ContextSource[] = [];
  readonly warnings: string[] = [];
  readonly #user: UserFiles;
  readonly #roots: Workspace[] = [];
  readonly #seen = new Set<string>();

  constructor(user: UserFiles) {
    this.#user = user;
  }

  addKnown(path: string, type: ContextType): void {
    const { home } = this.#user;
    if (home === undefined) return;
    this.#attempt(`~/${path}`, { mayBeMissing: true }, () => {
      const root = this.#open(`${home}/${path}`);
      if (root) this.#add({ root, start: '.', type, called: `~/${path}` });
    });
  }

  /** Adds the files that an agent keeps in the workspace. Most agents keep none. The guard keeps all of them inside. */
  addOwn(root: Workspace, directory: AgentDirectory): void {
    this.#attempt(directory.path, { mayBeMissing: true }, () => {
      for (const { path, type } of isDirectory(root, directory.path) ? searchedBelow(directory) : []) {
        this.#attempt(path, { mayBeMissing: true }, () => {
          if (isDirectory(root, path)) this.#add({ root, start: path, type, called: path });
        });
      }
    });
  }

  addConfigured(): void {
    this.#attempt(CONFIGURED, { mayBeMissing: false }, () => {
      for (const path of configuredPaths(readConfig(this.#user.state))) this.#addConfigured(path);
    });
  }

  /** Adds the components of the plugins that are installed in Claude, whose list gives the directory of each plugin. */
  addPlugins(): void {
    const { home } = this.#user;
    if (home === undefined) return;
    this.#attempt(`~/${PLUGINS}/${PLUGIN_LIST}`, { mayBeMissing: true }, () => {
      const root = this.#open(`${home}/${PLUGINS}`);
      const { plugins = {} } = root ? readJson(root, PLUGIN_LIST) : {};
      for (const [name, installs] of Object.entries(toObject(plugins, '"plugins"'))) {
        for (const install of listOf(installs))
          this.#addPlugin(name, isObject(install) ? install['installPath'] : undefined);
      }
    });
  }

  close(): void {
    for (const root of this.#roots) root.close();
  }

  #addConfigured(path: unknown): void {
    const label = `configured related_context path ${quote(path)}`;
    this.#attempt(label, { mayBeMissing: false }, () => {
      if (typeof path !== 'string' || path === '') throw new ToolError('invalid_args', 'not a path');
      const root = this.#open(this.#resolve(path)) ?? noDirectory();
      this.#add({ root, start: '.', type: typeOf(path.replace(/\/+$/, '')), called: label });
    });
  }

  #resolve(path: string): string {
    const { home, state } = this.#user;
    if (path !== '~' && !path.startsWith('~/')) return posix.resolve(state.directory ?? '/', path);
    if (home === undefined) throw new ToolError('file_not_found', 'there is no home directory');
    return posix.join(home, path.slice(1));
  }

  #addPlugin(name: string, directory: unknown): void {
    const label = `plugin ${quote(name)}`;
    this.#attempt(label, { mayBeMissing: false }, () => {
      if (typeof directory !== 'string') throw new ToolError('invalid_args', 'it has no installPath');
      const root = this.#open(directory) ?? noDirectory();
      const manifest = this.#attempt(`${PLUGIN_MANIFEST} of ${label}`, { mayBeMissing: true }, () =>
        readJson(root, PLUGIN_MANIFEST),
      );
      for (const [folder, type] of Object.entries(COMPONENTS)) {
        const add = (path: unknown, mayBeMissing: boolean) =>
          this.#attempt(`${quote(path)} of ${label}`, { mayBeMissing }, () => {
            if (typeof path !== 'string') throw new ToolError('invalid_args', 'not a path');
            this.#add({ root, start: path, type, plugin: name, called: label });
          });
        add(folder, true);
        for (const path of listOf(manifest?.[folder])) add(path, false);
      }
    });
  }

  #add({ root, start, type, plugin, called }: AddedSource): void {
    const { path, kind } = root.status(start);
    const isFile = kind === 'file' && /\.md$/i.test(path);
    if (kind !== 'directory' && !isFile) throw new ToolError('not_a_directory', 'not a directory');
    if (path.includes('\n')) throw new ToolError('invalid_args', 'a name with a line break'); // The index separates names by line breaks.
    const real = posix.join(root.root, path);
    if (this.#seen.has(real)) return;
    this.#seen.add(real);
    this.sources.push({ root, start: path, isFile, type, plugin, called });
  }

  #open(path: string): Workspace | undefined {
    if (this.#roots.length === MAX_ROOTS) throw new ToolError('resource_limit', `more than ${MAX_ROOTS} directories`);
    const root = this.#user.openRoot(path);
    if (root) this.#roots.push(root);
    return root;
  }

  #attempt<T>(label: string, { mayBeMissing }: { readonly mayBeMissing: boolean }, work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      const isMissing = error.code === 'file_not_found' && mayBeMissing;
      if (!isMissing && this.warnings.length < MAX_WARNINGS) this.warnings.push(`skip ${label}: ${error.message}`);
      return undefined;
    }
  }
}

/** It takes a single system call for a missing directory. */
function isDirectory(workspace: Workspace, path: string): boolean {
  return path === '.' || (isThere(workspace, path) && workspace.status(path).kind === 'directory');
}

function noDirectory(): never {
  throw new ToolError('file_not_found', 'no such directory');
}

function typeOf(path: string): ContextType {
  const name = posix.basename(path);
  if (name === 'skills' || name === 'agents' || name === 'commands') return COMPONENTS[name];
  return name.endsWith('-commands') ? 'command' : 'kb';
}

function configuredPaths({ related_context: section = {} }: Config): readonly unknown[] {
  const { paths = [] } = toObject(section, 'config.json: "related_context"');
  if (typeof paths === 'string' || Array.isArray(paths)) return listOf(paths);
  throw new ToolError('invalid_args', `config.json: "${CONFIGURED}" is not a list`);
}

function readJson(root: Workspace, path: string): JsonObject {
  const json = root.withFile(path, (file) => {
    if (file.size > MAX_JSON_BYTES) throw new ToolError('file_too_large', 'larger than 4 MiB');
    return file.slice(0, file.size).toString();
  });
  let value: unknown;
  try {
    value = JSON.parse(json.replace(/^\ufeff/, '')); // Some editors write a byte order mark.
  } catch (cause) {
    throw new ToolError('invalid_args', 'not valid JSON', { cause });
  }
  return toObject(value, 'its content');
}

function toObject(value: unknown, called: string): JsonObject {
  if (isObject(value)) return value;
  throw new ToolError('invalid_args', `${called} is not an object`);
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

type JsonObject = Readonly<Record<string, unknown>>;

function quote(value: unknown): string {
  return (JSON.stringify(value) ?? 'undefined').slice(0, 200);
}
