import type { TransferListItem, Worker } from 'node:worker_threads';
import { ToolError } from '../errors/index.ts';
import { startClock } from './clock.ts';

export interface ThreadOptions {
  readonly data: unknown;
  /** In milliseconds of processor time while tasks run, for all tasks together, or since `renew`. */
  readonly limitMs: number;
  readonly maxMemoryMb: number;
  readonly signal?: AbortSignal | undefined;
  readonly tooLarge: ThreadRefusal;
  /** Its message continues with "after 2 seconds". The error of a pattern if absent. */
  readonly tooSlow?: ThreadRefusal;
}

interface ThreadRefusal {
  readonly message: string;
  readonly suggestion?: string;
}

const MIN_LOOK_MS = 20;

const PATTERN_TOO_SLOW: ThreadRefusal = {
  message: 'the pattern was still being matched',
  suggestion: 'avoid nested repetition such as (a+)+, take fewer or smaller files, or give it more time with timeout',
};

/**
 * A thread that answers each message with one, and can be stopped at any time: nothing else interrupts a regular
 * expression that backtracks. It takes one task at a time, and keeps the process alive only while it has one.
 */
export class StoppableThread<Task, Answer> {
  readonly #worker: Worker;
  readonly #options: ThreadOptions;
  /** Resolves when the thread runs, and when it could not start. */
  readonly #start: Promise<unknown>;
  readonly #end: Promise<never>;
  #leftMs: number;

  /** `script` is the text of a CommonJS module that needs no other file. */
  constructor(script: string, options: ThreadOptions) {
    this.#options = options;
    this.#leftMs = options.limitMs;
    // Loading the module takes 2 ms, and hardly any call needs a thread.
    const { Worker: Thread } = process.getBuiltinModule('node:worker_threads');
    const worker = new Thread(script, {
      eval: true,
      workerData: options.data,
      resourceLimits: { maxOldGenerationSizeMb: options.maxMemoryMb },
      env: {},
      execArgv: [],
    });
    worker.unref();
    this.#worker = worker;
    // These listeners stay: an error that no one listens to, such as one after the deadline, would end the process.
    this.#end = new Promise<never>((_, reject) => {
      worker.on('error', (error) => {
        const { code, name } = error as NodeJS.ErrnoException;
        const isOutOfMemory = code === 'ERR_WORKER_OUT_OF_MEMORY' || name === 'RangeError';
        const { message, ...advice } = options.tooLarge;
        reject(isOutOfMemory ? new ToolError('resource_limit', message, { ...advice, cause: error }) : error);
      });
      worker.on('exit', (code) => reject(new Error(`the thread ended with code ${code}`)));
    });
    this.#end.catch(() => {});
    this.#start = new Promise((resolve) => worker.once('online', resolve).once('exit', resolve));
  }

  /** Throws `timeout`, `canceled` or `resource_limit`, and is over then. Buffers in `transfer` are moved, not copied. */
  async ask(task: Task, transfer: readonly TransferListItem[] = []): Promise<Answer> {
    const worker = this.#worker;
    worker.ref();
    await this.#start;
    const { limitMs, signal, tooSlow = PATTERN_TOO_SLOW } = this.#options;
    const elapsedMs = startClock();
    let stopWaiting = () => {};
    const answer = new Promise<Answer>((resolve, reject) => {
      const { message, ...advice } = tooSlow;
      const tooLate = `${message} after ${Math.round(limitMs / 100) / 10} seconds`;
      const stopTimer = callAfter(elapsedMs, this.#leftMs, () => reject(new ToolError('timeout', tooLate, advice)));
      const cancel = () => reject(new ToolError('canceled', 'the request was canceled'));
      stopWaiting = () => {
        stopTimer();
        signal?.removeEventListener('abort', cancel);
        worker.off('message', resolve);
      };
      worker.once('message', resolve);
      signal?.addEventListener('abort', cancel);
      if (signal?.aborted) cancel();
      worker.postMessage(task, transfer);
    });
    try {
      return await Promise.race([answer, this.#end]);
    } finally {
      stopWaiting();
      worker.unref();
      this.#leftMs -= elapsedMs();
    }
  }

  renew(): void {
    this.#leftMs = this.#options.limitMs;
  }

  /** Ends the thread, and does not wait for that: native code in it may run for a while. */
  async close(): Promise<void> {
    void this.#worker.terminate();
  }
}

function callAfter(elapsedMs: () => number, ms: number, end: () => void): () => void {
  const look = () => {
    const left = ms - elapsedMs();
    if (left <= 0) end();
    else timer = setTimeout(look, Math.max(left, MIN_LOOK_MS));
  };
  let timer = setTimeout(look, ms);
  return () => clearTimeout(timer);
}
