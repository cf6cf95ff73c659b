import { nearestName, ToolError } from '@jinn/errors';
import { compilePathPattern, splitGlobs } from '@jinn/walk';
import { FILE_TYPES, TYPE_ALIASES } from './file-types.ts';

/** Chooses files by their names and paths. */
export interface FileFilter {
  matches(file: { readonly name: string; readonly path: string }): boolean;
  /** The same choice as globs that ripgrep reads as we do; undefined if there are none. */
  readonly nameGlobs: readonly string[] | undefined;
}

/** A plain name, or a star and an ending. */
const SIMPLE_GLOB = /^(\*(?=\.))?[\w.+-]+$/;

/** Compiles `include` and `type`; undefined when neither is given. Throws `invalid_glob` and `invalid_args`. */
export function compileFilter(include: string | undefined, type: string | undefined): FileFilter | undefined {
  const filters = [
    ...(include === undefined ? [] : [compileInclude(include)]),
    ...(type === undefined ? [] : [compileType(type)]),
  ];
  const [only] = filters;
  if (filters.length <= 1) return only;
  return { matches: (file) => filters.every((filter) => filter.matches(file)), nameGlobs: undefined };
}

function compileInclude(include: string): FileFilter {
  const globs = splitGlobs(include);
  const patterns = globs.map(compilePathPattern);
  return {
    matches: (file) => patterns.some(({ matches }) => matches(file)),
    nameGlobs: globs.every((glob) => SIMPLE_GLOB.test(glob)) ? globs : undefined,
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
    matches: ({ name }) => names.has(name) || endings.some((ending) => name.endsWith(ending)),
    nameGlobs: globs,
  };
}
