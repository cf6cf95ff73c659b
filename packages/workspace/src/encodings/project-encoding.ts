import { posix } from 'node:path';
import { ToolError } from '@jinn/core/errors';
import type { StateFiles, Workspace } from '../guard/index.ts';
import {
  cleanNames,
  type GlobRoot,
  globRoots,
  NO_ENTRIES,
  PathMatcher,
  parseRules,
  type Rule,
  RuleList,
  readGlobs,
} from '../walk/index.ts';
import { toBytes } from '../walk/rules/rule-file.ts';

/** Of all `.editorconfig` and `.gitattributes` that a call reads: their patterns are compiled and tried one by one. */
const MAX_BYTES = 256 * 1024;
const MAX_SETTINGS_BYTES = 4 * 1024 * 1024;
const NEWLINES: Readonly<Record<string, ProjectStyle['newline']>> = { lf: '\n', crlf: '\r\n', cr: '\r' };
type AttributeName = 'working-tree-encoding' | 'eol';
type PropertyName = 'charset' | 'end_of_line' | 'insert_final_newline';

/** The places in which a project and its user name the encodings of files. */
export interface EncodingSources {
  readonly workspace: Workspace;
  readonly user: { readonly state: Pick<StateFiles, 'read'> };
}

interface Attributes {
  readonly depth: number;
  readonly rules: RuleList<Rule & { readonly value: string | undefined }>;
}

interface EditorConfig {
  readonly isRoot: boolean;
  /** In the order of the file. The last one that matches counts. */
  readonly rules: readonly PropertyRule[];
}

interface PropertyRule {
  readonly matcher: PathMatcher;
  readonly name: string;
  readonly value: string;
}

/** What a project wants of the text of a file, as far as it says. */
export interface ProjectStyle {
  readonly newline: '\n' | '\r\n' | '\r' | undefined;
  readonly endsInNewline: boolean | undefined;
}

/** Looks up what `.editorconfig`, `.gitattributes` and the settings say of files. It reads each of them once. */
export class ProjectEncodings {
  readonly #sources: EncodingSources;
  readonly #editorConfigs = new Map<string, EditorConfig>();
  readonly #attributes = new Map<string, Attributes | undefined>();
  #settings: readonly (readonly [PathMatcher, string])[] | undefined;
  #left = MAX_BYTES;

  constructor(sources: EncodingSources) {
    this.#sources = sources;
  }

  /** Returns the names that stand for a path below the workspace root, the one that counts first. */
  find(path: string): string[] {
    const found = [
      this.#inEditorConfig(path, 'charset')?.replace(/^latin1$/, 'windows-1252'),
      this.#inAttributes(path, 'working-tree-encoding'),
      this.#inSettings(path),
    ];
    return found.filter((name) => name !== undefined);
  }

  style(path: string): ProjectStyle {
    const newline = NEWLINES[this.#inEditorConfig(path, 'end_of_line') ?? ''];
    const ends = this.#inEditorConfig(path, 'insert_final_newline');
    return {
      newline: newline ?? NEWLINES[this.#inAttributes(path, 'eol') ?? ''],
      endsInNewline: ends === 'true' || ends === 'false' ? ends === 'true' : undefined,
    };
  }

  #inEditorConfig(path: string, name: PropertyName): string | undefined {
    for (const directory of directoriesOf(path).toReversed()) {
      const { isRoot, rules } = once(this.#editorConfigs, directory, () =>
        readEditorConfig(this.#read(posix.join('/', directory, '.editorconfig'))?.toString() ?? '', directory),
      );
      const rule = rules.findLast(
        (each) => each.name === name && each.matcher.matches(posix.dirname(path), posix.basename(path)),
      );
      if (rule) return rule.value;
      if (isRoot) return undefined;
    }
    return undefined;
  }

  #inAttributes(path: string, attribute: AttributeName): string | undefined {
    const directories = directoriesOf(path);
    const parents = directories.slice(1).map((directory) => toBytes(posix.basename(directory)));
    const name = toBytes(posix.basename(path));
    for (const [depth, directory] of [...directories.entries()].reverse()) {
      const known = once(this.#attributes, `${attribute} ${directory}`, () =>
        this.#readAttributes(directory, depth, attribute),
      );
      const rule = known?.rules.find({ directory: parents, depth }, name, false);
      if (rule) return rule.value;
    }
    return undefined;
  }

  #readAttributes(directory: string, depth: number, attribute: AttributeName): Attributes | undefined {
    const assignment = new RegExp(`(?:^|\\s)[-!]?${attribute}(?:=(\\S+))?(?=\\s|$)`, 'g');
    const lines =
      this.#read(posix.join('/', directory, '.gitattributes'))
        ?.toString('latin1')
        .split('\n') ?? [];
    const rules = lines.flatMap((line) => {
      const [, quoted, plain, attributes = ''] = /^(?:"(.*?)"|(\S+))\s+(.*)/.exec(line) ?? [];
      const values = [...attributes.matchAll(assignment)];
      const value = values.at(-1);
      if (value === undefined) return [];
      const { rules: one } = parseRules(Buffer.from(quoted ?? plain ?? '', 'latin1'), attribute, 'includes');
      return one.map((rule) => ({ ...rule, value: value[1] }));
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
      const bytes = this.#sources.user.state.read('config.json', { maxBytes: MAX_SETTINGS_BYTES });
      const { encodings = {} } = JSON.parse(bytes?.toString() ?? '{}') as { encodings?: Record<string, string> };
      return Object.entries(encodings).map(([glob, name]) => [new PathMatcher(readGlobs(glob, roots), true), name]);
    } catch {
      return [];
    }
  }

  #read(path: string): Buffer | undefined {
    try {
      const content = this.#sources.workspace.withFile(`.${path}`, (file) =>
        file.slice(0, Math.min(file.size, this.#left)),
      );
      this.#left -= content.length;
      return content;
    } catch (error) {
      if (error instanceof ToolError) return undefined;
      throw error;
    }
  }
}

/** A longer line has no setting. The expressions take time quadratic in the length of a line. */
const MAX_LINE = 1_000;
const SECTION = /^\s*\[(.*)\]\s*(?:[#;].*)?$/;
const PAIR = /^\s*(root|charset|end_of_line|insert_final_newline)\s*[=:]\s*(\S*)\s*(?:[#;].*)?$/i;

function readEditorConfig(text: string, directory: string): EditorConfig {
  const root = { ...NO_ENTRIES, base: cleanNames(directory) ?? [] };
  const rules: PropertyRule[] = [];
  let isRoot = false;
  let glob: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    if (line.length > MAX_LINE) continue;
    glob = SECTION.exec(line)?.[1] ?? glob;
    const [, key, given = ''] = PAIR.exec(line) ?? [];
    if (key === undefined) continue;
    const [name, value] = [key.toLowerCase(), given.toLowerCase()];
    if (glob === undefined) isRoot ||= name === 'root' && value === 'true';
    else rules.push(...matcherOf(glob, root).map((matcher) => ({ matcher, name, value })));
  }
  return { isRoot, rules };
}

/** None for a glob with more than a few wildcards. */
function matcherOf(glob: string, root: GlobRoot): PathMatcher[] {
  try {
    // Two stars also stand for a part of a path.
    return [new PathMatcher(readGlobs(glob.replace(/\*\*(?=[^/*])/g, '**/*'), [root]))];
  } catch {
    return [];
  }
}

/** Returns the directories above a path, the root first. */
function directoriesOf(path: string): string[] {
  const names = posix.dirname(path) === '.' ? [] : posix.dirname(path).split('/');
  return ['.', ...names.map((_, i) => names.slice(0, i + 1).join('/'))];
}

function once<V>(known: Map<string, V>, key: string, make: () => V): V {
  if (!known.has(key)) known.set(key, make());
  return known.get(key) as V;
}
