import type { ErrorObject } from 'ajv';
import { ToolError } from '../../errors/index.ts';
import { StoppableThread } from '../../thread/index.ts';

const MAX_SCHEMAS = 500;
const TOO_LARGE = { message: 'the check takes more memory than there is' };
const OPTIONS = {
  data: undefined,
  limitMs: 2_000,
  maxMemoryMb: 256,
  tooLarge: TOO_LARGE,
  tooSlow: { message: 'the check was still running' },
};

export interface SchemaTask {
  readonly id: number;
  /** Undefined if the thread knows the schema of this id. */
  readonly schema: object | undefined;
  readonly value: unknown;
  readonly findsAll: boolean;
}

/** `hasMore` if it is worth looking for further faults. */
export type SchemaAnswer =
  | { readonly errors: readonly ErrorObject[]; readonly hasMore: boolean }
  | { readonly fault: string; readonly isTooLarge: boolean };

/**
 * Checks values on a thread of its own, since a pattern that backtracks, or a choice of choices, can be stopped in no
 * other way. One thread serves the process, one check after the other.
 */
class SchemaThread {
  #thread: StoppableThread<SchemaTask, SchemaAnswer> | undefined;
  readonly #sent = new Set<number>();
  #last: Promise<unknown> = Promise.resolve();

  /** Rejects with ToolError `timeout` or `resource_limit`, and with an Error if the schema is wrong. */
  check(id: number, schema: object, value: unknown): Promise<readonly ErrorObject[]> {
    const check = this.#last.then(() => this.#check(id, schema, value));
    this.#last = check.catch(() => undefined);
    return check;
  }

  /** Looks for the first fault, then for all. If the time is over after the first, that is the answer. */
  async #check(id: number, schema: object, value: unknown): Promise<readonly ErrorObject[]> {
    if (this.#sent.size >= MAX_SCHEMAS) this.#close();
    this.#thread ??= new StoppableThread((await import('./schema-thread-main.ts?thread')).default, OPTIONS);
    this.#thread.renew();
    const task = { id, schema: this.#sent.has(id) ? undefined : schema, value };
    this.#sent.add(id);
    const { errors, hasMore } = await this.#ask(this.#thread, { ...task, findsAll: false });
    if (!hasMore) return errors;
    const all = this.#ask(this.#thread, { id, schema: undefined, value, findsAll: true });
    return all.then((answer) => answer.errors).catch(() => errors);
  }

  async #ask(thread: StoppableThread<SchemaTask, SchemaAnswer>, task: SchemaTask) {
    const answer = await thread.ask(task).catch((error: unknown) => {
      this.#close();
      throw error;
    });
    if (!('fault' in answer)) return answer;
    throw answer.isTooLarge ? new ToolError('resource_limit', TOO_LARGE.message) : new Error(answer.fault);
  }

  #close(): void {
    void this.#thread?.close();
    this.#thread = undefined;
    this.#sent.clear();
  }
}

const thread = new SchemaThread();
let count = 0;

/** Returns the faults of a value. Rejects with ToolError if the check takes too much, with Error for a wrong schema. */
export type Validator = (value: unknown) => Promise<readonly ErrorObject[]>;

/** Makes a validator for a schema that a user wrote. It is compiled at the first use. No other schema is fetched. */
export function createValidator(schema: object): Validator {
  const id = count++;
  return (value) => thread.check(id, schema, value);
}
