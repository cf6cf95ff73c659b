import { type Answer, type Question, type Request, toEnvelope, toFailure } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import type { Incoming } from '@jinn/core/text';
import { wordsFor } from '@jinn/core/text/answer-words';
import { withRequestId } from './request.ts';

/** The user may be away for some minutes. */
const WAIT_MS = 10 * 60 * 1000;
const ANSWERS: readonly Answer[] = ['once', 'always', 'deny'];
const ANSWERS_ONCE: readonly Answer[] = ['once', 'deny'];
const MAX_SHOWN = 60;

export interface AskedCall extends Request {
  readonly requestId: string | undefined;
}

/** Questions to the user at the host, over the pipes of a session (docs/approvals.md). */
export interface PipeApprovals {
  readonly isWaiting: boolean;
  /** Settles when the next question is put. */
  asked(): Promise<void>;
  /** Resolves to undefined if no one answers within ten minutes, or input ends. Throws `canceled` if `signal` aborts. */
  ask(call: AskedCall, question: Question, signal?: AbortSignal): Promise<Answer | undefined>;
  /** Returns the decision of the user that a value of the input holds, or undefined if it holds none. */
  toDecision(incoming: Incoming): Decision | undefined;
  /**
   * Accepts the decision of the user. Returns the line that refuses it, if it is refused. Then the question stays open.
   */
  take(decision: Decision): string | undefined;
  /** Hears that the input has ended: no one can answer any more. */
  end(): void;
}

export interface Decision {
  readonly approval: string;
  readonly [member: string]: unknown;
}

function toDecision(incoming: Incoming): Decision | undefined {
  if (!incoming.ok) return undefined;
  const value = Object(incoming.value) as Readonly<Record<string, unknown>>;
  const { approval, tool } = value;
  return typeof approval === 'string' && tool === undefined ? { ...value, approval } : undefined;
}

/** Makes the approvals of a session. `write` writes a line to the host. */
export function createPipeApprovals(write: (line: string) => void, waitMs = WAIT_MS): PipeApprovals {
  const open = new Map<string, { readonly answers: readonly Answer[]; settle(answer: Answer | undefined): void }>();
  const faultOf = ({ approval, answer }: Decision): string | undefined => {
    const asked = open.get(approval);
    if (!asked) return `no question with the id ${JSON.stringify(approval.slice(0, MAX_SHOWN))} is open`;
    const known = asked.answers.find((each) => each === answer);
    if (known === undefined) return `"answer" must be one of ${asked.answers.join(', ')}. The question is still open`;
    asked.settle(known);
    return undefined;
  };
  let tellAsked: (() => void) | undefined;
  let hasEnded = false;
  return {
    get isWaiting() {
      return open.size > 0;
    },
    toDecision,
    asked: () =>
      new Promise((resolve) => {
        tellAsked = resolve;
      }),
    ask: async (call, question, signal) => {
      if (hasEnded) return undefined;
      // Security: no one can answer a question before it is put, since its id cannot be guessed.
      const id = process.getBuiltinModule('node:crypto').randomUUID();
      const answered = new Promise<Answer | undefined>((resolve) => {
        const timer = setTimeout(() => settle(undefined), waitMs);
        function settle(answer: Answer | undefined): void {
          clearTimeout(timer);
          open.delete(id);
          resolve(answer);
        }
        open.set(id, { settle, answers: question.onlyOnce === undefined ? ANSWERS : ANSWERS_ONCE });
      });
      write(`{"approval":${withRequestId(describe(id, call, question), call.requestId)}}\n`);
      tellAsked?.();
      const settleOpen = () => open.get(id)?.settle(undefined);
      signal?.addEventListener('abort', settleOpen, { once: true });
      const answer = await answered;
      if (signal?.aborted) throw new ToolError('canceled', 'the request was canceled while its question was open');
      return answer;
    },
    take: (decision) => {
      const fault = faultOf(decision);
      return fault === undefined ? undefined : refuse(decision, fault);
    },
    end: () => {
      hasEnded = true;
      for (const { settle } of [...open.values()]) settle(undefined);
    },
  };
}

function refuse({ approval }: Decision, fault: string): string {
  const error = new ToolError('invalid_request', `invalid decision: ${fault}`, {
    suggestion: 'send {"approval":"the id of the question","answer":"once"}',
  });
  return JSON.stringify({ ...toEnvelope(toFailure(error)), approval });
}

function describe(id: string, { tool, args }: AskedCall, { message, permission, onlyOnce, details }: Question): object {
  const risk = details?.risk;
  const answers = onlyOnce === undefined ? ANSWERS : ANSWERS_ONCE;
  return {
    id,
    tool,
    args,
    message,
    permission,
    ...(onlyOnce !== undefined && { answers }),
    labels: wordsFor(answers),
    ...(risk && { risk }),
  };
}
