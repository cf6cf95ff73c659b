import { isBuiltin } from 'node:module';
import path from 'node:path';
import { ToolError, type Workspace } from '@jinn/core';
import { STANDARD_MODULES } from './standard-modules.ts';

/**
 * What an import names: files of the workspace, one of which it is; something outside of it; or what cannot be told, such
 * as an alias of a bundler or a file that git ignores.
 */
export type Imported = readonly string[] | 'foreign' | 'unknown';

const SCRIPT_ENDINGS = 'ts tsx d.ts mts cts d.mts d.cts js jsx mjs cjs vue svelte'.split(' ');
/** What scripts import that declares no names. */
const ASSET = /\.(?:css|scss|sass|less|styl|json|svg|png|jpe?g|gif|webp|avif|woff2?|html|txt|md|wasm|node)$/;
const PACKAGE = /^(@[\w.-]+\/)?[\w.-]+(?=\/|$)/;

/** Stands among the files that an import may name for something outside of the workspace. No file has this path. */
const OUTSIDE = '';
/** Directories that projects put on the path of Python, beside that of the importing file. */
const PYTHON_ROOTS = ['', 'src', 'lib'];

/** The files of a workspace, as imports name them. */
export class ModuleFiles {
  readonly #workspace: Workspace;
  readonly #paths: ReadonlySet<string>;
  /** The paths by how they end, made when the first is sought. */
  #byEnd: ReadonlyMap<string, readonly string[]> | undefined;

  /** Takes the paths of all source files, below the workspace root. */
  constructor(workspace: Workspace, paths: Iterable<string>) {
    this.#workspace = workspace;
    this.#paths = new Set(paths);
  }

  /** Returns what `from 'specifier'` in a file of JavaScript or TypeScript names. */
  ofScript(from: string, specifier: string): Imported {
    if (isBuiltin(specifier)) return 'foreign';
    if (!/^\.\.?(?:\/|$)/.test(specifier)) return this.#isInstalled(from, specifier) ? 'foreign' : 'unknown';
    if (ASSET.test(specifier)) return 'foreign';
    const base = path.posix.join(path.posix.dirname(from), specifier).replace(/^\.\/|^\.$|\/$/g, '');
    const bare = base.replace(/\.[mc]?jsx?$/, '');
    const names = new Set([base, ...[base, bare, join(base, 'index')].flatMap(withEndings)]);
    return this.#known([...names]);
  }

  /** Returns what `from module import` or `import module` in a file of Python names: `a.b`, `.b`, `..`. */
  ofPython(from: string, module: string): Imported {
    const dots = /^\.*/.exec(module)?.[0].length ?? 0;
    const inner = module.slice(dots).split('.').filter(Boolean).join('/');
    if (dots > 0) {
      const base = path.posix.join(path.posix.dirname(from), '../'.repeat(dots - 1), inner);
      return this.#known(pythonNames(base.replace(/^\.$|\/$/g, '')));
    }
    return this.#ofAbsolute(from, inner);
  }

  /** Takes the path of a module, as `a/b`. */
  #ofAbsolute(from: string, inner: string): Imported {
    const ends = pythonNames(inner);
    const files = ends.flatMap((end) => this.#endingIn(end));
    const own = path.posix.dirname(from).replace(/^\.$/, '');
    const isPackage = pythonNames(own).some((name) => name.includes('__init__') && this.#paths.has(name));
    const roots = isPackage ? PYTHON_ROOTS : [...PYTHON_ROOTS, own];
    const near = files.filter((file) => roots.some((root) => ends.some((end) => file === join(root, end))));
    const isStandard = STANDARD_MODULES.has(inner.split('/')[0] as string);
    const candidates = isStandard ? near : files;
    if (candidates.length === 0) return 'foreign';
    // Which other directories Python looks in is not known, nor whether it looks in them before its own library. What
    // stands beside the importing file at the top of the workspace comes first.
    const isSure = isStandard ? own === '' && !isPackage && near.some((file) => ends.includes(file)) : near.length > 0;
    return isSure ? candidates : [...candidates, OUTSIDE];
  }

  #endingIn(end: string): readonly string[] {
    this.#byEnd ??= groupByEnd(this.#paths);
    return (this.#byEnd.get(endOf(end)) ?? []).filter((file) => file === end || file.endsWith(`/${end}`));
  }

  #known(names: readonly string[]): Imported {
    const files = names.filter((name) => this.#paths.has(name));
    return files.length > 0 ? files : 'unknown';
  }

  /** True for a package below node_modules that is not a link to a package of the workspace. */
  #isInstalled(from: string, specifier: string): boolean {
    const name = PACKAGE.exec(specifier)?.[0];
    if (name === undefined) return false;
    for (let directory = path.posix.dirname(from); ; directory = path.posix.dirname(directory)) {
      const found = this.#resolve(`./${directory}/node_modules/${name}`);
      if (found !== undefined) return /(?:^|\/)node_modules\//.test(found);
      if (directory === '.') return false;
    }
  }

  #resolve(asked: string): string | undefined {
    try {
      return this.#workspace.status(asked).path;
    } catch (error) {
      if (error instanceof ToolError) return undefined;
      throw error;
    }
  }
}

function groupByEnd(paths: Iterable<string>): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const path of paths) {
    const group = groups.get(endOf(path));
    if (group) group.push(path);
    else groups.set(endOf(path), [path]);
  }
  return groups;
}

/** The name of a file; with its directory if that is a package of Python, of which there are many of one name. */
function endOf(file: string): string {
  return /(?:[^/]*\/)?__init__\.pyi?$|[^/]*$/.exec(file)?.[0] ?? '';
}

function join(base: string, name: string): string {
  return base === '' ? name : `${base}/${name}`;
}

function withEndings(base: string): string[] {
  return SCRIPT_ENDINGS.map((ending) => `${base}.${ending}`);
}

function pythonNames(base: string): string[] {
  const modules = base === '' ? [] : [`${base}.py`, `${base}.pyi`];
  return [...modules, join(base, '__init__.py'), join(base, '__init__.pyi')];
}
