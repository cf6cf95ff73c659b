import { ANSWER_WORDS } from '@jinn/core/text/answer-words';
import { CodeView } from '@jinn/views/show/code-view';
import { ResultView } from '@jinn/views/show/view';
import { shownLinesOf, toShown } from '@jinn/views/text/shown-text';
import { useEffect, useState } from 'preact/hooks';
import type { ShownQuestion } from '../server/question-socket.ts';
import { SETTLED } from './call-words.ts';
import { change } from './page-api.ts';
import { Button, Panel, Time, useLive } from './small-parts.tsx';

/** How long a button does nothing, since the press may have been meant for what was there before. */
const DEAD_MS = 500;

/** A question, and its settlement, if it is settled. */
export interface AskedQuestion {
  readonly question: ShownQuestion;
  readonly how?: string;
}

/** Shows the calls that wait for the user, each with everything that matters for the decision. */
export function QuestionsTab({ asked }: { asked: readonly AskedQuestion[] }) {
  const open = asked.filter(({ how }) => how === undefined).map(({ question }) => question.id);
  const isReady = useReady(open.join());
  if (asked.length === 0) return <p class="note">No call waits for your answer.</p>;
  return (
    <>
      {asked.map(({ question, how }) => (
        <QuestionCard key={question.id} {...{ question, how, isReady }} />
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
  readonly question: ShownQuestion;
  readonly how: string | undefined;
  readonly isReady: boolean;
}

function QuestionCard({ question, how, isReady }: QuestionCardProps) {
  const { openSession } = useLive();
  const { tool, client, door, workspace, message, risk, args, session, visualization } = question;
  return (
    <Panel title={tool} facts={risk && <span class="badge bad">{toShown(risk)}</span>}>
      <pre class="asked">{shownLinesOf(message).map(toShown).join('\n')}</pre>
      {visualization && <ResultView visualization={visualization} />}
      <p class="note">
        From {toShown(client === undefined ? door : `${client}, through ${door}`)}, in <bdi>{toShown(workspace)}</bdi>.{' '}
        <Button press={() => openSession(session)}>Show its session</Button>
      </p>
      <CodeView
        code={{ type: 'code', path: 'Arguments', language: 'json', content: JSON.stringify(args, null, 2) }}
        isOpen={false}
      />
      {how === undefined ? (
        <Answers question={question} isReady={isReady} />
      ) : (
        <p class="note">{SETTLED[how] ?? toShown(how)}</p>
      )}
    </Panel>
  );
}

function Answers({ question, isReady }: Pick<QuestionCardProps, 'question' | 'isReady'>) {
  const [isAlways, setAlways] = useState(false);
  const [fault, setFault] = useState('');
  const { id, sha, isOnlyOnce, permission, always, until } = question;
  const isSure = useReady(`${id} ${isAlways}`);
  const answer = (decision: string) =>
    void change('answer', { id, sha, answer: decision }).catch((error: Error) => setFault(error.message));
  if (isAlways) {
    return (
      <section aria-label={ANSWER_WORDS.always} class="undo">
        <p class="note">{toShown(always ?? 'This would not be asked again in this workspace:')}</p>
        <pre>{toShown(permission.key)}</pre>
        <p class="answers">
          <Button look="main" isGuarded isOff={!isReady || !isSure} press={() => answer('always')}>
            Save and allow
          </Button>
          <Button press={() => setAlways(false)}>Back</Button>
          {fault && <span role="alert">{toShown(fault)}</span>}
        </p>
      </section>
    );
  }
  return (
    <p class="answers">
      <Button look="main" isGuarded isOff={!isReady} press={() => answer('once')}>
        {ANSWER_WORDS.once}
      </Button>
      {!isOnlyOnce && (
        <Button isGuarded isOff={!isReady} press={() => setAlways(true)}>
          {ANSWER_WORDS.always}
        </Button>
      )}
      <Button look="bad" isGuarded isOff={!isReady} press={() => answer('deny')}>
        {ANSWER_WORDS.deny}
      </Button>
      <span class="quiet">
        The call waits until <Time at={until} />.
      </span>
      {fault && <span role="alert">{toShown(fault)}</span>}
    </p>
  );
}
