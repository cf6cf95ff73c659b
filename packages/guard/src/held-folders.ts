import { foldPath } from './fold-path.ts';

/** Folders whose files no tool may change for a while, by their real paths. */
export class HeldFolders {
  readonly #held = new Map<string, number>();

  /** Holds a folder until the function that it returns is called. */
  hold(folder: string): () => void {
    const key = foldPath(folder);
    this.#held.set(key, (this.#held.get(key) ?? 0) + 1);
    return () => {
      const left = (this.#held.get(key) ?? 0) - 1;
      if (left > 0) this.#held.set(key, left);
      else this.#held.delete(key);
    };
  }

  /** Reports whether a path is, or lies below, a folder that is held. */
  has(path: string): boolean {
    if (this.#held.size === 0) return false;
    const folded = foldPath(path);
    return [...this.#held.keys()].some((folder) => folded === folder || folded.startsWith(`${folder}/`));
  }
}
