import { ToolError } from '@jinn/core';

/** The end of the time that a call has, and the signal by which its caller cancels it. */
export class Deadline {
  readonly limitMs: number;
  readonly signal: AbortSignal | undefined;
  /** True if a server that does not answer in time is not at fault: the wait is short on purpose. */
  readonly isForgiving: boolean;
  readonly #end: number;

  constructor(limitMs: number, signal?: AbortSignal, { isForgiving = false }: { isForgiving?: boolean } = {}) {
    this.limitMs = limitMs;
    this.signal = signal;
    this.isForgiving = isForgiving;
    this.#end = performance.now() + limitMs;
  }

  /** Milliseconds that are left; never below zero. */
  get left(): number {
    return Math.max(0, this.#end - performance.now());
  }

  /** A deadline that ends earlier: after `ms`, if more than that is left. */
  within(ms: number): Deadline {
    return new Deadline(Math.min(ms, this.left), this.signal, this);
  }

  /**
   * Waits for `work` until the time is over or the caller cancels. Throws `timeout` with what `doing` says was under way,
   * or `canceled`; then `giveUp` is called. The work itself goes on, and its failure is nobody's any more.
   */
  async race<T>(work: Promise<T>, doing: () => string, giveUp: () => void = () => {}): Promise<T> {
    const { signal } = this;
    let end = () => {};
    const over = new Promise<never>((_, reject) => {
      const stop = (error: ToolError) => {
        giveUp();
        reject(error);
      };
      const timer = setTimeout(() => stop(timedOut(this.limitMs, doing())), this.left);
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

/** For the `catch` of a wait that may well time out: only the caller's cancelling counts. */
export function throwCanceled(error: unknown): void {
  if (error instanceof ToolError && error.code === 'canceled') throw error;
}

function timedOut(limitMs: number, doing: string): ToolError {
  const seconds = Math.round(limitMs / 100) / 10;
  return new ToolError('timeout', `timed out after ${seconds}s: ${doing}`, {
    suggestion: 'try again: a server that stays warm in a session answers sooner',
  });
}
