import { posix } from 'node:path';
import { type OpenDirectory, type OpenFile, type ToolContext, ToolError } from '@jinn/core';
import { listOpen, type NamedEntry } from '@jinn/walk';
import { Manifest, type Note } from './manifest.ts';
import { isEmptyYaml, readPlainYaml } from './plain-yaml.ts';
import { configFilesIn } from './project-files.ts';
import { targetOf } from './project-links.ts';

const MAX_BYTES = 1024 * 1024;
/** YAML is dear to read. */
const MAX_YAML_BYTES = 256 * 1024;
const MAX_DEPTH = 100;
/** A closing bracket that stands first on its line, and what stands before it. */
const CLOSING = /^[ \t]*[\]}]/gm;
/** Read while the directory is open, since most projects have one and each is asked for it. */
const USUAL = 'package.json';

/** A directory that may be a project, or a member of one: the configuration files in it, and what they hold. */
export class ProjectDirectory {
  /** The path below the directory that was asked for; '' for that one. */
  readonly path: string;
  /** Names of configuration files, sorted: regular ones, and links to such inside the workspace. */
  readonly names: readonly string[];
  /** All that lies in it, sorted by name. */
  readonly listed: readonly NamedEntry[];
  /** The path as the caller would write it. */
  readonly location: string;
  readonly #ctx: ToolContext;
  readonly #note: Note;
  readonly #budget: Budget | undefined;
  /** What USUAL holds, if it could be read at once. */
  readonly #usual: string | undefined;

  private constructor(ctx: ToolContext, { top, path, note, budget }: Place, { listed, names, usual }: Listed) {
    this.#ctx = ctx;
    this.#usual = usual;
    this.path = path;
    this.names = names;
    this.listed = listed;
    this.location = locationOf({ top, path });
    this.#note = note;
    this.#budget = budget;
  }

  /** Throws ToolError when the directory is refused, missing, or none. */
  static open(ctx: ToolContext, place: Place): Promise<ProjectDirectory> {
    return ctx.workspace.withDirectory(locationOf(place), async (directory) =>
      ProjectDirectory.read(ctx, place, directory),
    );
  }

  /** The same of one that is open. */
  static read(ctx: ToolContext, place: Place, directory: OpenDirectory): ProjectDirectory {
    const location = locationOf(place);
    const listed = listOpen(directory, location);
    const hasUsual = listed.some(({ name, kind }) => name === USUAL && kind === 'file');
    const names = configFilesIn(directory, listed, {
      isKept: (name, kind) => isRegular(ctx, place, name, kind),
      leadsToFile: (name) => targetOf(ctx, posix.join(location, name)) === 'file',
      note: (sentence) => place.note(posix.join(place.path, sentence)),
    });
    return new ProjectDirectory(ctx, place, {
      listed,
      names,
      usual: hasUsual && !place.budget?.isSpent ? tryToRead(directory) : undefined,
    });
  }

  /** The name of the directory itself; '.' for the workspace. */
  get baseName(): string {
    return posix.basename(this.location);
  }

  has(...names: readonly string[]): boolean {
    return names.some((name) => this.names.includes(name));
  }

  /** The first of these names that is there. */
  find(...names: readonly string[]): string | undefined {
    return names.find((name) => this.names.includes(name));
  }

  /** What a file holds; undefined when it is not there, and when it cannot be read, which is noted. */
  text(name: string, maxBytes = MAX_BYTES): string | undefined {
    if (!this.names.includes(name) || this.#budget?.isSpent) return undefined;
    const text = name === USUAL && this.#usual !== undefined ? this.#usual : this.#read(name, maxBytes);
    if (this.#budget && text) {
      this.#budget.left -= text.length;
      this.#budget.isSpent = this.#budget.left < 0;
    }
    if (!text?.includes('\0')) return text;
    this.note(name, 'not text in UTF-8');
    return undefined;
  }

  #read(name: string, maxBytes: number): string | undefined {
    try {
      return this.#ctx.workspace.withFile(posix.join(this.location, name), (file) => {
        if (file.size <= maxBytes) return textOf(file);
        this.note(name, `larger than ${maxBytes / 1024} KB, and not read`);
        return undefined;
      });
    } catch (error) {
      if (!(error instanceof ToolError) || error.code === 'resource_limit') throw error;
      this.note(name, error.code.replaceAll('_', ' '));
      return undefined;
    }
  }

  json(name: string): Manifest {
    return this.#parse(name, this.text(name), 'JSON', JSON.parse);
  }

  /** JSON in which comments may stand, and commas before a closing bracket. */
  async jsonc(name: string): Promise<Manifest> {
    const text = this.text(name);
    if (text === undefined || isJson(text)) return this.#parse(name, text, 'JSON', JSON.parse);
    const { default: strip } = await import('strip-json-comments');
    return this.#parse(name, text, 'JSON', (json) => JSON.parse(strip(json, { trailingCommas: true })));
  }

  async toml(name: string): Promise<Manifest> {
    const text = this.text(name);
    if (!text?.trim()) return this.#parse(name, undefined, 'TOML', JSON.parse);
    const { parse } = await import('smol-toml');
    return this.#parse(name, text, 'TOML', (toml) => parse(toml, { maxDepth: MAX_DEPTH }));
  }

  async yaml(name: string): Promise<Manifest> {
    const text = this.text(name, MAX_YAML_BYTES);
    if (text === undefined || isEmptyYaml(text)) return this.#parse(name, undefined, 'YAML', JSON.parse);
    const plain = readPlainYaml(text);
    if (plain !== undefined) return this.#parse(name, text, 'YAML', () => plain);
    const { load, CORE_SCHEMA, mergeTag } = await import('js-yaml');
    const options = { maxDepth: MAX_DEPTH, schema: CORE_SCHEMA.withTags(mergeTag) };
    const read = (yaml: string) => load(yaml, options);
    return this.#parse(name, text, 'YAML', (yaml) => tryIndented(yaml, read));
  }

  /** Says of a file what is wrong with it. */
  note(name: string, sentence: string): void {
    this.#note(`${posix.join(this.path, name)}: ${sentence}`);
  }

  #parse(name: string, text: string | undefined, format: string, parse: (text: string) => unknown): Manifest {
    const where = `${posix.join(this.path, name)}:`;
    let value: unknown;
    try {
      value = text === undefined ? undefined : parse(text);
    } catch {
      this.note(name, `not valid ${format}`);
    }
    return new Manifest(value, where, this.#note);
  }
}

function locationOf({ top, path }: Pick<Place, 'top' | 'path'>): string {
  return posix.join(top, path);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Formatters put a closing bracket at the indent of its key, which the library refuses, and most programs do not. */
function tryIndented(yaml: string, read: (text: string) => unknown): unknown {
  try {
    return read(yaml);
  } catch {
    return read(yaml.replace(CLOSING, ' $&'));
  }
}

interface Listed {
  readonly listed: readonly NamedEntry[];
  readonly names: readonly string[];
  readonly usual: string | undefined;
}

/** How much may still be read, in bytes, and whether something was not. */
export interface Budget {
  left: number;
  isSpent: boolean;
}

export interface Place {
  /** The directory that was asked for, as the caller wrote it. */
  readonly top: string;
  /** The path below it. */
  readonly path: string;
  readonly note: Note;
  /** Shared by many directories; without one, only each file is bounded. */
  readonly budget?: Budget | undefined;
}

/** Security: a link is followed by the workspace alone, and nothing but a regular file is ever opened. */
function isRegular(ctx: ToolContext, { top, path, note }: Place, name: string, kind: NamedEntry['kind']): boolean {
  if (kind === 'file') return true;
  const real = kind === 'link' ? targetOf(ctx, posix.join(top, path, name)) : kind;
  if (real === undefined) note(`${posix.join(path, name)}: a link that cannot be followed`);
  if (real === 'special') note(`${posix.join(path, name)}: not a regular file`);
  return real === 'file';
}

/** Undefined when it cannot be read, or is large: then it is read, and noted, when it is asked for. */
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
