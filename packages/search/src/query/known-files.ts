import type { TargetDirectory } from './search-targets.ts';

/**
 * The files that a walk has chosen. Security: by the time a program looks at the given paths, it may find other files
 * there, among them secrets and files outside of the workspace; its answer about those must not be shown.
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
