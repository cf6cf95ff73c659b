import { posix } from 'node:path';
import { type Reference, withoutExtension } from './find-imports.ts';

/** If more files share an end of a path, it names none of them. */
const MOST_SHARING = 3;
/** More files are not kept under one name. */
const MOST_KEPT = 65;
const MOST_NAMES = 6;
/** Files that stand for the directory that they are in. */
const STANDS_FOR_DIRECTORY = /(?:^|\/)(?:index|__init__|mod|lib|main)$/;

/** Source files by the names under which others import them. */
export class Modules {
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

  find({ path, isExact }: Reference): readonly string[] {
    const found = (isExact ? this.#exact : this.#suffixes).get(path) ?? [];
    return found.length > MOST_SHARING && !found.every((file) => posix.dirname(file) === path) ? [] : found;
  }

  #add(module: string, path: string): void {
    append(this.#exact, module, path);
    const names = module.split('/');
    for (let i = Math.max(0, names.length - MOST_NAMES); i < names.length; i++) {
      append(this.#suffixes, names.slice(i).join('/'), path);
    }
  }
}

function append(map: Map<string, string[]>, key: string, value: string): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else if (known.length < MOST_KEPT) known.push(value);
}
