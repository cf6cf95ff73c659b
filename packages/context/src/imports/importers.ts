import { countImporters } from './count-importers.ts';
import { findImports, type Reference } from './find-imports.ts';

/** Collects what files import, as they are read. */
export class Importers {
  readonly #imports = new Map<string, readonly Reference[]>();

  /** Passes on the text of a file, chunk by chunk. Imports are looked for in the first chunk. */
  *see(path: string, chunks: Iterable<Buffer>): Iterable<Buffer> {
    for (const chunk of chunks) {
      if (!this.#imports.has(path)) this.#imports.set(path, findImports(path, chunk));
      yield chunk;
    }
  }

  /** Counts for each file how many others import it. */
  count(): ReadonlyMap<string, number> {
    return countImporters(this.#imports);
  }
}
