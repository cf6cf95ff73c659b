import type { Worker } from 'node:worker_threads';

/** All patterns of a check together may take so long. */
const LIMIT_MS = 2_000;
const MAX_MEMORY_MB = 128;

/** Tests texts against patterns, and tells which test it is at. */
const SCRIPT = `
  const { parentPort, workerData } = require('node:worker_threads');
  const current = new Int32Array(workerData);
  parentPort.on('message', (tests) => {
    parentPort.postMessage(
      tests.map(([pattern, text], i) => {
        current[0] = i;
        return new RegExp(pattern, 'u').test(text);
      }),
    );
  });
`;

export type PatternTest = readonly [pattern: string, text: string];

/** A pattern that could not be matched in the time and memory that it has. */
export class SlowPattern extends Error {
  readonly pattern: string;

  constructor(pattern: string, why: string, cause?: unknown) {
    super(`the pattern ${JSON.stringify(cut(pattern))} ${why}`, { cause });
    this.pattern = pattern;
  }
}

/**
 * Tests patterns on a thread of its own, since a regular expression that backtracks can be stopped in no other way. Close it
 * when all are tested.
 */
export class PatternThread {
  readonly #current = new Int32Array(new SharedArrayBuffer(4));
  #worker: Worker | undefined;
  #leftMs = LIMIT_MS;

  /** Rejects with SlowPattern; the thread is of no further use then. */
  async test(tests: readonly PatternTest[]): Promise<boolean[]> {
    const worker = await this.#start();
    const begin = process.uptime();
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<boolean[]>((resolve, reject) => {
        const fail = (why: string, cause?: unknown) => reject(new SlowPattern(this.#patternOf(tests), why, cause));
        timer = setTimeout(() => fail(`was still being matched after ${LIMIT_MS / 1000} seconds`), this.#leftMs);
        worker.removeAllListeners();
        worker.on('message', resolve);
        worker.on('error', (error: Error) => fail(`cannot be matched: ${error.message.slice(0, 300)}`, error));
        worker.on('exit', () => fail('cannot be matched: its thread has ended'));
        worker.postMessage(tests);
      });
    } finally {
      clearTimeout(timer);
      this.#leftMs -= 1000 * (process.uptime() - begin);
    }
  }

  /** Does not wait for the thread to end. */
  close(): void {
    // An error that nobody listens to would end the process.
    this.#worker?.removeAllListeners().on('error', () => {});
    void this.#worker?.terminate();
  }

  /** The time until the thread runs does not count: on a busy machine it may be long. */
  #start(): Promise<Worker> | Worker {
    if (this.#worker) return this.#worker;
    const { Worker: Thread } = process.getBuiltinModule('node:worker_threads');
    const worker = new Thread(SCRIPT, {
      eval: true,
      workerData: this.#current.buffer,
      resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
      env: {},
      execArgv: [],
    });
    this.#worker = worker;
    return new Promise((resolve, reject) => {
      worker.once('online', () => resolve(worker));
      worker.once('error', reject);
    });
  }

  #patternOf(tests: readonly PatternTest[]): string {
    return tests[Atomics.load(this.#current, 0)]?.[0] ?? '';
  }
}

function cut(pattern: string): string {
  return pattern.length <= 100 ? pattern : `${pattern.slice(0, 100).toWellFormed()}…`;
}
