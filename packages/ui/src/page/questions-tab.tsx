import { ANSWER_WORDS } from '@jinn/core/text/answer-words';
import { CodeView } from '@jinn/views/show/code-view';
import { shownLinesOf, toShown } from '@jinn/views/text/shown-text';
import { useEffect, useState } from 'preact/hooks';
import type { AskMessage } from '../journal/journal-record.ts';
import { change } from './page-api.ts';

/** How long a button does nothing, since the press may have been meant for what was there before. */
const DEAD_MS = 500;

/** A question, and its settlement, if it is settled. */
export interface AskedQuestion {
  readonly question: AskMessage;
  readonly how?: string;
}

const HOW: Readonly<Record<string, string>> = {
  once: 'allowed once',
  always: 'allowed for good',
  deny: 'denied',
  gone: 'gone: the call was ended, was answered elsewhere, or waited too long',
};

/** Shows the calls that wait for the user, each with everything that matters for the decision. */
export function QuestionsTab({ asked }: { asked: readonly AskedQuestion[] }) {
  const open = asked.filter(({ how }) => how === undefined).map(({ question }) => question.id);
  const isReady = useReady(open.join());
  if (asked.length === 0) return <p class="note">No call waits for your answer.</p>;
  return (
    <>
      {asked.map(({ question, how }) => (
        <QuestionCard key={question.id} question={question} how={how} isReady={isReady} />
      ))}
    </>
  );
}

function useReady(what: string): boolean {
  const [ready, setReady] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => setReady(what), DEAD_MS);
    return () => clearTimeout(timer);
  }, [what]);
  return ready === what;
}

interface QuestionCardProps {
  readonly question: AskMessage;
  readonly how: string | undefined;
  readonly isReady: boolean;
}

function QuestionCard({ question, how, isReady }: QuestionCardProps) {
  const [fault, setFault] = useState('');
  const { id, sha, tool, client, door, workspace, message, isOnlyOnce, risk, args, until } = question;
  const answer = (decision: string) =>
    void change('answer', { id, sha, answer: decision }).catch((error: Error) => setFault(error.message));
  const content = JSON.stringify(args, null, 2);
  return (
    <article class="card question">
      <header>
        <h2>
          <bdi>{toShown(tool)}</bdi>
        </h2>
        <span class="facts">
          {risk && <span class="badge bad">{toShown(risk)}</span>}
          <span>{toShown(client ?? door)}</span>
          <bdi>{toShown(workspace)}</bdi>
        </span>
      </header>
      <pre class="asked">{shownLinesOf(message).map(toShown).join('\n')}</pre>
      <CodeView code={{ type: 'code', path: 'Arguments', language: 'json', content }} isOpen={false} />
      {how !== undefined && <p class="note">{HOW[how] ?? toShown(how)}</p>}
      {how === undefined && (
        <p class="answers">
          <AnswerButton label={ANSWER_WORDS.once} isReady={isReady} press={() => answer('once')} />
          {!isOnlyOnce && <AnswerButton label={ANSWER_WORDS.always} isReady={isReady} press={() => answer('always')} />}
          <button type="button" class="more" disabled={!isReady} onClick={() => answer('deny')}>
            {ANSWER_WORDS.deny}
          </button>
          <span class="quiet">The call waits until {new Date(until).toLocaleTimeString()}.</span>
        </p>
      )}
      {fault && <p role="alert">{toShown(fault)}</p>}
    </article>
  );
}

function AnswerButton({ label, isReady, press }: { label: string; isReady: boolean; press: () => void }) {
  return (
    <button
      type="button"
      class="more"
      disabled={!isReady}
      onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
      onClick={press}
    >
      {label}
    </button>
  );
}
