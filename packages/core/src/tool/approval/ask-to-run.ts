import type { ShownText } from '../../text/index.ts';
import type { Question } from './authorize.ts';

/** What is to run, as the person sees it. */
export interface RunToApprove extends Omit<Question, 'message' | 'onlyOnce'> {
  /** The paragraphs of the question; an empty one is left out. */
  readonly paragraphs: readonly string[];
  /** The texts that are shown, each with what it is called. */
  readonly shown: readonly (readonly [called: string, text: ShownText])[];
  /** Why the person does not see all that decides on what runs: a clause. */
  readonly unseen: string | undefined;
}

/** Makes the question whether something may run. The answer "always" is only offered for what the person sees as a whole. */
export function askToRun({ paragraphs, shown, unseen, ...question }: RunToApprove): Question {
  const message = paragraphs.filter((paragraph) => paragraph !== '').join('\n\n');
  return { ...question, message, onlyOnce: unseen ?? tooLongReason(shown) };
}

function tooLongReason(shown: RunToApprove['shown']): string | undefined {
  const [called] = shown.find(([, { isWhole }]) => !isWhole) ?? [];
  return called && `${called} is too long to be shown`;
}
