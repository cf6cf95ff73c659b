import type { Reference } from './find-imports.ts';
import { type FileNames, hashName } from './find-names.ts';
import { Modules } from './modules.ts';

/** A name that more files declare says of none that it is meant. */
const MOST_DECLARING = 2;
/** A name that a larger share of the files uses is a word of the language. */
const MOST_USING = 0.5;
const FEW_FILES = 12;
/** Extensions of one language, or of languages that use each other's files. */
const FAMILIES: readonly RegExp[] = [
  /\.(?:[cm]?[jt]sx?|vue|svelte|astro)$/,
  /\.(?:c|cc|cpp|cxx|h|hh|hpp|hxx|m|mm|y|l)$/,
  /\.pyi?$/,
  /\.(?:java|kts?|scala|groovy)$/,
];

/** What the text of a source file says of others. */
export interface SourceSignals {
  readonly imports: readonly Reference[];
  readonly names: FileNames;
}

/** Which files use which: by imports, and by names that one file declares and another has. */
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

  /** Returns the files that a file uses. */
  usesOf(path: string): ReadonlySet<string> {
    return this.#uses.get(path) ?? new Set();
  }

  /** Returns the files that use a file. */
  usersOf(path: string): ReadonlySet<string> {
    return this.#users.get(path) ?? new Set();
  }

  #addNames(sources: ReadonlyMap<string, SourceSignals>): void {
    const declaring = new Map<number, string[]>();
    for (const [path, { names }] of sources) {
      for (const name of names.declared) push(declaring, hashName(name), path);
    }
    for (const [hash, paths] of declaring) if (paths.length > MOST_DECLARING) declaring.delete(hash);
    const using = new Map<number, string[]>();
    for (const [path, { names }] of sources) {
      for (const hash of names.used) if (declaring.has(hash)) push(using, hash, path);
    }
    const most = Math.max(FEW_FILES, sources.size * MOST_USING);
    for (const [hash, users] of using) {
      if (users.length <= most) this.#addAll(users, declaring.get(hash) ?? []);
    }
  }

  /** Adds that each of these files uses each of the others that is of the same language. */
  #addAll(users: readonly string[], targets: readonly string[]): void {
    for (const target of targets) {
      for (const user of users) if (familyOf(user) === familyOf(target)) this.#add(user, target);
    }
  }

  #add(user: string, used: string): void {
    if (user === used) return;
    append(this.#uses, user, used);
    append(this.#users, used, user);
  }
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

function push<K>(map: Map<K, string[]>, key: K, value: string): void {
  const known = map.get(key);
  if (known) known.push(value);
  else map.set(key, [value]);
}
