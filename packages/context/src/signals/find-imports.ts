import { posix } from 'node:path';

/** How much of a file is searched, since imports stand at the top. */
const SEARCHED = 64 * 1024;
/** The most names of one import that may be modules. Each takes as much memory as the name of its module. */
const MOST_INSIDE = 100;

/** A file that another one imports, by the name that it has there: a path without an extension. */
export interface FileReference {
  readonly path: string;
  /** True for a path from the root. False for the end of a path, such as `serena/agent` of `src/serena/agent.py`. */
  readonly isExact: boolean;
}

/** Finds what a source file imports. The patterns are bounded: they take time that is linear in the text. */
export function findImports(path: string, content: Buffer): FileReference[] {
  const finder = FINDERS.find(({ extensions }) => extensions.test(path))?.find;
  return finder ? finder(content.toString('latin1', 0, SEARCHED), path) : [];
}

const SCRIPT =
  /(?:^|[\s;}])(?:import|export)\s{1,20}(?:[^'";]{0,500}?\sfrom\s{0,20})?['"]([^'"\n]{1,200})['"]|\b(?:require|import)\(\s{0,20}['"]([^'"\n]{1,200})['"]/g;
const PYTHON = /^[ \t]*(?:from[ \t]+([.\w]{1,200})[ \t]+import[ \t]+([\w, \t]*)|import[ \t]+([\w., \t]+))/gm;
const RUST = /^[ \t]*(?:pub(?:\([^)\n]{0,40}\))?[ \t]+)?(?:use[ \t]+([\w:]+)|mod[ \t]+(\w+)[ \t]*;)/gm;
const GO = /^[ \t]*(?:import[ \t]+)?(?:[\w.]+[ \t]+)?"([\w./-]{1,200})"[ \t\r]*$/gm;
const JVM = /^[ \t]*import[ \t]+(?:static[ \t]+)?([\w.]+)/gm;
const C = /^[ \t]*#[ \t]*(?:include|import)[ \t]*[<"]([^>"\n]{1,200})[>"]/gm;
const RUBY = /^[ \t]*require(_relative)?[ \t(]{0,9}['"]([^'"\n]{1,200})['"]/gm;
const PHP = /^[ \t]*use[ \t]+(?:function[ \t]+|const[ \t]+)?([\w\\]+)/gm;
const ELIXIR = /^[ \t]*(?:alias|import|use|require)[ \t]+([A-Z][\w.]*)/gm;
const LUA = /\brequire[ \t]{0,9}\(?[ \t]{0,9}['"]([\w./-]{1,200})['"]/g;

const FINDERS: readonly {
  readonly extensions: RegExp;
  readonly find: (text: string, path: string) => FileReference[];
}[] = [
  {
    extensions: /\.(?:[cm]?[jt]sx?|vue|svelte|astro|dart|sol)$/,
    find: (text, path) => matches(text, SCRIPT).map(([, from, called]) => named(from ?? called ?? '', path)),
  },
  {
    extensions: /\.pyi?$/,
    find: (text, path) =>
      matches(text, PYTHON).flatMap(([, from, names = '', modules = '']) =>
        from === undefined ? modules.split(',').map((module) => dotted(module.trim())) : pythonFrom(from, names, path),
      ),
  },
  { extensions: /\.rs$/, find: (text, path) => matches(text, RUST).map(([, use, mod]) => rust(use, mod, path)) },
  { extensions: /\.go$/, find: (text) => matches(text, GO).map(([, name = '']) => suffix(lastNames(name, 2))) },
  {
    extensions: /\.(?:java|kts?|scala|groovy)$/,
    find: (text) => matches(text, JVM).map(([, name = '']) => suffix(lastNames(name.replaceAll('.', '/'), 3))),
  },
  {
    extensions: /\.(?:c|cc|cpp|cxx|h|hh|hpp|hxx|m|mm)$/,
    find: (text) => matches(text, C).map(([, name = '']) => suffix(withoutExtension(name))),
  },
  {
    extensions: /\.rb$/,
    find: (text, path) =>
      matches(text, RUBY).map(([, relative, name = '']) => (relative ? named(`./${name}`, path) : suffix(name))),
  },
  {
    extensions: /\.php$/,
    find: (text) => matches(text, PHP).map(([, name = '']) => suffix(lastNames(name.replaceAll('\\', '/'), 2))),
  },
  {
    extensions: /\.exs?$/,
    find: (text) =>
      matches(text, ELIXIR).map(([, name = '']) =>
        suffix(
          name
            .replaceAll('.', '/')
            .replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_')
            .toLowerCase(),
        ),
      ),
  },
  {
    extensions: /\.lua$/,
    find: (text) => matches(text, LUA).map(([, name = '']) => suffix(name.replaceAll('.', '/'))),
  },
];

function matches(text: string, pattern: RegExp): RegExpExecArray[] {
  return [...text.matchAll(pattern)];
}

function suffix(path: string): FileReference {
  return { path, isExact: false };
}

function named(specifier: string, path: string): FileReference {
  const plain = withoutExtension(specifier.replace(/[?#].*$/s, ''));
  if (plain.startsWith('.')) return { path: posix.join(posix.dirname(path), plain), isExact: true };
  // A bare name is a package, which is mostly not in the tree. One with a scope may be another part of the project.
  return suffix(plain.includes('/') ? plain.replace(/^(?:[@~#]?\/|package:[^/]+\/|@[^/]+\/)/, '') : '');
}

function dotted(module: string): FileReference {
  return suffix((module.split(/\s/)[0] ?? '').replaceAll('.', '/'));
}

/** Returns the modules that `from a.b import c` may mean: the module a/b, or the module a/b/c. */
function pythonFrom(from: string, names: string, path: string): FileReference[] {
  const dots = /^\.*/.exec(from)?.[0].length ?? 0;
  const module = from.slice(dots).replaceAll('.', '/');
  const base = dots === 0 ? module : posix.join(posix.dirname(path), '../'.repeat(dots - 1), module);
  const inside = names.split(',', MOST_INSIDE).map((name) => name.trim().split(/\s/)[0] ?? '');
  return [base, ...inside.filter(Boolean).map((name) => `${base}/${name}`)].map((found) => ({
    path: found,
    isExact: dots > 0,
  }));
}

function rust(use: string | undefined, mod: string | undefined, path: string): FileReference {
  const { dir, name } = posix.parse(path);
  const own = name === 'mod' || name === 'lib' || name === 'main' ? dir : posix.join(dir, name);
  if (mod !== undefined) return { path: posix.join(own, mod), isExact: true };
  const [first = '', ...rest] = (use ?? '').split('::').filter(Boolean);
  const modules = rest.filter((part) => /^[a-z]/.test(part)).join('/');
  if (first === 'super') return { path: posix.join(posix.dirname(own), modules), isExact: true };
  if (first === 'self') return { path: posix.join(own, modules), isExact: true };
  return suffix(modules === '' ? first : modules);
}

function lastNames(path: string, count: number): string {
  return path.split('/').slice(-count).join('/');
}

/** Drops an extension of a source file. Others may be a part of the name, as in `user.service`. */
export function withoutExtension(path: string): string {
  return path.replace(
    /\.(?:d\.ts|[cm]?[jt]sx?|vue|svelte|astro|dart|sol|pyi?|rs|go|java|kts?|scala|groovy|c|cc|cpp|cxx|h|hh|hpp|hxx|m|mm|rb|php|exs?|lua)$/,
    '',
  );
}
