import { nearestName, ToolError } from '@jinn/core/errors';
import { type GlobRoot, type GlobRule, PathMatcher, readGlobs } from '@jinn/workspace/walk';
import { FILE_TYPES, TYPE_ALIASES } from './file-types.ts';

/** Chooses files by their names and paths. */
export interface FileFilter {
  /** Reports whether a search takes in a file of a directory. */
  matches(directory: string, name: string): boolean;
  /** The same choice as globs that ripgrep reads as we do; undefined if there are none. */
  readonly nameGlobs: readonly string[] | undefined;
  /** Returns the globs of `include` that have matched no file so far, as the caller wrote them. */
  unmatched(): readonly string[];
}

/** A plain name, or a star and an ending. ripgrep finds no name that ends in a dot. */
const SIMPLE_GLOB = /^(\*(?=\.))?[\w.+-]*[\w+-]$/;

/** Compiles `include` and `type`; undefined when neither is given. Throws `invalid_glob` and `invalid_args`. */
export function compileFilter(
  include: string | undefined,
  type: string | undefined,
  roots: readonly GlobRoot[],
): FileFilter | undefined {
  const included = include === undefined ? undefined : compileInclude(include, roots);
  const typed = type === undefined ? undefined : compileType(type);
  if (!included || !typed) return included ?? typed;
  return {
    ...included,
    matches: (directory, name) => typed.matches(directory, name) && included.matches(directory, name),
    nameGlobs: undefined,
  };
}

function compileInclude(include: string, roots: readonly GlobRoot[]): FileFilter {
  const globs = readGlobs(include, roots, ',');
  const matcher = new PathMatcher(globs);
  const rules = globs.flatMap(({ rules }) => rules);
  const isName = (rule: GlobRule) => !rule.anchored && !rule.directoriesOnly && SIMPLE_GLOB.test(rule.text);
  const areNames = rules.length > 0 && rules.every(isName) && !globs.some(({ excludes }) => excludes);
  return {
    matches: (directory, name) => matcher.matches(directory, name),
    nameGlobs: areNames ? rules.map(({ text }) => text) : undefined,
    unmatched: () => matcher.unmatched(),
  };
}

function compileType(type: string): FileFilter {
  const name = Object.hasOwn(TYPE_ALIASES, type) ? (TYPE_ALIASES[type] as string) : type;
  const globs = Object.hasOwn(FILE_TYPES, name) ? FILE_TYPES[name] : undefined;
  if (!globs) {
    const nearest = nearestName(type, [...Object.keys(FILE_TYPES), ...Object.keys(TYPE_ALIASES)]);
    throw new ToolError('invalid_args', `unknown file type: ${type.slice(0, 100)}`, {
      suggestion: nearest ? `did you mean ${nearest}?` : `use one of ${Object.keys(FILE_TYPES).join(', ')}, or include`,
    });
  }
  const names = new Set(globs.filter((glob) => !glob.startsWith('*')));
  const endings = globs.filter((glob) => glob.startsWith('*')).map((glob) => glob.slice(1));
  return {
    matches: (_, name) => names.has(name) || endings.some((ending) => name.endsWith(ending)),
    nameGlobs: globs,
    unmatched: () => [],
  };
}
