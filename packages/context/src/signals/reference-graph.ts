import { posix } from 'node:path';
import { type FileReference, withoutExtension } from './find-imports.ts';
import { hashName, type SourceNames } from './find-names.ts';

/** If more files declare a name, its uses mean none of them. */
const MOST_DECLARING = 2;
/** If a larger share of the files uses a name, it is a word of the language. */
const MOST_USING = 0.5;
const FEW_FILES = 12;
/** Extensions of one language, or of languages that use each other's files. */
const [SCRIPTS, PYTHON] = [/\.(?:[cm]?[jt]sx?|vue|svelte|astro)$/, /\.pyi?$/];
const FAMILIES: readonly RegExp[] = [
  SCRIPTS,
  PYTHON,
  /\.(?:c|cc|cpp|cxx|h|hh|hpp|hxx|m|mm|y|l)$/,
  /\.(?:java|kts?|scala|groovy)$/,
];

/** Families of languages in which a file can only use names of modules that it imports. */
const IMPORTING: ReadonlySet<string> = new Set([SCRIPTS, PYTHON].map((family) => String(FAMILIES.indexOf(family))));
/** The most imports by which a name may arrive, such as through an index that exports what it imports. */
const MOST_IMPORTS = 2;

/** The signals about other files in the text of a source file. */
export interface SourceSignals {
  readonly imports: readonly FileReference[];
  readonly names: SourceNames;
}

/** The uses between files: by imports, and by names that one file declares and another has. */
export class ReferenceGraph {
  readonly #uses = new Map<string, Set<string>>();
  readonly #users = new Map<string, Set<string>>();

  constructor(sources: ReadonlyMap<string, SourceSignals>) {
    const modules = new Modules(sources.keys());
    for (const [path, { imports }] of sources) {
      for (const reference of imports) for (const target of modules.find(reference)) this.#add(path, target);
    }
    this.#addNames(sources);
  }

  usesOf(path: string): ReadonlySet<string> {
    return this.#uses.get(path) ?? new Set();
  }

  usersOf(path: string): ReadonlySet<string> {
    return this.#users.get(path) ?? new Set();
  }

  #addNames(sources: ReadonlyMap<string, SourceSignals>): void {
    const declaring = findDeclaring(sources);
    const families = new Map(Array.from(sources.keys(), (path) => [path, familyOf(path)]));
    const most = Math.max(FEW_FILES, sources.size * MOST_USING);
    const imported = new ImportedModules(this.#uses);
    const named: [user: string, used: string][] = [];
    for (const [hash, users] of findUsers(sources, declaring)) {
      if (users.length > most) continue;
      for (const target of declaring.get(hash) ?? []) {
        const family = families.get(target) ?? '';
        for (const user of users) {
          if (families.get(user) !== family) continue;
          if (!IMPORTING.has(family) || imported.has(user, target)) named.push([user, target]);
        }
      }
    }
    for (const [user, used] of named) this.#add(user, used);
  }

  #add(user: string, used: string): void {
    if (user === used) return;
    append(this.#uses, user, used);
    append(this.#users, used, user);
  }
}

/** The modules that a file imports, by itself or through others. */
class ImportedModules {
  readonly #imports: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #known = new Map<string, ReadonlySet<string>>();

  constructor(imports: ReadonlyMap<string, ReadonlySet<string>>) {
    this.#imports = imports;
  }

  has(user: string, module: string): boolean {
    const known = this.#known.get(user) ?? this.#collect(user);
    this.#known.set(user, known);
    return known.has(module);
  }

  #collect(user: string): ReadonlySet<string> {
    const found = new Set([user]);
    for (let i = 0; i < MOST_IMPORTS; i++) {
      for (const module of [...found]) for (const next of this.#imports.get(module) ?? []) found.add(next);
    }
    return found;
  }
}

function findDeclaring(sources: ReadonlyMap<string, SourceSignals>): ReadonlyMap<number, readonly string[]> {
  const declaring = new Map<number, string[]>();
  for (const [path, { names }] of sources) for (const name of names.declared) pushTo(declaring, hashName(name), path);
  for (const [hash, paths] of declaring) if (paths.length > MOST_DECLARING) declaring.delete(hash);
  return declaring;
}

function findUsers(
  sources: ReadonlyMap<string, SourceSignals>,
  declaring: ReadonlyMap<number, readonly string[]>,
): ReadonlyMap<number, readonly string[]> {
  const users = new Map<number, string[]>();
  for (const [path, { names }] of sources) {
    for (const hash of names.used) {
      const paths = declaring.get(hash);
      if (paths && (paths[0] !== path || paths.length > 1)) pushTo(users, hash, path);
    }
  }
  return users;
}

function familyOf(path: string): string {
  const family = FAMILIES.findIndex((pattern) => pattern.test(path));
  return family >= 0 ? String(family) : path.slice(path.lastIndexOf('.'));
}

function append(map: Map<string, Set<string>>, key: string, value: string): void {
  const known = map.get(key);
  if (known) known.add(value);
  else map.set(key, new Set([value]));
}

/** Adds a value to the list of a key. */
export function pushTo<K>(map: Map<K, string[]>, key: K, value: string): void {
  const known = map.get(key);
  if (known) known.push(value);
  else map.set(key, [value]);
}

/** If more files share an end of a path, it names none of them. */
const MOST_SHARING = 3;
/** More files are not kept under one name. */
const MOST_OF_ONE_NAME = 65;
const MOST_NAMES = 6;
/** Files that stand for the directory that they are in. */
const STANDS_FOR_DIRECTORY = /(?:^|\/)(?:index|__init__|mod|lib|main)$/;

/** Source files by the names under which others import them. */
class Modules {
  readonly #exact = new Map<string, string[]>();
  readonly #suffixes = new Map<string, string[]>();

  constructor(paths: Iterable<string>) {
    for (const path of paths) {
      const module = withoutExtension(path);
      this.#add(module, path);
      if (STANDS_FOR_DIRECTORY.test(module)) this.#add(posix.dirname(module).replace(/\/src$/, ''), path);
      // In Go, a directory is a module, and the file with its name says most about it.
      if (path.endsWith('.go') && !path.endsWith('_test.go')) this.#add(posix.dirname(module), path);
    }
  }

  find({ path, isExact }: FileReference): readonly string[] {
    const found = (isExact ? this.#exact : this.#suffixes).get(path) ?? [];
    return found.length > MOST_SHARING && !found.every((file) => posix.dirname(file) === path) ? [] : found;
  }

  #add(module: string, path: string): void {
    pushFirst(this.#exact, module, path);
    const names = module.split('/');
    for (let i = Math.max(0, names.length - MOST_NAMES); i < names.length; i++) {
      pushFirst(this.#suffixes, names.slice(i).join('/'), path);
    }
  }
}

function pushFirst(map: Map<string, string[]>, key: string, value: string): void {
  if ((map.get(key)?.length ?? 0) < MOST_OF_ONE_NAME) pushTo(map, key, value);
}
