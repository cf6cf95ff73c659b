import type { IncomingMessage } from 'node:http';

/** What became of reading a body: its bytes, or the status that refuses it. */
export type Body = { readonly bytes: Buffer } | { readonly refused: 413 | 503 };

/** Reads bodies, each of them and all together bounded, so that many large ones at once do not add up in memory. */
export class BodyRoom {
  readonly #maxEach: number;
  #free: number;

  constructor(maxEach: number, maxAll: number) {
    this.#maxEach = maxEach;
    this.#free = maxAll;
  }

  /** Reads the body of a request; `use` gets it while its room is held. */
  async read<T>(request: IncomingMessage, use: (body: Body) => Promise<T>): Promise<T> {
    let held = 0;
    const hold = (bytes: number): 413 | 503 | undefined => {
      if (bytes > this.#maxEach) return 413;
      if (bytes - held > this.#free) return 503;
      this.#free -= bytes - held;
      held = bytes;
      return undefined;
    };
    try {
      // What is declared is not held: it may never come.
      const isTooLarge = Number(request.headers['content-length'] ?? 0) > this.#maxEach;
      return await use(isTooLarge ? { refused: 413 } : await readAll(request, hold));
    } finally {
      this.#free += held;
    }
  }
}

async function readAll(request: IncomingMessage, hold: (bytes: number) => 413 | 503 | undefined): Promise<Body> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    const refused = hold(size);
    if (refused) return { refused };
    chunks.push(chunk);
  }
  return { bytes: Buffer.concat(chunks) };
}
