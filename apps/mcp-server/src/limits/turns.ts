/** How many calls of a person run at once, beside those that execute. All calls share one thread. */
const AT_ONCE = 8;
/** How often a call that takes long is looked at. */
const LOOK_MS = 1_000;
/**
 * If the thread was idle for more than this share of the time, the call waits for something, such as a database, and keeps nobody from
 * the thread: its turn is over.
 */
const IDLE_SHARE = 0.5;
/** How many calls of a person may still wait for something after their turn. */
const MAX_LATE = 3 * AT_ONCE;

/** The turn of one call, which it may give up and take again. */
export interface Turn {
  /** Waits for it. */
  begin(): Promise<void>;
  end(): void;
  /** Lets other calls have it while this one waits for something; after that it must be waited for again. */
  without<T>(wait: () => Promise<T>): Promise<T>;
}

interface Owner {
  running: number;
  /** Calls whose turn is over, and which have not ended. */
  late: number;
  /** Each begins a call; the one that waits longest comes first. */
  readonly waiting: Set<() => void>;
}

/** Lets so many calls of each person run at once; the others wait, so that who sends many does not keep all others waiting. */
export class Turns {
  readonly #owners = new Map<string, Owner>();
  /** Those whose turn it is. */
  readonly #next: (() => void)[] = [];
  /** Begins one, and leaves the thread to what others send before it begins another. */
  readonly #beginNext = () => {
    this.#next.shift()?.();
    if (this.#next.length > 0) setImmediate(this.#beginNext);
  };

  /** Makes the turn of a call. One that is canceled does not wait for it. */
  of(name: string, signal: AbortSignal): Turn {
    // A call may wait for several things at once.
    const ends: (() => void)[] = [];
    const begin = async () => void ends.push(await this.#take(name, signal));
    const end = () => {
      for (const each of ends.splice(0)) each();
    };
    const without = async <T>(wait: () => Promise<T>) => {
      end();
      const waited = await wait();
      await begin();
      return waited;
    };
    return { begin, end, without };
  }

  /** Waits for a turn, and returns what ends it. A call that is canceled does not wait. */
  async #take(name: string, signal: AbortSignal): Promise<() => void> {
    const owner = this.#owners.get(name) ?? { running: 0, late: 0, waiting: new Set() };
    if (signal.aborted) return () => undefined;
    this.#owners.set(name, owner);
    if (owner.running < AT_ONCE) owner.running++;
    else if (!(await isNext(owner, signal))) return () => undefined;
    const stopWatching = watchIdle(() => {
      if (owner.late === MAX_LATE) return false;
      owner.late++;
      this.#pass(owner);
      return true;
    });
    return () => {
      if (stopWatching()) this.#pass(owner);
      else owner.late--;
      if (owner.running + owner.late === 0) this.#owners.delete(name);
    };
  }

  /** Gives a turn to the next call of its owner. */
  #pass(owner: Owner): void {
    const [next] = owner.waiting;
    if (next) {
      owner.waiting.delete(next);
      this.#next.push(next);
      if (this.#next.length === 1) setImmediate(this.#beginNext);
    } else owner.running--;
  }
}

/**
 * Looks now and then whether the thread was idle, and then calls `onIdle` until it returns true. Returns what ends that, which returns
 * false if `onIdle` has returned true.
 */
function watchIdle(onIdle: () => boolean): () => boolean {
  let isOver = false;
  let since = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const { utilization } = performance.eventLoopUtilization(since);
    since = performance.eventLoopUtilization();
    isOver = utilization < 1 - IDLE_SHARE && onIdle();
    if (isOver) clearInterval(timer);
  }, LOOK_MS).unref();
  return () => {
    clearInterval(timer);
    return !isOver;
  };
}

/** Waits for the turn of another call; false if this one is canceled before. */
function isNext({ waiting }: Owner, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const begin = () => {
      signal.removeEventListener('abort', cancel);
      resolve(true);
    };
    const cancel = () => {
      if (waiting.delete(begin)) resolve(false);
    };
    waiting.add(begin);
    signal.addEventListener('abort', cancel, { once: true });
  });
}
