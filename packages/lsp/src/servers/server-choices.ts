import path from 'node:path';
import type { Environment } from '@jinn/core';
import type { SourceFiles } from '../documents/source-files.ts';
import { type Choice, chooseServer, servedLanguageOf } from './find-server.ts';
import type { LspSettings } from './lsp-settings.ts';
import type { Server } from './server-table.ts';
import { runsProjectCode, type ServerTrust } from './server-trust.ts';

const MAX_ROOTS = 10_000;

export interface ServerChoicesOptions {
  readonly files: SourceFiles;
  readonly settings: LspSettings;
  readonly environment: Environment;
  readonly trust: ServerTrust;
}

export interface RunningServers {
  isRunning(key: string): boolean;
  endAll(id: string): void;
}

/** Which server answers for a file, and the directory that it serves. Each pair of these has a key. */
export class ServerChoices {
  readonly #options: ServerChoicesOptions;
  readonly #running: RunningServers;
  readonly #choices = new Map<string, Choice>();
  readonly #roots = new Map<string, string>();

  constructor(options: ServerChoicesOptions, running: RunningServers) {
    this.#options = options;
    this.#running = running;
  }

  /** Throws NoServer. A prepared choice of the same call that needs no trust is not searched for again. */
  async choose(file: string, prepared?: Choice): Promise<Choice> {
    const known = this.known(file);
    if (known && known === prepared && !known.isTrusted) return known;
    return known && (await this.isStillFit(known, file)) ? known : this.#chooseAnew(file);
  }

  async #chooseAnew(file: string): Promise<Choice> {
    const { settings, files } = this.#options;
    const choice = await chooseServer(settings.table, file, { ...this.#options, root: files.root });
    const name = servedLanguageOf(settings.table, file)?.language.name;
    if (name !== undefined) this.#choices.set(name, choice);
    return choice;
  }

  /** The last choice for this language. It may no longer be fit. */
  known(file: string): Choice | undefined {
    const found = servedLanguageOf(this.#options.settings.table, file);
    return found && this.#choices.get(found.language.name);
  }

  keyOf({ server }: Choice, file: string): string {
    return `${server.id} ${this.rootOf(server, file)}`;
  }

  rootOf(server: Server, file: string): string {
    const key = `${server.id} ${path.posix.dirname(file)}`;
    const known = this.#roots.get(key);
    if (known !== undefined) return known;
    const root = projectRoot(server, file, this.#options.files.hasAny);
    if (this.#roots.size >= MAX_ROOTS) this.#roots.clear();
    this.#roots.set(key, root);
    return root;
  }

  forgetChoices(): void {
    this.#choices.clear();
  }

  forgetRoots(): void {
    this.#roots.clear();
  }

  /**
   * Trust is looked up before each start. If a server without trust has come to need it, all servers of its id are
   * ended.
   */
  async isStillFit(choice: Choice, file: string): Promise<boolean> {
    if (choice.isTrusted) return this.#running.isRunning(this.keyOf(choice, file));
    if (!(await runsProjectCode(choice.server, this.#options.files.root))) return true;
    this.#running.endAll(choice.server.id);
    return false;
  }
}

/**
 * Returns the directory that a server serves for a file, never above the workspace: the nearest (or outermost) with a
 * marker of the first group that is found anywhere, or else the workspace.
 */
export function projectRoot(
  { roots = [], outermostRoot = false }: Pick<Server, 'roots' | 'outermostRoot'>,
  file: string,
  hasAny: SourceFiles['hasAny'],
): string {
  const directories = upward(path.posix.dirname(file));
  if (outermostRoot) directories.reverse();
  for (const group of roots) {
    const found = directories.find((directory) => hasAny(directory, group));
    if (found !== undefined) return found;
  }
  return '.';
}

function upward(directory: string): string[] {
  const found = [directory];
  for (let at = directory; at !== '.'; ) {
    at = path.posix.dirname(at);
    found.push(at);
  }
  return found;
}
