import { nearestName, ToolError } from '@jinn/core/errors';
import { type GlobRoot, type GlobRule, PathMatcher, readGlobs } from '@jinn/workspace/walk';

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
const FILE_TYPES = [
  ['c', '*.c *.h'],
  ['cmake', '*.cmake CMakeLists.txt'],
  ['cpp c++', '*.cc *.cpp *.cxx *.h *.hh *.hpp *.hxx'],
  ['cs csharp', '*.cs'],
  ['css', '*.css *.less *.sass *.scss'],
  ['csv', '*.csv *.tsv'],
  ['dart', '*.dart'],
  ['docker dockerfile', '*.dockerfile Dockerfile Containerfile'],
  ['elixir ex', '*.eex *.ex *.exs *.heex'],
  ['elm', '*.elm'],
  ['erlang', '*.erl *.hrl'],
  ['go golang', '*.go go.mod go.sum'],
  ['graphql gql', '*.gql *.graphql'],
  ['haskell hs', '*.hs *.lhs'],
  ['html htm', '*.htm *.html *.xhtml'],
  ['java', '*.java'],
  ['js javascript jsx', '*.cjs *.js *.jsx *.mjs'],
  ['json', '*.json *.json5 *.jsonc *.jsonl composer.lock'],
  ['julia', '*.jl'],
  ['kotlin kt', '*.kt *.kts'],
  ['log', '*.log'],
  ['lua', '*.lua'],
  ['make makefile', '*.mak *.mk GNUmakefile Makefile makefile'],
  ['markdown md mdx', '*.markdown *.md *.mdx'],
  ['nix', '*.nix'],
  ['ocaml', '*.ml *.mli'],
  ['perl', '*.pl *.pm *.t'],
  ['php', '*.php *.phtml'],
  ['proto', '*.proto'],
  ['py python', '*.py *.pyi *.pyw'],
  ['r', '*.R *.Rmd *.r'],
  ['ruby rb', '*.gemspec *.rake *.rb *.ru Gemfile Rakefile'],
  ['rust rs', '*.rs'],
  ['scala', '*.sbt *.scala'],
  ['sh bash shell', '*.bash *.ksh *.sh *.zsh'],
  ['solidity', '*.sol'],
  ['sql', '*.sql'],
  ['svelte', '*.svelte'],
  ['swift', '*.swift'],
  ['terraform tf', '*.tf *.tfvars'],
  ['toml', '*.toml Cargo.lock poetry.lock uv.lock'],
  ['ts tsx typescript', '*.cts *.mts *.ts *.tsx'],
  ['txt text', '*.txt'],
  ['vue', '*.vue'],
  ['xml', '*.svg *.xml *.xsd *.xsl'],
  ['yaml yml', '*.yaml *.yml'],
  ['zig', '*.zig'],
].map(([names = '', globs = '']) => ({ names: names.split(' '), globs: globs.split(' ') }));
