import { type ErrorDetails, ToolError } from './errors.ts';
import type { Caller, Machine } from './machine.ts';

/** A question that the person must answer with yes before a tool may run. */
export interface Question {
  /** What the person reads. */
  readonly message: string;
  /** What the answer "always" permits, in this workspace and for this tool. */
  readonly permission: { readonly type: string; readonly key: string };
  /** A hash of what is approved, if the key does not tell all of it. A grant for another fingerprint does not count. */
  readonly fingerprint?: string;
  /** What a refusal carries beside its message. */
  readonly details?: ErrorDetails;
  /** Words the refusal; a fixed sentence if absent, or if it returns none. */
  refusal?(reason: RefusalReason): ToolError | undefined;
}

/** What a person answers: yes for this call, yes from now on, or no. */
export type Answer = 'once' | 'always' | 'deny';

/** Why a question was not answered with yes: the person said no, did not answer, or nobody can be asked. */
export type RefusalReason = 'denied' | 'unanswered' | 'nobody';

/** A call whose arguments have been checked. */
export interface CheckedCall {
  readonly tool: string;
  readonly question: Question | undefined;
}

/**
 * Lets a call run or throws: the one place that decides. A question is settled by a grant, or by the person; the answer
 * "always" becomes a grant. Throws the refusal of the question, `approval_required` unless the tool words it otherwise.
 */
export async function authorize({ tool, question }: CheckedCall, at: Machine & Caller): Promise<void> {
  if (!question) return;
  const { permission, fingerprint = permission.key } = question;
  const subject = { tool, ...permission, fingerprint };
  const grants = await at.grants();
  if (await grants.find(subject)) return;
  if (!at.ask) throw refuse(question, 'nobody');
  const answer = await at.ask(question);
  if (answer === undefined) throw refuse(question, 'unanswered');
  if (answer === 'deny') throw refuse(question, 'denied');
  // The person has said yes to this call, whether the answer can be remembered or not.
  if (answer === 'always') await grants.add(subject).catch((error: Error) => at.log(error.message));
  for (const warning of grants.takeWarnings()) at.log(warning);
}

const REFUSALS: Readonly<Record<RefusalReason, readonly [message: string, suggestion: string]>> = {
  denied: ['the person said no', 'do not try it another way; ask the person what to do instead'],
  unanswered: ['the person did not answer', 'ask the person, and call again'],
  nobody: ['a person must approve this, and nobody can be asked here', 'tell the person what you want to run, and why'],
};

function refuse(question: Question, reason: RefusalReason): ToolError {
  const worded = question.refusal?.(reason);
  if (worded) return worded;
  const [why, suggestion] = REFUSALS[reason];
  const { details } = question;
  return new ToolError('approval_required', `${why}: ${question.message}`, {
    suggestion,
    ...(details && { details }),
  });
}
