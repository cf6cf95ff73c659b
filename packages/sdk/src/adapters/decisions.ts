import type { ModelAnswer } from '@jinn/toolsets';
import type { ModelJinn } from '../create-jinn.ts';

/** A call of a framework. Frameworks that give calls no id leave it out. */
export interface ModelCall {
  readonly id?: string | undefined;
  readonly name: string;
  readonly args: unknown;
}

/** Runs the calls of a framework that asks the user itself, before the call. */
export interface Decisions {
  /**
   * Returns the question that the framework must ask about a call before it runs it, or undefined if there is nothing to
   * ask.
   */
  question(call: ModelCall): Promise<string | undefined>;
  /**
   * Runs a call. Security: the fact that a framework runs it counts as a yes only if its question went through
   * `question` before, and is the same now. Any other question goes to `approve` of the instance.
   */
  run(call: ModelCall, signal?: AbortSignal): Promise<ModelAnswer>;
}

/** The most questions that wait for an answer. A framework does not say that a call was denied. */
const MOST_ASKED = 1_000;

export function createDecisions(jinn: ModelJinn): Decisions {
  const asked = new Map<string, string>();
  return {
    question: async (call) => {
      const question = await jinn.question(call.name, call.args);
      const key = keyOf(call);
      // A framework may look again when it resumes: what counts is what the user saw.
      if (question && !asked.has(key)) keepAsked(asked, key, question.token);
      return question?.message;
    },
    run: (call, signal) => {
      const key = keyOf(call);
      const approved = asked.get(key);
      asked.delete(key);
      const approve = approved && (({ token }: { token: string }) => (token === approved ? 'once' : undefined));
      return jinn.callForModel(call.name, call.args, { signal, ...(approve && { approve }) });
    },
  };
}

function keepAsked(asked: Map<string, string>, key: string, token: string): void {
  for (const oldest of asked.keys()) {
    if (asked.size < MOST_ASKED) break;
    asked.delete(oldest);
  }
  asked.set(key, token);
}

function keyOf({ id, name, args }: ModelCall): string {
  return JSON.stringify([id, name, args]);
}
