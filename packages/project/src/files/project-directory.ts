import { posix } from 'node:path';
import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import type { OpenDirectory, OpenFile } from '@jinn/workspace';
import { listDirectory, listOpen, type NamedEntry } from '@jinn/workspace/walk';
import { Manifest, type WarnFunction } from './manifest.ts';
import { configFilesIn } from './project-files.ts';

const MAX_BYTES = 1024 * 1024;
/** Smaller than the limit of other files, since YAML is slow to read. */
const MAX_YAML_BYTES = 256 * 1024;
/** A closing bracket that is first on its line, with the text before it. */
const CLOSING = /^[ \t]*[\]}]/gm;
/** Files that are read while the directory is open, since most projects have one of them. */
const USUAL = 'package.json';

/** A directory that may be a project or a member of one: its configuration files and their content. */
export class ProjectDirectory {
  /** Sorted names of configuration files: regular files, and links to regular files of the workspace. */
  readonly names: readonly string[];
  readonly listed: readonly NamedEntry[];
  /** The path in the form that a caller writes. */
  readonly location: string;
  readonly #ctx: ToolContext;
  readonly #request: DirectoryRequest;
  /** The content of the file USUAL, if it was read when the directory was opened. */
  readonly #usual: string | undefined;

  /** Reads a directory that is open. */
  constructor(ctx: ToolContext, request: DirectoryRequest, directory: OpenDirectory) {
    this.#ctx = ctx;
    this.#request = request;
    this.location = posix.join(request.top, request.path);
    this.listed = listOpen(directory, this.location);
    this.names = configFilesIn(directory, this.listed, {
      isKept: (name, kind) => isRegular(ctx, request, name, kind),
      leadsToFile: (name) => targetOf(ctx, posix.join(this.location, name)) === 'file',
      warn: (sentence) => request.warn(posix.join(request.path, sentence)),
    });
    const hasUsual = this.listed.some(({ name, kind }) => name === USUAL && kind === 'file');
    this.#usual = hasUsual && !request.budget?.isSpent ? tryToRead(directory) : undefined;
  }

  /** Opens a directory. Throws ToolError if the path is refused, missing, or not a directory. */
  static open(ctx: ToolContext, request: DirectoryRequest): Promise<ProjectDirectory> {
    const open = async (directory: OpenDirectory) => new ProjectDirectory(ctx, request, directory);
    return ctx.workspace.withDirectory(posix.join(request.top, request.path), open);
  }

  /** The path below the directory of the request, or '' for that directory. */
  get path(): string {
    return this.#request.path;
  }

  get baseName(): string {
    return posix.basename(this.location);
  }

  has(...names: readonly string[]): boolean {
    return names.some((name) => this.names.includes(name));
  }

  find(...names: readonly string[]): string | undefined {
    return names.find((name) => this.names.includes(name));
  }

  /** Returns the entries of a directory below this one, or none if it cannot be read, or if the budget is spent. */
  async listBelow(path: string): Promise<readonly NamedEntry[]> {
    const { budget } = this.#request;
    if (budget && budget.listings-- <= 0) return [];
    try {
      return await listDirectory(this.#ctx.workspace, posix.join(this.location, path));
    } catch (error) {
      if (!(error instanceof ToolError) || error.code === 'resource_limit') throw error;
      return [];
    }
  }

  /** Returns the text of a file, or undefined if it is missing or cannot be read. Warns of the latter. */
  text(name: string, maxBytes = MAX_BYTES): string | undefined {
    const { budget } = this.#request;
    if (!this.names.includes(name) || budget?.isSpent) return undefined;
    const text = name === USUAL && this.#usual !== undefined ? this.#usual : this.#read(name, maxBytes);
    if (budget && text) {
      budget.left -= text.length;
      budget.isSpent = budget.left < 0;
    }
    if (!text?.includes('\0')) return text;
    this.warn(name, 'not text in UTF-8');
    return undefined;
  }

  #read(name: string, maxBytes: number): string | undefined {
    try {
      return this.#ctx.workspace.withFile(posix.join(this.location, name), (file) => {
        if (file.size <= maxBytes) return textOf(file);
        this.warn(name, `larger than ${maxBytes / 1024} KB, and not read`);
        return undefined;
      });
    } catch (error) {
      if (!(error instanceof ToolError) || error.code === 'resource_limit') throw error;
      this.warn(name, error.code.replaceAll('_', ' '));
      return undefined;
    }
  }

  json(name: string): Manifest {
    return this.#parse(name, this.text(name), 'JSON', JSON.parse);
  }

  /** Reads JSON with comments, and with commas before a closing bracket. */
  async jsonc(name: string): Promise<Manifest> {
    const text = this.text(name);
    const isPlain = text === undefined || isJson(text);
    return this.#parse(name, text, 'JSON', isPlain ? JSON.parse : (await import('@jinn/core/text/jsonc')).parseJsonc);
  }

  async toml(name: string): Promise<Manifest> {
    const text = this.text(name);
    if (!text?.trim()) return this.#parse(name, undefined, 'TOML', JSON.parse);
    return this.#parse(name, text, 'TOML', (await import('@jinn/core/text/toml')).parseToml);
  }

  async yaml(name: string): Promise<Manifest> {
    const text = this.text(name, MAX_YAML_BYTES);
    if (text === undefined) return this.#parse(name, undefined, 'YAML', JSON.parse);
    const { parseYaml } = await import('@jinn/core/text/yaml/parse-yaml');
    return this.#parse(name, text, 'YAML', (yaml) => tryIndented(yaml, parseYaml) ?? undefined);
  }

  warn(name: string, sentence: string): void {
    this.#request.warn(`${posix.join(this.path, name)}: ${sentence}`);
  }

  #parse(name: string, text: string | undefined, format: string, parse: (text: string) => unknown): Manifest {
    const where = `${posix.join(this.path, name)}:`;
    let value: unknown;
    try {
      value = text === undefined ? undefined : parse(text);
    } catch {
      this.warn(name, `not valid ${format}`);
    }
    return new Manifest(value, where, this.#request.warn);
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Formatters put a closing bracket at the indent of its key, which the library refuses. */
function tryIndented(yaml: string, read: (text: string) => unknown): unknown {
  try {
    return read(yaml);
  } catch {
    return read(yaml.replace(CLOSING, ' $&'));
  }
}

/** The bytes that may still be read, whether a file did not fit, and the directories that may still be listed. */
export interface Budget {
  left: number;
  isSpent: boolean;
  listings: number;
}

export interface DirectoryRequest {
  /** The directory of the request, as the caller wrote it. */
  readonly top: string;
  readonly path: string;
  readonly warn: WarnFunction;
  /** A budget that many directories share. Without it, only each file is bounded. */
  readonly budget?: Budget | undefined;
}

/** Security: only the workspace follows links, and only regular files are opened. */
function isRegular(
  ctx: ToolContext,
  { top, path, warn }: DirectoryRequest,
  name: string,
  kind: NamedEntry['kind'],
): boolean {
  if (kind === 'file') return true;
  const real = kind === 'link' ? targetOf(ctx, posix.join(top, path, name)) : kind;
  if (real === undefined) warn(`${posix.join(path, name)}: a link that cannot be followed`);
  if (real === 'special') warn(`${posix.join(path, name)}: not a regular file`);
  return real === 'file';
}

/** A large file, or one that cannot be read, is read again when it is needed, which may warn. */
function tryToRead(directory: OpenDirectory): string | undefined {
  let file: OpenFile | undefined;
  try {
    file = directory.openListedFile(USUAL);
    return file.size <= MAX_BYTES ? textOf(file) : undefined;
  } catch {
    return undefined;
  } finally {
    file?.close();
  }
}

function textOf(file: OpenFile): string {
  return file
    .slice(0, file.size)
    .toString()
    .replace(/^\ufeff/, '');
}

/** Returns the kind of file behind a link, or undefined if the link points nowhere, or out of the workspace. */
export function targetOf({ workspace }: ToolContext, link: string): 'file' | 'directory' | 'special' | undefined {
  try {
    return workspace.status(link).kind;
  } catch (error) {
    if (!(error instanceof ToolError) || error.code === 'resource_limit') throw error;
    return undefined;
  }
}
