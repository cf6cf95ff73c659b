import type { TargetDirectory } from './search-targets.ts';

/**
 * The files that a walk has chosen. Security: a program that is given paths may find others there by the time it looks,
 * secrets and files outside of the workspace among them; what it says of those must not be told.
 */
export class KnownFiles {
  readonly #directories = new Map<string, TargetDirectory[]>();
  readonly #names = new Map<string, ReadonlySet<string>>();

  constructor(directories: readonly TargetDirectory[]) {
    for (const directory of directories) {
      const same = this.#directories.get(directory.path);
      if (same) same.push(directory);
      else this.#directories.set(directory.path, [directory]);
    }
  }

  isDirectory(path: string): boolean {
    return this.#directories.has(path);
  }

  has(path: string): boolean {
    const slash = path.lastIndexOf('/');
    const directory = slash < 0 ? '.' : path.slice(0, slash);
    let names = this.#names.get(directory);
    if (!names) {
      names = new Set(this.#directories.get(directory)?.flatMap((one) => one.names()));
      this.#names.set(directory, names);
    }
    return names.has(path.slice(slash + 1));
  }
}
