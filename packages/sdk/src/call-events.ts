import type { ReadableStreamDefaultController } from 'node:stream/web';
import type { Answer as ApprovalAnswer, Registry } from '@jinn/core';
import type { ToolError } from '@jinn/core/errors';
import { type ApprovalQuestion, toApprovalQuestion } from './ask-caller.ts';
import { type CallAnswer, toAnswer } from './call-answer.ts';

interface OfCall {
  /** The number of the call. */
  readonly call: number;
  /** The name of the tool. */
  readonly tool: string;
  /** The arguments of the call, as they were given. */
  readonly args: unknown;
}

/** What happens to a call: it starts, reports, asks a question, gets the user's decision, and ends. */
export type JinnEvent = OfCall &
  (
    | { readonly type: 'start' }
    | {
        readonly type: 'progress';
        /** The present step of the tool. */
        readonly message: string;
        /** How much is done, and of how much. */
        readonly done: number;
        /** Undefined if it is not known. */
        readonly total?: number | undefined;
      }
    | {
        readonly type: 'question';
        /** The question for the user. */
        readonly question: ApprovalQuestion;
      }
    | {
        readonly type: 'decision';
        /** Undefined if the user did not answer. */
        readonly decision: ApprovalAnswer | undefined;
      }
    | {
        readonly type: 'end';
        readonly ok: true;
        /** It has a `visualization`, if the tool can be shown as one. */
        readonly answer: CallAnswer<unknown>;
      }
    | {
        readonly type: 'end';
        readonly ok: false;
        /** The error of the call. */
        readonly error: ToolError;
      }
  );

type Happening = JinnEvent extends infer Event ? (Event extends JinnEvent ? Omit<Event, keyof OfCall> : never) : never;

/** Makes the events of an instance, of which nothing is kept while no one reads them. */
export function createEvents() {
  const readers = new Set<ReadableStreamDefaultController<JinnEvent>>();
  let calls = 0;
  let hasEnded = false;

  function observe(call: Registry['call']): Registry['call'] {
    return async (request, at) => {
      calls += 1;
      if (readers.size === 0) return call(request, at);
      const { tool, args = {} } = request;
      const of: OfCall = { call: calls, tool, args };
      const send = (what: Happening) => {
        for (const reader of readers) reader.enqueue({ ...of, ...what } as JinnEvent);
      };
      send({ type: 'start' });
      const { ask } = at;
      const outcome = await call(request, {
        ...at,
        showsVisualizations: true,
        progress: (message, done, total) => {
          send({ type: 'progress', message, done, total });
          at.progress?.(message, done, total);
        },
        ask:
          ask &&
          (async (question, signal) => {
            send({ type: 'question', question: toApprovalQuestion({ ...request, root: at.workspace.root }, question) });
            let answer: Awaited<ReturnType<typeof ask>>;
            try {
              answer = await ask(question, signal);
              return answer;
            } finally {
              send({ type: 'decision', decision: toDecision(answer) });
            }
          }),
      });
      send(
        outcome.ok
          ? { type: 'end', ok: true, answer: toAnswer(outcome) }
          : { type: 'end', ok: false, error: outcome.error },
      );
      return outcome;
    };
  }

  return {
    observe,
    /** Returns the events from now on. */
    open(): AsyncIterable<JinnEvent> {
      let own: ReadableStreamDefaultController<JinnEvent>;
      return new ReadableStream({
        start(controller) {
          own = controller;
          if (hasEnded) controller.close();
          else readers.add(controller);
        },
        cancel: () => void readers.delete(own),
      });
    },
    close(): void {
      hasEnded = true;
      for (const reader of readers) reader.close();
      readers.clear();
    },
  };
}

/** Any other value is no answer. */
function toDecision(answer: unknown): ApprovalAnswer | undefined {
  return answer === 'once' || answer === 'always' || answer === 'deny' ? answer : undefined;
}
