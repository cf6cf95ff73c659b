/** The words for the answers to a question, in every program. */
export const ANSWER_WORDS = {
  once: 'Allow once',
  always: 'Always allow…',
  everybody: 'Always allow, for everybody…',
  deny: 'Deny',
} as const;

/** Returns the words for some answers, by the answer. */
export function wordsFor(answers: readonly (keyof typeof ANSWER_WORDS)[]): Readonly<Record<string, string>> {
  return Object.fromEntries(answers.map((answer) => [answer, ANSWER_WORDS[answer]]));
}
