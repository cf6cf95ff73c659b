import { posix } from 'node:path';
import { ToolError } from '@jinn/core/errors';
import type { UserFiles, Workspace } from '../guard/index.ts';
import { globRoots, PathMatcher, parseRules, type Rule, RuleList, readGlobs } from '../walk/index.ts';
import { toBytes } from '../walk/rules/rule-file.ts';

const MAX_BYTES = 1024 * 1024;
const ATTRIBUTE = 'working-tree-encoding';

/** The places in which a project and its user name the encodings of files. */
export interface EncodingSources {
  readonly workspace: Workspace;
  readonly user: Pick<UserFiles, 'state'>;
}

interface Attributes {
  readonly depth: number;
  readonly rules: RuleList<Rule & { readonly encoding: string | undefined }>;
}

/** Looks up what `.editorconfig`, `.gitattributes` and the settings say of files. It reads each of them once. */
export class ProjectEncodings {
  readonly #sources: EncodingSources;
  readonly #editorConfigs = new Map<string, Buffer | undefined>();
  readonly #parsed = new Map();
  readonly #attributes = new Map<string, Attributes | undefined>();
  #settings: readonly (readonly [PathMatcher, string])[] | undefined;

  constructor(sources: EncodingSources) {
    this.#sources = sources;
  }

  /** Returns the names that stand for a path below the workspace root, the one that counts first. */
  async find(path: string): Promise<string[]> {
    const names = posix.dirname(path) === '.' ? [] : posix.dirname(path).split('/');
    const directories = ['.', ...names.map((_, i) => names.slice(0, i + 1).join('/'))];
    const found = [
      await this.#inEditorConfig(path, directories),
      this.#inAttributes(path, directories),
      this.#inSettings(path),
    ];
    return found.filter((name) => name !== undefined);
  }

  async #inEditorConfig(path: string, directories: readonly string[]): Promise<string | undefined> {
    const files = directories.toReversed().flatMap((directory) => {
      const name = posix.join('/', directory, '.editorconfig');
      const contents = once(this.#editorConfigs, name, () => this.#read(name));
      return contents === undefined ? [] : [{ name, contents }];
    });
    if (files.length === 0) return undefined;
    const { parseFromFilesSync } = await import('editorconfig');
    const { charset } = parseFromFilesSync(`/${path}`, files, { cache: this.#parsed });
    return typeof charset === 'string' ? charset.replace(/^latin1$/, 'windows-1252') : undefined;
  }

  #inAttributes(path: string, directories: readonly string[]): string | undefined {
    const parents = directories.slice(1).map((directory) => toBytes(posix.basename(directory)));
    const name = toBytes(posix.basename(path));
    for (const [depth, directory] of [...directories.entries()].reverse()) {
      const known = once(this.#attributes, directory, () => this.#readAttributes(directory, depth));
      const rule = known?.rules.find({ directory: parents, depth }, name, false);
      if (rule) return rule.encoding;
    }
    return undefined;
  }

  #readAttributes(directory: string, depth: number): Attributes | undefined {
    const lines =
      this.#read(posix.join('/', directory, '.gitattributes'))
        ?.toString('latin1')
        .split('\n') ?? [];
    const rules = lines.flatMap((line) => {
      const [, quoted, plain, attributes = ''] = /^(?:"(.*?)"|(\S+))\s+(.*)/.exec(line) ?? [];
      const values = [...attributes.matchAll(/(?:^|\s)[-!]?working-tree-encoding(?:=(\S+))?(?=\s|$)/g)];
      const value = values.at(-1);
      if (value === undefined) return [];
      const { rules: one } = parseRules(Buffer.from(quoted ?? plain ?? '', 'latin1'), ATTRIBUTE, 'includes');
      return one.map((rule) => ({ ...rule, encoding: value[1] }));
    });
    return rules.length > 0 ? { depth, rules: new RuleList(rules) } : undefined;
  }

  #inSettings(path: string): string | undefined {
    this.#settings ??= this.#readSettings();
    return this.#settings.find(([matcher]) => matcher.matches(posix.dirname(path), posix.basename(path)))?.[1];
  }

  /** Invalid settings are reported by the tools that depend on them. */
  #readSettings(): (readonly [PathMatcher, string])[] {
    const roots = globRoots(this.#sources.workspace);
    try {
      const bytes = this.#sources.user.state.read('config.json', { maxBytes: 4 * MAX_BYTES });
      const { encodings = {} } = JSON.parse(bytes?.toString() ?? '{}') as { encodings?: Record<string, string> };
      return Object.entries(encodings).map(([glob, name]) => [new PathMatcher(readGlobs(glob, roots), true), name]);
    } catch {
      return [];
    }
  }

  #read(path: string): Buffer | undefined {
    try {
      return this.#sources.workspace.withFile(`.${path}`, (file) => file.slice(0, Math.min(file.size, MAX_BYTES)));
    } catch (error) {
      if (error instanceof ToolError) return undefined;
      throw error;
    }
  }
}

function once<V>(known: Map<string, V>, key: string, make: () => V): V {
  if (!known.has(key)) known.set(key, make());
  return known.get(key) as V;
}
