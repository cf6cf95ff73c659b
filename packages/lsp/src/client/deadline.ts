import { ToolError } from '@jinn/core/errors';

/** The least time that a server gets for an answer when it has loaded the project. */
const AFTER_LOADING_MS = 5_000;

/** The end of a call's time, and the signal by which its caller cancels it. */
export class Deadline {
  readonly limitMs: number;
  readonly signal: AbortSignal | undefined;
  /** True if a server that does not answer in time is not invalid: the wait is short on purpose. */
  readonly isForgiving: boolean;
  readonly #start = performance.now();
  #end: number;
  #isLoading: (() => boolean) | undefined;
  #until = 0;

  constructor(limitMs: number, signal?: AbortSignal, { isForgiving = false }: { isForgiving?: boolean } = {}) {
    this.limitMs = limitMs;
    this.signal = signal;
    this.isForgiving = isForgiving;
    this.#end = this.#start + limitMs;
  }

  /** Extends the wait while the server loads, at most until `ms` from now. Then it has the whole limit. */
  goOnWhile(isLoading: () => boolean, ms: number): void {
    this.#isLoading = isLoading;
    this.#until = performance.now() + ms;
  }

  get left(): number {
    const now = performance.now();
    const more = Math.max(AFTER_LOADING_MS, this.limitMs);
    if (this.#isLoading?.()) this.#end = Math.max(this.#end, Math.min(this.#until, now + more));
    return Math.max(0, this.#end - now);
  }

  #timedOut(doing: string): ToolError {
    const waited = performance.now() - this.#start;
    const seconds = Math.round((waited > this.limitMs + 1_000 ? waited : this.limitMs) / 100) / 10;
    return new ToolError('timeout', `timed out after ${seconds}s: ${doing}`, {
      suggestion: 'pass a longer timeout, such as timeout: 60. In a session the server continues its work meanwhile',
    });
  }

  within(ms: number): Deadline {
    const inner = new Deadline(Math.min(ms, this.left), this.signal, this);
    if (this.#isLoading) inner.goOnWhile(this.#isLoading, this.#until - performance.now());
    return inner;
  }

  /**
   * Waits for `work`, which continues in any case. Throws `timeout` with the text of `doing`, or `canceled`, after
   * `giveUp`.
   */
  async race<T>(work: Promise<T>, doing: () => string, giveUp: () => void = () => {}): Promise<T> {
    const { signal } = this;
    let end = () => {};
    const over = new Promise<never>((_, reject) => {
      const stop = (error: ToolError) => {
        giveUp();
        reject(error);
      };
      let timer: NodeJS.Timeout;
      const arm = () => {
        timer = setTimeout(() => (this.left > 0 ? arm() : stop(this.#timedOut(doing()))), this.left);
      };
      arm();
      const cancel = () => stop(new ToolError('canceled', 'the request was canceled'));
      end = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', cancel);
      };
      signal?.addEventListener('abort', cancel);
      if (signal?.aborted) cancel();
    });
    try {
      return await Promise.race([work, over]);
    } finally {
      end();
      work.catch(() => {});
    }
  }
}

/** Rethrows an error only if the caller canceled. It is for the `catch` of a wait that may well time out. */
export function throwCanceled(error: unknown): void {
  if (error instanceof ToolError && error.code === 'canceled') throw error;
}
