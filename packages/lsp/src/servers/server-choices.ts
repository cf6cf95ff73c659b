import path from 'node:path';
import type { Environment } from '@jinn/core';
import type { SourceFiles } from '../documents/source-files.ts';
import { type Choice, chooseServer, languageOf } from './find-server.ts';
import type { LspSettings } from './lsp-settings.ts';
import { runsProjectCode } from './own-code.ts';
import type { Server } from './server-table.ts';
import type { ServerTrust } from './server-trust.ts';

const MAX_ROOTS = 10_000;

export interface ServerChoicesOptions {
  readonly files: SourceFiles;
  readonly settings: LspSettings;
  /** The variables of this process. */
  readonly environment: Environment;
  readonly trust: ServerTrust;
}

/** The servers that run, by their keys. */
export interface RunningServers {
  /** Reports whether a server runs or starts. */
  isRunning(key: string): boolean;
  /** Ends all servers of this id. */
  endAll(id: string): void;
}

/** Which server answers for a file, and the directory that it serves. Each pair of these has a key. */
export class ServerChoices {
  readonly #options: ServerChoicesOptions;
  readonly #running: RunningServers;
  /** The choices by language. */
  readonly #choices = new Map<string, Choice>();
  /** The root for the files of a directory, by server and directory. */
  readonly #roots = new Map<string, string>();

  constructor(options: ServerChoicesOptions, running: RunningServers) {
    this.#options = options;
    this.#running = running;
  }

  /**
   * Chooses the server for a file. Throws NoServer. One that was chosen for the same call before it ran, and needs no trust, is
   * taken as it is: the workspace is not searched twice for code that a server would run.
   */
  async choose(file: string, prepared?: Choice): Promise<Choice> {
    const known = this.known(file);
    if (known && known === prepared && !known.isTrusted) return known;
    return known && (await this.isStillFit(known, file)) ? known : this.#chooseAnew(file);
  }

  async #chooseAnew(file: string): Promise<Choice> {
    const { settings, files } = this.#options;
    const choice = await chooseServer(settings.table, file, { ...this.#options, root: files.root });
    const name = languageOf(settings.table, file)?.language.name;
    if (name !== undefined) this.#choices.set(name, choice);
    return choice;
  }

  /** Returns the server that was chosen for files of this language; it may no longer be fit. */
  known(file: string): Choice | undefined {
    const found = languageOf(this.#options.settings.table, file);
    return found && this.#choices.get(found.language.name);
  }

  keyOf({ server }: Choice, file: string): string {
    return `${server.id} ${this.rootOf(server, file)}`;
  }

  /** Returns the directory that a server is to serve for a file, relative to the root of the workspace. */
  rootOf(server: Server, file: string): string {
    const key = `${server.id} ${path.posix.dirname(file)}`;
    const known = this.#roots.get(key);
    if (known !== undefined) return known;
    const root = projectRoot(server, file, this.#options.files.hasAny);
    if (this.#roots.size >= MAX_ROOTS) this.#roots.clear();
    this.#roots.set(key, root);
    return root;
  }

  /** Forgets which servers were chosen: their programs may have been replaced or removed. */
  forgetChoices(): void {
    this.#choices.clear();
  }

  /** Forgets the roots: files were made or removed. */
  forgetRoots(): void {
    this.#roots.clear();
  }

  /**
   * Reports whether a chosen server may still be used. Trust is looked up before each start of a server. A server that
   * needed none may have come to need it; then all servers of its id are ended.
   */
  async isStillFit(choice: Choice, file: string): Promise<boolean> {
    if (choice.isTrusted) return this.#running.isRunning(this.keyOf(choice, file));
    if (!(await runsProjectCode(choice.server, this.#options.files.root))) return true;
    this.#running.endAll(choice.server.id);
    return false;
  }
}

/**
 * Returns the directory in which a server works for a file, relative to the workspace and never above it: the nearest
 * with a marker of the first group that is found anywhere, the outermost if the server wants that, else the whole
 * workspace.
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

/** Returns a directory and all above it, up to `.`. */
function upward(directory: string): string[] {
  const found = [directory];
  for (let at = directory; at !== '.'; ) {
    at = path.posix.dirname(at);
    found.push(at);
  }
  return found;
}
