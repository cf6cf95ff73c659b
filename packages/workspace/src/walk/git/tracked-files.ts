import fs from 'node:fs';
import { posix } from 'node:path';
import type { Workspace } from '../../guard/index.ts';
import { openPlainly, readUpTo } from '../read-plainly.ts';
import { findGitDirectory } from './git-directory.ts';
import { parseGitIndex } from './git-index.ts';

const MAX_INDEX = 64 * 1024 * 1024;
const MAX_KEPT = 4;

/** The files that git tracks in one repository, by their paths below the workspace root. */
export class TrackedFiles {
  /** Sorted names below the top of the repository. A character stands for a byte. */
  readonly #names: readonly string[];
  /** A name has the first text before a path below the workspace root, without the second one. */
  readonly #above: string;
  readonly #below: string;

  private constructor(names: readonly string[], top: string, root: string) {
    this.#names = names;
    const relative = posix.relative(top, root);
    const isAbove = relative !== '' && !relative.startsWith('..');
    this.#above = isAbove ? `${relative}/` : '';
    this.#below = relative === '' || isAbove ? '' : `${posix.relative(root, top)}/`;
  }

  /**
   * Reads what git tracks in the repository of a directory, or undefined if that cannot be read. Security: this opens
   * `.git/index`, which no caller may open. Only names come out, and they only show which of the files that a caller
   * may see anyway are tracked.
   */
  static find(workspace: Workspace, directory: string): TrackedFiles | undefined {
    const real = posix.join(workspace.root, directory);
    for (let at = real; ; at = posix.dirname(at)) {
      const git = findGitDirectory(at, workspace.root);
      const names = git === undefined ? undefined : readIndex(`${git}/index`);
      if (git !== undefined) return names && new TrackedFiles(names, at, workspace.root);
      if (at === '/') return undefined;
    }
  }

  /** A directory is tracked because it is a submodule or holds a tracked file. */
  holds(path: string, isDirectory: boolean): boolean {
    return this.has(path) || (isDirectory && this.countBelow(path) > 0);
  }

  has(path: string): boolean {
    const name = this.#nameOf(path);
    return name !== undefined && this.#names[this.#indexOf(name)] === name;
  }

  countBelow(directory: string): number {
    const name = this.#nameOf(directory);
    // The sign after a slash ends the names that start with the directory.
    return name === undefined ? 0 : this.#indexOf(`${name}0`) - this.#indexOf(`${name}/`);
  }

  #nameOf(path: string): string | undefined {
    if (!path.startsWith(this.#below)) return undefined;
    return this.#above + Buffer.from(path.slice(this.#below.length)).toString('latin1');
  }

  /** Returns the index of a name, or where it would be. */
  #indexOf(name: string): number {
    let [low, high] = [0, this.#names.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#names[middle] as string) < name) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The indexes that were read last, each with the stat that it had. */
const kept = new Map<string, { readonly stat: string; readonly names: readonly string[] | undefined }>();

function readIndex(path: string): readonly string[] | undefined {
  if (!fs.existsSync(path)) return undefined;
  try {
    const file = openPlainly(path);
    const stat = Object.values(file.stat).join();
    const known = kept.get(path);
    if (known?.stat === stat) {
      file.close();
      return known.names;
    }
    const content = readUpTo(file, MAX_INDEX);
    const names = content && parseGitIndex(content);
    if (kept.size >= MAX_KEPT) kept.clear();
    kept.set(path, { stat, names });
    return names;
  } catch {
    return undefined;
  }
}
