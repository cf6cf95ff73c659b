import { nearestName, ToolError } from '@jinn/core/errors';
import { type GlobRoot, type GlobRule, PathMatcher, readGlobs } from '@jinn/workspace/walk';
import TYPES from './file-types.json' with { type: 'json' };

/** Chooses files by their names and paths. */
export interface FileFilter {
  readonly from: string;
  matches(directory: string, name: string): boolean;
  /** The same choice as globs that ripgrep reads as we do, or undefined if there are none. */
  readonly nameGlobs: readonly string[] | undefined;
  /** Returns the globs of `include` that have matched no file so far, as the caller wrote them. */
  unmatched(): readonly string[];
}

/** A plain name, or a star and an ending. ripgrep finds no name that ends in a dot. */
const SIMPLE_GLOB = /^(\*(?=\.))?[\w.+-]*[\w+-]$/;

/** Compiles `include` and `type`. Undefined when neither is given. Throws `invalid_glob` and `invalid_args`. */
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
    from: 'include and type',
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
    from: 'include',
    matches: (directory, name) => matcher.matches(directory, name),
    nameGlobs: areNames ? rules.map(({ text }) => text) : undefined,
    unmatched: () => matcher.unmatched(),
  };
}

function compileType(type: string): FileFilter {
  const globs = FILE_TYPES.find(({ names }) => names.includes(type))?.globs;
  if (!globs) {
    const nearest = nearestName(
      type,
      FILE_TYPES.flatMap(({ names }) => names),
    );
    const known = FILE_TYPES.map(({ names }) => names[0]).join(', ');
    throw new ToolError('invalid_args', `unknown file type: ${type.slice(0, 100)}`, {
      suggestion: nearest ? `did you mean ${nearest}?` : `use one of ${known}, or include`,
    });
  }
  const names = new Set(globs.filter((glob) => !glob.startsWith('*')));
  const endings = globs.filter((glob) => glob.startsWith('*')).map((glob) => glob.slice(1));
  return {
    from: 'type',
    matches: (_, name) => names.has(name) || endings.some((ending) => name.endsWith(ending)),
    nameGlobs: globs,
    unmatched: () => [],
  };
}

/** The names of each file type, and its globs: endings, and whole names. */
const FILE_TYPES = Object.entries(TYPES).map(([names, globs]) => ({
  names: names.split(' '),
  globs: globs.split(' '),
}));
