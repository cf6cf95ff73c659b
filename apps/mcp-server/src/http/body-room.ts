import type { IncomingMessage } from 'node:http';

/** What became of reading a body: its bytes, or the status that refuses it. */
export type Body = { readonly bytes: Buffer } | { readonly refused: BodyRefusal };

/** The body is too large; its person has too much under way; all together have. */
export type BodyRefusal = 413 | 429 | 503;

export interface RoomLimits {
  readonly maxEach: number;
  /** For the bodies of a person with a name together. */
  readonly maxPerson: number;
  readonly maxAll: number;
  /** What each person may always hold, however little room others leave. */
  readonly own: number;
}

/**
 * Reads bodies: each, those of a person and all together are bounded, so that many large ones at once do not add up in memory, and
 * nobody takes the room of others. A body counts until its request is answered, since what was read of it lives as long.
 */
export class BodyRoom {
  readonly #limits: RoomLimits;
  #held = 0;
  readonly #heldBy = new Map<string, number>();

  constructor(limits: RoomLimits) {
    this.#limits = limits;
  }

  /** Reads the body of a person's request; `use` gets it while its room is held. */
  async read<T>(request: IncomingMessage, person: string, use: (body: Body) => Promise<T>): Promise<T> {
    let held = 0;
    const hold = (bytes: number): BodyRefusal | undefined => {
      const refused = this.#judge(person, bytes, bytes - held);
      if (refused) return refused;
      this.#add(person, bytes - held);
      held = bytes;
      return undefined;
    };
    try {
      // What is declared is not held: it may never come.
      const isTooLarge = Number(request.headers['content-length'] ?? 0) > this.#limits.maxEach;
      return await use(isTooLarge ? { refused: 413 } : await readAll(request, hold));
    } finally {
      this.#add(person, -held);
    }
  }

  #judge(person: string, bytes: number, more: number): BodyRefusal | undefined {
    const { maxEach, maxPerson, maxAll, own } = this.#limits;
    const after = (this.#heldBy.get(person) ?? 0) + more;
    if (bytes > maxEach) return 413;
    // People without a name are one here, however many they are.
    if (person !== '' && after > maxPerson) return 429;
    return this.#held + more > maxAll && after > own ? 503 : undefined;
  }

  #add(person: string, bytes: number): void {
    this.#held += bytes;
    const held = (this.#heldBy.get(person) ?? 0) + bytes;
    if (held > 0) this.#heldBy.set(person, held);
    else this.#heldBy.delete(person);
  }
}

async function readAll(request: IncomingMessage, hold: (bytes: number) => BodyRefusal | undefined): Promise<Body> {
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
