import fs from 'node:fs';
import { type BytePath, identityAt, toSystemPath } from '../git/index.ts';

const O_PATH = 0o10000000;
const MAX_HELD = 512;
const DELETED = ' (deleted)';

export interface Secret {
  readonly path: BytePath;
  readonly id: string;
}

/**
 * The secrets that were found in a workspace. A command may move a secret to a place that is not searched: the system
 * knows the present path of a held descriptor. Those that are not held are looked for everywhere if missing.
 */
export class KnownSecrets {
  readonly #paths: Map<string, BytePath>;
  readonly #held = new Map<string, number>();
  readonly #root: BytePath;

  constructor(root: BytePath, known: readonly Secret[]) {
    this.#root = root;
    this.#paths = new Map(known.map(({ id, path }) => [id, path]));
  }

  /** Returns the secrets that were found now and those that were moved. `findEverywhere` searches every directory. */
  async update(found: readonly BytePath[], findEverywhere: () => Promise<readonly BytePath[]>): Promise<Secret[]> {
    const now = new Map(found.flatMap(withIdentity));
    for (const [id, fd] of this.#held) this.#follow(id, fd, now);
    for (const [id, path] of this.#paths) if (!now.has(id) && identityAt(path) === id) now.set(id, path);
    const isMissing = [...this.#paths.keys()].some((id) => !now.has(id) && !this.#held.has(id));
    const others = isMissing ? await findEverywhere() : [];
    for (const [id, path] of others.flatMap(withIdentity)) if (!now.has(id)) now.set(id, path);
    this.#paths.clear();
    for (const [id, path] of now) {
      this.#paths.set(id, path);
      this.#hold(id, path);
    }
    return [...now].map(([id, path]) => ({ id, path }));
  }

  /** The view looks the place up again when it is built, so a secret that has moved since does no harm. */
  #follow(id: string, fd: number, now: Map<string, BytePath>): void {
    if (now.has(id)) return;
    const path = pathOf(fd);
    const isGone = path?.endsWith(DELETED) && identityAt(path) !== id;
    if (path?.startsWith(`${this.#root}/`) && !isGone) {
      now.set(id, path);
      return;
    }
    fs.closeSync(fd);
    this.#held.delete(id);
    if (path !== undefined) this.#paths.delete(id); // It is not in the workspace any more.
  }

  #hold(id: string, path: BytePath): void {
    if (process.platform !== 'linux' || this.#held.has(id) || this.#held.size >= MAX_HELD) return;
    try {
      const fd = fs.openSync(toSystemPath(path), O_PATH | fs.constants.O_NOFOLLOW);
      const { dev, ino } = fs.fstatSync(fd, { bigint: true });
      if (`${dev}:${ino}` === id) this.#held.set(id, fd);
      else fs.closeSync(fd);
    } catch {
      // It is gone already.
    }
  }
}

/** Returns the present path of a held file; undefined if it is too long for the system to say. */
function pathOf(fd: number): BytePath | undefined {
  try {
    return fs.readlinkSync(`/proc/self/fd/${fd}`, { encoding: 'latin1' });
  } catch {
    return undefined;
  }
}

function withIdentity(path: BytePath): [string, BytePath][] {
  const id = identityAt(path);
  return id === undefined ? [] : [[id, path]];
}
