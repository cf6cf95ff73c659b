import type { TransferListItem, Worker } from 'node:worker_threads';
import { ToolError } from '../errors/index.ts';
import { startClock } from './clock.ts';

export interface ThreadOptions {
  /** The `workerData` of the thread. */
  readonly data: unknown;
  /**
   * In milliseconds of processor time, for all tasks together, or since `renew`. The start of the thread and the time
   * between the tasks do not count.
   */
  readonly limitMs: number;
  readonly maxMemoryMb: number;
  readonly signal?: AbortSignal | undefined;
  /** The error to throw if the memory is not sufficient. */
  readonly tooLarge: ThreadRefusal;
  /**
   * The error to throw if the time is over; its message goes on with "after 2 seconds". The error of a pattern if
   * absent.
   */
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
 * A thread that answers each message with one, and that can be stopped at any time: a regular expression that
 * backtracks cannot be interrupted otherwise. It takes one task at a time, and keeps the process alive only while it has one.
 * Close it when all are done.
 */
export class StoppableThread<Task, Answer> {
  readonly #worker: Worker;
  readonly #options: ThreadOptions;
  /** Resolves when the thread runs, and when it could not start. */
  readonly #start: Promise<unknown>;
  /** Rejects when the thread ends; it never resolves. */
  readonly #end: Promise<never>;
  #leftMs: number;

  /** Starts the thread; `script` is the text of a CommonJS module that needs no other file. */
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
    // These listeners stay: an error that nobody listens to, such as one after the deadline, would end the process.
    this.#end = new Promise<never>((_, reject) => {
      worker.on('error', (error) => reject(isOutOfMemory(error) ? memoryError(options.tooLarge, error) : error));
      worker.on('exit', (code) => reject(new Error(`the thread ended with code ${code}`)));
    });
    this.#end.catch(() => {});
    this.#start = new Promise((resolve) => worker.once('online', resolve).once('exit', resolve));
  }

  /**
   * Sends a task and returns its answer. Throws ToolError `timeout`, `canceled` or `resource_limit`; the thread cannot
   * be used then. Buffers in `transfer` are moved to the thread, not copied.
   */
  async ask(task: Task, transfer: readonly TransferListItem[] = []): Promise<Answer> {
    const worker = this.#worker;
    worker.ref();
    await this.#start;
    const { limitMs, signal, tooSlow = PATTERN_TOO_SLOW } = this.#options;
    const elapsedMs = startClock();
    let stopWaiting = () => {};
    const answer = new Promise<Answer>((resolve, reject) => {
      const stopTimer = callAfter(elapsedMs, this.#leftMs, () => reject(timeoutError(tooSlow, limitMs)));
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

  /** Gives the next tasks all of the time again. */
  renew(): void {
    this.#leftMs = this.#options.limitMs;
  }

  /** Ends the thread, and does not wait for that: native code in it may go on for a while. */
  async close(): Promise<void> {
    void this.#worker.terminate();
  }
}

/** Calls `end` once the clock shows `ms`. Returns a function that stops that. */
function callAfter(elapsedMs: () => number, ms: number, end: () => void): () => void {
  const look = () => {
    const left = ms - elapsedMs();
    if (left <= 0) end();
    else timer = setTimeout(look, Math.max(left, MIN_LOOK_MS));
  };
  let timer = setTimeout(look, ms);
  return () => clearTimeout(timer);
}

function isOutOfMemory(error: unknown): boolean {
  const { code, name } = error as NodeJS.ErrnoException;
  return code === 'ERR_WORKER_OUT_OF_MEMORY' || name === 'RangeError';
}

function memoryError({ message, suggestion }: ThreadRefusal, cause: unknown): ToolError {
  return new ToolError('resource_limit', message, { ...(suggestion && { suggestion }), cause });
}

function timeoutError({ message, suggestion }: ThreadRefusal, limitMs: number): ToolError {
  const seconds = Math.round(limitMs / 100) / 10;
  return new ToolError('timeout', `${message} after ${seconds} seconds`, { ...(suggestion && { suggestion }) });
}
