import { Worker } from 'node:worker_threads';
import { ToolError } from '@jinn/core';

export interface ThreadOptions {
  /** What the thread finds as its `workerData`. */
  readonly data: unknown;
  /** In milliseconds, for all tasks together. */
  readonly limitMs: number;
  readonly maxMemoryMb: number;
  readonly signal?: AbortSignal | undefined;
  /** What to say when the memory does not suffice. */
  readonly tooLarge: { readonly message: string; readonly suggestion: string };
}

/**
 * A thread that answers each message with one, and that can be stopped at any time: a regular expression that
 * backtracks cannot be interrupted otherwise. One task at a time; close it when all are done.
 */
export class StoppableThread<Task, Answer> {
  readonly #worker: Worker;
  readonly #deadline: number;
  readonly #options: ThreadOptions;

  /** The script is plain JavaScript that runs as it stands, in a bundle too. */
  constructor(script: string, options: ThreadOptions) {
    this.#options = options;
    this.#deadline = Date.now() + options.limitMs;
    this.#worker = new Worker(script, {
      eval: true,
      workerData: options.data,
      resourceLimits: { maxOldGenerationSizeMb: options.maxMemoryMb },
      env: {},
      execArgv: [],
    });
  }

  /** Throws ToolError `timeout`, `canceled` or `resource_limit`; the thread is of no use then. */
  async ask(task: Task): Promise<Answer> {
    const worker = this.#worker;
    const { limitMs, signal, tooLarge } = this.#options;
    let end = () => {};
    try {
      return await new Promise<Answer>((resolve, reject) => {
        const timer = setTimeout(() => reject(tooSlow(limitMs)), this.#deadline - Date.now());
        const cancel = () => reject(new ToolError('canceled', 'the request was canceled'));
        const fail = (error: unknown) => reject(isOutOfMemory(error) ? outOfMemory(tooLarge, error) : error);
        end = () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', cancel);
          worker.off('message', resolve).off('error', fail);
        };
        worker.once('message', resolve).once('error', fail);
        signal?.addEventListener('abort', cancel);
        if (signal?.aborted) cancel();
        worker.postMessage(task);
      });
    } finally {
      end();
    }
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

function isOutOfMemory(error: unknown): boolean {
  const { code, name } = error as NodeJS.ErrnoException;
  return code === 'ERR_WORKER_OUT_OF_MEMORY' || name === 'RangeError';
}

function outOfMemory({ message, suggestion }: ThreadOptions['tooLarge'], cause: unknown): ToolError {
  return new ToolError('resource_limit', message, { suggestion, cause });
}

function tooSlow(limitMs: number): ToolError {
  return new ToolError('timeout', `the pattern was still being matched after ${limitMs / 1000} seconds`, {
    suggestion: 'avoid nested repetition such as (a+)+, or search fewer files',
  });
}
