import type { Answer as ApprovalAnswer, Question, Request } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';

/** A question that the user must answer with yes before a call runs. All of it is safe to show on a terminal. */
export interface ApprovalQuestion {
  /** The name of the tool. */
  readonly tool: string;
  /** The arguments of the call, as they were given. */
  readonly args: unknown;
  /** The text for the user: everything that matters for the decision. */
  readonly message: string;
  /** What the answer "always" permits, as a sentence, or undefined if that answer counts as "once". */
  readonly always: string | undefined;
  /**
   * Tells this question from any other: in another directory, about another tool or other arguments, or about code or
   * settings that have changed since. Who decides before the call approves the question of the same token, so that what was shown is what runs.
   */
  readonly token: string;
}

/**
 * Puts a question to the user. With undefined, or any value that is not an answer, such as true, the call is denied. If
 * it throws, the call does not run and rejects with the same error. The signal aborts when no answer is needed any more.
 */
export type Approve = (
  question: ApprovalQuestion,
  signal: AbortSignal | undefined,
) => ApprovalAnswer | undefined | Promise<ApprovalAnswer | undefined>;

/** The call that asks, and the directory that its tools are confined to. */
export interface CallerRequest extends Request {
  readonly root: string;
}

/** Asks by a function of the caller. `rethrow` throws the error of that function, if it failed. */
export function askBy(approve: Approve, call: CallerRequest, signal: AbortSignal | undefined) {
  let failed: { readonly error: unknown } | undefined;
  return {
    ask: async (question: Question, elsewhere = signal): Promise<ApprovalAnswer | undefined> => {
      try {
        return await approve(toApprovalQuestion(call, question), elsewhere);
      } catch (error) {
        if (elsewhere?.aborted) throw new ToolError('canceled', 'the call was canceled while its question was open');
        failed = { error };
        throw new ToolError('approval_required', 'the function approve failed', { cause: error });
      }
    },
    rethrow(): void {
      if (failed) throw failed.error;
    },
  };
}

/** Makes the question of a call one for the caller. */
export function toApprovalQuestion({ root, tool, args }: CallerRequest, question: Question): ApprovalQuestion {
  const { message, always, onlyOnce, permission, fingerprint } = question;
  const about = JSON.stringify([root, tool, args, message, permission, fingerprint]);
  const token = process.getBuiltinModule('node:crypto').createHash('sha256').update(about).digest('base64url');
  return { tool, args, message, always: onlyOnce === undefined ? always : undefined, token };
}
