import type { ToolContext } from '@jinn/core';
import { isOutOfDescriptors, ToolError } from '@jinn/core/errors';
import { type Charset, CharsetFinder, MAX_DECODED_BYTES } from '@jinn/workspace/find-charset';

/** The encodings of files that are not UTF-8, as far as a search has met them. It looks at each file once. */
export class SearchedCharsets {
  readonly #ctx: ToolContext;
  readonly #finder: CharsetFinder;
  readonly #known = new Map<string, Charset | undefined>();

  constructor(ctx: ToolContext) {
    this.#ctx = ctx;
    this.#finder = new CharsetFinder(ctx);
  }

  get(path: string): Charset | undefined {
    return this.#known.get(path);
  }

  /** Finds the encoding of a file. False if it is UTF-8 or unknown, or if the file is too large to decode. */
  async look(path: string): Promise<boolean> {
    if (!this.#known.has(path)) this.#known.set(path, await this.#find(path));
    return this.get(path) !== undefined;
  }

  async #find(path: string): Promise<Charset | undefined> {
    try {
      const file = this.#ctx.workspace.withFile(path.startsWith('/') ? path : `./${path}`, (open) =>
        open.isSpilled || open.size > MAX_DECODED_BYTES ? undefined : { path, content: open.slice(0, open.size) },
      );
      return file && (await this.#finder.find(file));
    } catch (error) {
      if (error instanceof ToolError && !isOutOfDescriptors(error)) return undefined;
      throw error;
    }
  }
}

/** Reports whether a decoded text shows that its file may have another encoding. */
export function mayNeedCharset(text: string): boolean {
  return !text.isWellFormed() || text.includes('\x1b$');
}
