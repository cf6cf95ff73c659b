import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

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
  /** How long a body waits for room that others hold. */
  readonly waitMs: number;
}

const CHECK_MS = 50;

/**
 * Reads bodies: each, those of a person and all together are bounded, so that many large ones at once do not add up in memory, and
 * nobody takes the room of others. A body counts until its request is answered, since what was read of it lives as long. Where others
 * hold all the room, the rest of a body stays with its client for a while.
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
    const { maxEach, own, waitMs } = this.#limits;
    const declared = Number(request.headers['content-length'] ?? 0);
    let held = 0;
    const hold = async (size: number): Promise<BodyRefusal | undefined> => {
      if (size > maxEach) return 413;
      if (size <= held) return undefined;
      // What is declared may never come, so that it counts only when some has. Then it counts whole: several that are half read would
      // wait for each other.
      const wanted = size > own ? Math.max(size, declared) : size;
      const end = performance.now() + waitMs;
      let refused = this.#take(person, wanted - held);
      // A body that has come whole destroys its request too.
      const isGone = () => request.destroyed && !request.readableEnded;
      while (refused === 503 && performance.now() < end && !isGone()) {
        await sleep(CHECK_MS);
        refused = this.#take(person, wanted - held);
      }
      if (refused === undefined) held = wanted;
      return refused;
    };
    try {
      return await use(declared > maxEach ? { refused: 413 } : await readAll(request, hold));
    } finally {
      this.#add(person, -held);
    }
  }

  /** Takes more room for a person, or says why not. */
  #take(person: string, more: number): BodyRefusal | undefined {
    const { maxPerson, maxAll, own } = this.#limits;
    const after = (this.#heldBy.get(person) ?? 0) + more;
    // People without a name are one here, however many they are.
    if (person !== '' && after > maxPerson) return 429;
    if (this.#held + more > maxAll && after > own) return 503;
    this.#add(person, more);
    return undefined;
  }

  #add(person: string, bytes: number): void {
    this.#held += bytes;
    const held = (this.#heldBy.get(person) ?? 0) + bytes;
    if (held > 0) this.#heldBy.set(person, held);
    else this.#heldBy.delete(person);
  }
}

type Hold = (bytes: number) => Promise<BodyRefusal | undefined>;

async function readAll(request: IncomingMessage, hold: Hold): Promise<Body> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    const refused = await hold(size);
    if (refused) return { refused };
    chunks.push(chunk);
  }
  return { bytes: Buffer.concat(chunks) };
}
