import type { ErrorDetails, ToolError } from '../../errors/index.ts';
import type { ShownText } from '../../text/index.ts';

export const DANGER_POLICIES = ['ask', 'allow', 'deny'] as const;

export interface Question {
  /** Everything that matters for the decision. Foreign text in it need not be made safe to show. */
  readonly message: string;
  /** The changes that are asked about, and a patch of them, which is empty if it is too long. The message ends with it. */
  readonly patch?: { readonly about: string; readonly text: string } | undefined;
  /** The message without the patch, for a program that draws it. Set when the question is put. */
  readonly words?: string;
  /** What the answer "always" permits, in this workspace and for this tool. */
  readonly permission: { readonly type: string; readonly key: string };
  readonly always?: string | undefined;
  /** Why the answer "always" is not offered: a clause. For example, the user cannot see all that it would permit. */
  readonly onlyOnce?: string | undefined;
  readonly forAll?: boolean | undefined;
  /** A hash of what is approved, if the key does not identify it. A grant for another fingerprint does not count. */
  readonly fingerprint?: string;
  readonly details?: ErrorDetails;
  /** A fixed sentence if absent, or if it returns none. */
  refusal?(reason: RefusalReason): ToolError | undefined;
}

/** The answer of the user: yes for this call, yes from now on, or no. */
export type Answer = 'once' | 'always' | 'deny';

/** Why a question was not answered with yes: the user denied this call, did not answer, or no one can be asked. */
export type RefusalReason = 'denied' | 'unanswered' | 'nobody';

export type Settlement = 'grant' | 'everybody' | Exclude<Answer, 'deny'> | RefusalReason;

export interface RunToApprove extends Omit<Question, 'message' | 'onlyOnce'> {
  readonly paragraphs: readonly string[];
  readonly shown: readonly (readonly [called: string, text: ShownText])[];
  /** Why the user does not see all that decides on what runs: a clause. */
  readonly unseen: string | undefined;
}

/** Makes the question whether something may run. "Always" is only offered for what the user sees as a whole. */
export function askToRun({ paragraphs, shown, unseen, ...question }: RunToApprove): Question {
  const message = paragraphs.filter((paragraph) => paragraph !== '').join('\n\n');
  return { ...question, message, onlyOnce: unseen ?? tooLongReason(shown) };
}

function tooLongReason(shown: RunToApprove['shown']): string | undefined {
  const [called] = shown.find(([, { isWhole }]) => !isWhole) ?? [];
  return called && `${called} is too long to be shown`;
}
