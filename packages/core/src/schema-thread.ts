import type { Worker } from 'node:worker_threads';
import type { ErrorObject } from 'ajv';

/** A check may take so long, from when the thread runs: on a busy machine its start may take long. */
const LIMIT_MS = 2_000;
const MAX_MEMORY_MB = 256;
/** The thread keeps what it has compiled. With more schemas, a new one takes its place. */
const MAX_SCHEMAS = 500;
export interface SchemaTask {
  readonly id: number;
  /** Undefined if the thread knows the schema of this id. */
  readonly schema: object | undefined;
  readonly value: unknown;
}

/** What is wrong with a value, or with its schema. With `isFirst`, an answer with all that is wrong with the value follows. */
export type SchemaAnswer =
  | { readonly errors: readonly ErrorObject[]; readonly isFirst?: true }
  | { readonly fault: string; readonly isTooLarge: boolean };

/** A value that could not be checked in the time and memory that there is. */
export class SlowCheck extends Error {}

/**
 * Checks values against schemas on a thread of its own, since neither a pattern that backtracks nor a choice of choices can
 * be stopped in another way. One thread serves the process, a check after the other.
 */
class SchemaThread {
  #worker: Worker | undefined;
  readonly #sent = new Set<number>();
  #last: Promise<unknown> = Promise.resolve();

  /** Rejects with SlowCheck, and with an Error if the schema is wrong. */
  check(id: number, schema: object, value: unknown): Promise<readonly ErrorObject[]> {
    const check = this.#last.then(() => this.#check(id, schema, value));
    this.#last = check.catch(() => undefined);
    return check;
  }

  async #check(id: number, schema: object, value: unknown): Promise<readonly ErrorObject[]> {
    if (this.#sent.size >= MAX_SCHEMAS) this.#close();
    const worker = this.#worker ?? (await this.#start());
    const task: SchemaTask = { id, schema: this.#sent.has(id) ? undefined : schema, value };
    this.#sent.add(id);
    worker.ref();
    try {
      const answer = await this.#ask(worker, task);
      if (!('fault' in answer)) return answer.errors;
      throw answer.isTooLarge ? new SlowCheck('the check takes more memory than there is') : new Error(answer.fault);
    } finally {
      worker.unref();
    }
  }

  /** If the time is over after the first fault was found, that is the answer. */
  #ask(worker: Worker, task: SchemaTask): Promise<SchemaAnswer> {
    let first: SchemaAnswer | undefined;
    let timer: NodeJS.Timeout | undefined;
    return new Promise<SchemaAnswer>((resolve, reject) => {
      const fail = (why: string, cause?: unknown) => {
        this.#close();
        if (first) resolve(first);
        else reject(new SlowCheck(why, { cause }));
      };
      timer = setTimeout(() => fail(`the check was still running after ${LIMIT_MS / 1000} seconds`), LIMIT_MS);
      worker.removeAllListeners();
      worker.on('message', (answer: SchemaAnswer) => {
        if ('isFirst' in answer) first = answer;
        else resolve(answer);
      });
      worker.on('error', (error: Error) => fail(`the check failed: ${error.message.slice(0, 300)}`, error));
      worker.on('exit', () => fail('the check failed: its thread has ended'));
      worker.postMessage(task);
    }).finally(() => clearTimeout(timer));
  }

  async #start(): Promise<Worker> {
    const { Worker: Thread } = process.getBuiltinModule('node:worker_threads');
    const { default: script } = await import('./schema-thread-main.ts?thread');
    const worker = new Thread(script, {
      eval: true,
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

  /** Does not wait for the thread to end. */
  #close(): void {
    // An error that nobody listens to would end the process.
    this.#worker?.removeAllListeners().on('error', () => {});
    void this.#worker?.terminate();
    this.#worker = undefined;
    this.#sent.clear();
  }
}

const thread = new SchemaThread();
let count = 0;

/** Returns what is wrong with a value. Rejects with SlowCheck, and with an Error if the schema itself is wrong. */
export type Validator = (value: unknown) => Promise<readonly ErrorObject[]>;

/** Makes a validator for a schema that a user wrote. It is compiled at the first use. No other schema is fetched. */
export function createValidator(schema: object): Validator {
  const id = count++;
  return (value) => thread.check(id, schema, value);
}
