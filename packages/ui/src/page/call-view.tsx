import { CodeView } from '@jinn/views/show/code-view';
import { ResultView } from '@jinn/views/show/view';
import { plural, shownLinesOf, toShown } from '@jinn/views/text/shown-text';
import { useEffect, useRef, useState } from 'preact/hooks';
import { callStateOf } from '../journal/call-state.ts';
import type { CallDetail } from '../journal/read-journal.ts';
import { CallHeading } from './call-list.tsx';
import { SETTLED } from './call-words.ts';
import { type CallRow, change } from './page-api.ts';
import { Button, Notes, Said, useChange, useLive, useRead } from './small-parts.tsx';
import { type ChangeHistory, UndoPanel, useHistory } from './undo-panel.tsx';

/** Shows a whole call: what it did, its arguments, the text that the agent got, and its facts. */
export function CallCard({ call }: { call: CallRow }) {
  const { openSession } = useLive();
  const history = useHistory(call.workspace);
  const { client, door, workspace, pid, risk, settled, code, operation, session } = call;
  const facts = [
    workspace,
    client && `through ${door}`,
    `process ${pid}`,
    risk,
    settled && SETTLED[settled],
    code,
    operation,
  ];
  return (
    <>
      <h2 class="call">
        <CallHeading row={call} />
      </h2>
      <CallActions {...{ call, history }} later={[]} />
      <CallBody call={call} isWhole />
      <p class="answers quiet">
        {facts.filter(Boolean).map(toShown).join(' · ')}
        <Button press={() => openSession(session)}>Show its session</Button>
      </p>
    </>
  );
}

/** The field for a line of input. The server takes no longer one. */
const FIELD = { name: 'line', 'aria-label': 'Input for the job', autocomplete: 'off', maxLength: 4_000 };

interface StepProps {
  readonly call: CallRow;
  /** The changes after this one that are in effect. */
  readonly later: readonly string[];
  readonly history: ChangeHistory;
}

/** Shows a call as a step of its session. What a reader looks for is open. */
export function Step({ call, later, history }: StepProps) {
  const state = callStateOf(call);
  const isTelling = state === 'ok' ? call.operation !== undefined || call.exit !== undefined : state !== 'running';
  const [open, setOpen] = useState<boolean>();
  const article = useRef<HTMLElement>(null);
  const isSeen = useSeen(article);
  const isOpen = open ?? isTelling;
  return (
    <article ref={article} class="step">
      <h3>
        <button type="button" class="call" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <CallHeading row={call} isBrief />
        </button>
      </h3>
      {isOpen && isSeen && <CallBody call={call} isWhole={open === true} />}
      <CallActions {...{ call, later, history }} />
    </article>
  );
}

/** Reports whether an element has come near the view: what it shows is then read. */
function useSeen(element: { readonly current: Element | null }): boolean {
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const observer = new IntersectionObserver((seen) => seen.some((each) => each.isIntersecting) && setSeen(true), {
      rootMargin: '600px',
    });
    if (element.current) observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return isSeen;
}

function CallActions({ call: { id, operation, workspace }, later, history }: StepProps) {
  const { running, waiting, openQuestions } = useLive();
  const [ids, setIds] = useState<readonly string[]>();
  const { said, run } = useChange();
  const { lines, input } = running.get(id) ?? {};
  const written = waiting.has(id) ? undefined : lines;
  const undone = operation === undefined ? undefined : history.undone.get(operation);
  return (
    <>
      {written && <pre class="terminal">{written.map(toShown).join('\n') || 'Nothing was written yet.'}</pre>}
      {written && input && <InputForm id={id} isHidden={input === 'hidden'} />}
      <p class="answers">
        {waiting.has(id) && <Button look="main" press={openQuestions}>{`Answer its question`}</Button>}
        {written && <Button look="bad" press={() => run(change('stop', { id }))}>{`Stop`}</Button>}
        {written && said && <span role="status">{toShown(said)}</span>}
        {undone && <span class="badge warn">undone</span>}
        {operation && undone === false && (
          <Button look="undo-this" press={() => setIds([operation])}>{`Undo this…`}</Button>
        )}
        {operation && later.length > 0 && (
          <Button press={() => setIds(later)}>Undo everything after this ({plural(later.length, 'change')})…</Button>
        )}
      </p>
      {ids && <UndoPanel key={ids.join()} {...{ workspace, ids, history }} close={() => setIds(undefined)} />}
    </>
  );
}

/** Lets the user type a line for a job. The field hides it if the terminal of the job does. */
function InputForm({ id, isHidden }: { id: string; isHidden: boolean }) {
  const { said, run } = useChange();
  const send = (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    run(change('input', { id, text: new FormData(event.currentTarget).get('line') }));
    event.currentTarget.reset();
  };
  return (
    <form class="answers" onSubmit={send}>
      {isHidden ? (
        <input type="password" placeholder="Type what it asks for, unseen" {...FIELD} />
      ) : (
        <input type="text" placeholder="Type a line for it" {...FIELD} />
      )}
      <button type="submit" class="more">
        Send
      </button>
      <span role="status">{toShown(said)}</span>
    </form>
  );
}

/** Shows what a call did. `isWhole` adds its arguments, and the text that the agent got. */
function CallBody({ call, isWhole }: { call: CallRow; isWhole: boolean }) {
  const { value, fault } = useRead<CallDetail>('call', { at: call.at });
  if (!value) return <Said text={fault || 'Loading'} />;
  const { args, text = '', suggestion, warnings = [], visualization, leftOut = [] } = value;
  const hasFailed = call.ok === false;
  const told = suggestion === undefined ? [] : [`Advice to the agent: ${suggestion}`];
  const code = (path: string, content: string, language?: string) => (
    <CodeView
      code={{ type: 'code', path, content, ...(language && { language }) }}
      isOpen={!visualization && !language}
    />
  );
  return (
    <>
      {hasFailed && <pre class="bad">{shownLinesOf(text).map(toShown).join('\n')}</pre>}
      <Notes of={[...told, ...warnings, ...leftOut.map((what) => `not kept: ${what}`)]} />
      {visualization && <ResultView visualization={visualization} />}
      {!hasFailed && text && (isWhole || !visualization) && code('Text for the agent', text)}
      {isWhole && args !== undefined && code('Arguments', JSON.stringify(args, null, 2), 'json')}
    </>
  );
}
