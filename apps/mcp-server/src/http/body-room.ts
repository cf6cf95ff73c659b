import type { IncomingMessage } from 'node:http';

/** What became of reading a body: its bytes, or the status that refuses it. */
export type Body = { readonly bytes: Buffer } | { readonly refused: 413 | 503 };

/**
 * Reads bodies, each of them and all together bounded, so that many large ones at once do not add up in memory. What a person with a
 * name has under way is bounded like one body, so that nobody takes the room of all.
 */
export class BodyRoom {
  readonly #maxEach: number;
  #free: number;
  /** What each person holds. */
  readonly #held = new Map<string, number>();

  constructor(maxEach: number, maxAll: number) {
    this.#maxEach = maxEach;
    this.#free = maxAll;
  }

  /** Reads the body of a person's request; `use` gets it while its room is held. */
  async read<T>(request: IncomingMessage, person: string, use: (body: Body) => Promise<T>): Promise<T> {
    let held = 0;
    const take = (bytes: number) => {
      this.#free -= bytes;
      held += bytes;
      const left = this.#heldBy(person) + bytes;
      if (left > 0) this.#held.set(person, left);
      else this.#held.delete(person);
    };
    const hold = (bytes: number): 413 | 503 | undefined => {
      if (bytes > this.#maxEach) return 413;
      const more = bytes - held;
      if (more > this.#free || (person !== '' && this.#heldBy(person) + more > this.#maxEach)) return 503;
      take(more);
      return undefined;
    };
    try {
      // What is declared is not held: it may never come.
      const isTooLarge = Number(request.headers['content-length'] ?? 0) > this.#maxEach;
      return await use(isTooLarge ? { refused: 413 } : await readAll(request, hold));
    } finally {
      take(-held);
    }
  }

  #heldBy(person: string): number {
    return this.#held.get(person) ?? 0;
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
