import type { Answer as ApprovalAnswer, Question, Request } from '@jinn/core';

/** A question that a person must answer with yes before a call runs. All of it is safe to show on a terminal. */
export interface ApprovalQuestion {
  /** The name of the tool. */
  readonly tool: string;
  /** The arguments of the call, as they were given. */
  readonly args: unknown;
  /** The text for the person: everything that matters for the decision. */
  readonly message: string;
  /** What the answer "always" permits, as a sentence; undefined if that answer counts as "once". */
  readonly always: string | undefined;
  /**
   * Tells this question from any other: in another directory, about another tool or other arguments, or about code or
   * settings that have changed since. Who decides before the call approves the question of the same token, so that what was shown is what runs.
   */
  readonly token: string;
}

/**
 * Puts a question to a person. An error, undefined, or any value that is not an answer, such as true, means that the
 * person did not answer: the call is refused.
 */
export type Approve = (
  question: ApprovalQuestion,
  signal: AbortSignal | undefined,
) => ApprovalAnswer | undefined | Promise<ApprovalAnswer | undefined>;

/** A call, and the directory that its tools are confined to. */
export interface AskingCall extends Request {
  readonly root: string;
}

/** Makes the function that asks by `approve` for the questions of one call. */
export function askBy(approve: Approve, call: AskingCall, signal: AbortSignal | undefined) {
  return async (question: Question): Promise<ApprovalAnswer | undefined> =>
    approve(toApprovalQuestion(call, question), signal);
}

/** Formats a question of a call for the one who approves. */
export function toApprovalQuestion({ root, tool, args }: AskingCall, question: Question): ApprovalQuestion {
  const { message, always, onlyOnce, permission, fingerprint } = question;
  const about = JSON.stringify([root, tool, args, message, permission, fingerprint]);
  const token = process.getBuiltinModule('node:crypto').createHash('sha256').update(about).digest('base64url');
  return { tool, args, message, always: onlyOnce === undefined ? always : undefined, token };
}
