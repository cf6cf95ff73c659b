import { ToolError } from '../../errors/index.ts';
import { cutMiddle, indentLines, toVisible, toVisibleLines } from '../../text/index.ts';
import type { CallHooks, Machine } from '../machine.ts';
import type { GrantSubject } from './grants.ts';
import type { Question, RefusalReason, Settlement } from './question.ts';

/** The most characters of a patch in a message. */
const MAX_PATCH = 4_000;

/**
 * Lets a call of a tool run or throws: the one place that decides. A question is settled by a grant, or by the user.
 * The answers "always" and "everybody" become a grant. Throws the refusal of the question, or else `approval_required`.
 */
export async function authorize(tool: string, question: Question, at: Machine & CallHooks): Promise<void> {
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
  // Security: anything else that a host returns is no yes. "always" counts as "once" where it was not offered.
  if (answer !== 'once' && answer !== 'always' && !forAll) throw refused('unanswered');
  settle(answer);
  // The user has approved this call, whether the answer can be saved or not.
  if ((answer === 'always' || forAll) && shown.onlyOnce === undefined) {
    await grants.add(toSubject(tool, question), { forAll }).catch((error: Error) => at.log(error.message));
  }
  for (const warning of grants.takeWarnings()) at.log(warning);
}

/** Returns the question for the user, or undefined if a grant settles it. */
export async function findOpenQuestion(
  tool: string,
  question: Question,
  at: Machine & CallHooks,
): Promise<Question | undefined> {
  const grants = await at.grants();
  return (await grants.find(toSubject(tool, question))) ? undefined : toShown(question, at);
}

/** Returns the subject under which the answer "always" to a question is saved. */
export function toSubject(tool: string, { permission, fingerprint = permission.key }: Question): GrantSubject {
  return { tool, ...permission, fingerprint };
}

/** Security: every question to a user comes from here, so that foreign text in it is safe to show. */
function toShown(question: Question, { remembers = true, allowsForAll = false }: CallHooks): Question {
  const { message, patch, permission, always = '', onlyOnce } = question;
  const sentence =
    onlyOnce === undefined ? remembers && always : `The answer "always" cannot be remembered: ${onlyOnce}.`;
  const reason = onlyOnce ?? (remembers ? undefined : 'it would count for other users too');
  const join = (...parts: readonly (string | false | undefined)[]) =>
    toVisibleLines(parts.filter(Boolean).join('\n\n'));
  return {
    ...question,
    message: join(message, patch && `${patch.about}\n${indentLines(cutMiddle(patch.text, MAX_PATCH).text)}`, sentence),
    words: join(message, sentence),
    permission: { type: toVisible(permission.type), key: toVisible(permission.key) },
    always: toVisibleLines(always),
    onlyOnce: reason,
    forAll: allowsForAll && reason === undefined,
  };
}

export const REFUSALS: Readonly<Record<RefusalReason, readonly [message: string, suggestion: string]>> = {
  denied: ['the user denied this call', 'do not work around it: ask the user how to proceed'],
  unanswered: ['the user did not answer', 'ask the user, and call again'],
  nobody: [
    'this call needs user approval, but the client cannot ask for it',
    'tell the user what you want to run and why',
  ],
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
