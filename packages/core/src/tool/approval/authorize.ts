import { type ErrorDetails, ToolError } from '../../errors/index.ts';
import { toVisible, toVisibleLines } from '../../text/index.ts';
import type { Caller, Machine } from '../machine.ts';
import type { GrantSubject } from './grants.ts';

/** The policies that an operator may have for dangerous commands. */
export const DANGER_POLICIES = ['ask', 'allow', 'deny'] as const;

/** A question that the person must answer with yes before a tool may run. */
export interface Question {
  /**
   * The text for the person: everything that matters for the decision. Foreign text in it need not be made safe to
   * show.
   */
  readonly message: string;
  /** What the answer "always" permits, in this workspace and for this tool. */
  readonly permission: { readonly type: string; readonly key: string };
  /** The same as a sentence for the person. */
  readonly always?: string | undefined;
  /**
   * Why the answer "always" is not offered: a clause. For example, the person cannot see everything that it would
   * permit.
   */
  readonly onlyOnce?: string | undefined;
  /** True if the answer may count for everybody in the workspace. */
  readonly forAll?: boolean | undefined;
  /**
   * A hash of what is approved, if the key alone does not identify it. A grant for another fingerprint does not count.
   */
  readonly fingerprint?: string;
  /** The details of a refusal beside its message. */
  readonly details?: ErrorDetails;
  /** Makes the refusal; a fixed sentence if absent, or if it returns none. */
  refusal?(reason: RefusalReason): ToolError | undefined;
}

/** The answer of a person: yes for this call, yes from now on, or no. */
export type Answer = 'once' | 'always' | 'deny';

/** Why a question was not answered with yes: the person said no, did not answer, or nobody can be asked. */
export type RefusalReason = 'denied' | 'unanswered' | 'nobody';

/** How a question was settled: by a grant, by an answer, or not at all. */
export type Settlement = 'grant' | 'everybody' | Exclude<Answer, 'deny'> | RefusalReason;

/**
 * Lets a call of a tool run or throws: the one place that decides. A question is settled by a grant, or by the person;
 * the answers "always" and "everybody" become a grant. Throws the refusal of the question, which is `approval_required`
 * unless the tool makes another one.
 */
export async function authorize(tool: string, question: Question, at: Machine & Caller): Promise<void> {
  const grants = await at.grants();
  const settle = (settlement: Settlement) => at.settled?.(settlement, question);
  const refused = (reason: RefusalReason) => {
    settle(reason);
    return approvalError(question, reason);
  };
  const shown = await findOpenQuestion(tool, question, at);
  if (!shown) return settle('grant');
  if (!at.ask) throw refused('nobody');
  const answer = await at.ask(shown);
  if (answer === 'nobody') throw refused('nobody');
  if (answer === 'deny') throw refused('denied');
  const forAll = answer === 'everybody' && shown.forAll === true;
  // Security: whatever a host returns beside these is no yes. "always" counts as "once" where it was not offered.
  if (answer !== 'once' && answer !== 'always' && !forAll) throw refused('unanswered');
  settle(answer);
  // The person has said yes to this call, whether the answer can be remembered or not.
  if ((answer === 'always' || forAll) && shown.onlyOnce === undefined) {
    await grants.add(toSubject(tool, question), { forAll }).catch((error: Error) => at.log(error.message));
  }
  for (const warning of grants.takeWarnings()) at.log(warning);
}

/** Returns the question for the person; undefined if a grant settles it. */
export async function findOpenQuestion(
  tool: string,
  question: Question,
  at: Machine & Caller,
): Promise<Question | undefined> {
  const grants = await at.grants();
  return (await grants.find(toSubject(tool, question))) ? undefined : toShown(question, at);
}

/** Returns the subject under which the answer "always" to a question of a tool is kept. */
export function toSubject(tool: string, { permission, fingerprint = permission.key }: Question): GrantSubject {
  return { tool, ...permission, fingerprint };
}

/**
 * Makes the question for the person: it is safe to show, whatever foreign text it holds, and says what "always"
 * permits. Security: each way to a person gets its questions from here.
 */
function toShown(question: Question, { remembers = true, allowsForAll = false }: Caller): Question {
  const { message, permission, always = '', onlyOnce } = question;
  const sentence =
    onlyOnce === undefined ? remembers && always : `The answer "always" cannot be remembered: ${onlyOnce}.`;
  const reason = onlyOnce ?? (remembers ? undefined : 'it would count for other people too');
  return {
    ...question,
    message: toVisibleLines(sentence ? `${message}\n\n${sentence}` : message),
    permission: { type: toVisible(permission.type), key: toVisible(permission.key) },
    always: toVisibleLines(always),
    onlyOnce: reason,
    forAll: allowsForAll && reason === undefined,
  };
}

/** The sentence of a refusal, and the next step. */
export const REFUSALS: Readonly<Record<RefusalReason, readonly [message: string, suggestion: string]>> = {
  denied: ['the person said no', 'do not try it another way; ask the person what to do instead'],
  unanswered: ['the person did not answer', 'ask the person, and call again'],
  nobody: ['a person must approve this, and nobody can be asked here', 'tell the person what you want to run, and why'],
};

function approvalError(question: Question, reason: RefusalReason): ToolError {
  const worded = question.refusal?.(reason);
  if (worded) return worded;
  const [why, suggestion] = REFUSALS[reason];
  const { details } = question;
  return new ToolError('approval_required', `${why}: ${toVisibleLines(question.message)}`, {
    suggestion,
    ...(details && { details }),
  });
}
