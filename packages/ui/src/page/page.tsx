import { toShown } from '@jinn/views/text/shown-text';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { AskMessage } from '../journal/journal-record.ts';
import { CallsTab } from './calls-tab.tsx';
import { type CallEvents, followEvents, type PageEvent, type RunningCalls, read } from './page-api.ts';
import { type AskedQuestion, QuestionsTab } from './questions-tab.tsx';
import { Button, ChoiceField, Live, useKeys } from './small-parts.tsx';
import { GrantsTab, HistoryTab, MemoryTab } from './state-tabs.tsx';
import { ToolsTab } from './tools-tab.tsx';

const TABS = ['Calls', 'Questions', 'History', 'Memory', 'Tools', 'Grants'] as const;
type TabName = (typeof TABS)[number];
/** The tabs that are about one workspace. */
const OF_WORKSPACE = { History: HistoryTab, Memory: MemoryTab, Tools: ToolsTab, Grants: GrantsTab };
/** How many settled questions stay in the list. */
const MAX_ASKED = 50;
const KEYS = 'j, k: next, previous call · Enter: open it · u: preview its undo · /: search · Esc: back · ?: these keys';

/** Shows the page: calls and sessions, open questions, and the state of a workspace. */
export function UiPage() {
  const [tab, setTab] = useState<TabName>('Calls');
  const [asked, setAsked] = useState<readonly AskedQuestion[]>([]);
  const [running, setRunning] = useState<RunningCalls>(new Map());
  const [session, setSession] = useState({ session: '' });
  const [streams, setStreams] = useState(0);
  const [state, setState] = useState('');
  const [helps, setHelps] = useState(false);
  const { current: hear } = useRef<CallEvents>(new Set());
  useEffect(
    () =>
      followEvents((event) => {
        if (event.type === 'call' || event.type === 'gone') for (const listen of hear) listen(event);
        else if (event.type === 'running') setRunning((known) => new Map(known).set(event.id, event));
        else setAsked((known) => applyEvent(known, event));
        if (event.type === 'question') notifyOf(event.question);
        // Each stream starts with the questions.
        if (event.type === 'questions') setStreams((count) => count + 1);
      }, setState),
    [],
  );
  const waiting = useMemo(() => waitingIn(asked), [asked]);
  const count = waiting.size;
  useEffect(() => {
    document.title = count > 0 ? `(${count}) jinn` : 'jinn';
  }, [count]);
  useKeys({ '?': () => setHelps(!helps) });
  const openQuestions = () => setTab('Questions');
  const openSession = (id: string) => {
    setSession({ session: id });
    setTab('Calls');
  };
  return (
    <Live.Provider value={{ hear, breaks: Math.max(0, streams - 1), waiting, running, openQuestions, openSession }}>
      <header class="top">
        <h1>jinn</h1>
        <nav aria-label="Parts">
          {TABS.map((name) => (
            <button
              key={name}
              type="button"
              aria-current={name === tab ? 'page' : undefined}
              onClick={() => setTab(name)}
            >
              {name === 'Questions' && count > 0 ? `Questions (${count})` : name}
            </button>
          ))}
        </nav>
        <NotifyButton />
        <Button press={() => setHelps(!helps)}>
          ?<span class="unseen"> keys</span>
        </Button>
        <span role="status" class="warn">
          {state}
        </span>
      </header>
      {helps && <p class="note">{KEYS}</p>}
      {count > 0 && tab !== 'Questions' && (
        <p class="banner">
          <b>{count === 1 ? '1 call waits for you' : `${count} calls wait for you`}</b>{' '}
          <Button look="main" press={openQuestions}>
            Answer
          </Button>
        </p>
      )}
      <div hidden={tab !== 'Calls'} class="part">
        <CallsTab asked={session} isShown={tab === 'Calls'} />
      </div>
      {tab === 'Questions' && <QuestionsTab asked={asked} />}
      {tab !== 'Calls' && tab !== 'Questions' && <WorkspaceTab name={tab} />}
    </Live.Provider>
  );
}

function waitingIn(asked: readonly AskedQuestion[]): ReadonlySet<string> {
  return new Set(asked.flatMap(({ question, how }) => (how === undefined ? [question.call] : [])));
}

function applyEvent(known: readonly AskedQuestion[], event: PageEvent): readonly AskedQuestion[] {
  switch (event.type) {
    case 'question':
      return [{ question: event.question }, ...known].slice(0, MAX_ASKED);
    case 'questions': {
      const open = new Set(event.questions.map(({ id }) => id));
      const before = known.filter(({ question }) => !open.has(question.id));
      const gone = before.map((each) => ({ ...each, how: each.how ?? 'gone' }));
      return [...event.questions.map((question) => ({ question })), ...gone];
    }
    case 'settled':
      return known.map((each) => (each.question.id === event.id ? { ...each, how: event.how } : each));
    default:
      return known;
  }
}

function notifyOf({ tool, workspace }: AskMessage): void {
  if (document.hasFocus() || !('Notification' in window) || Notification.permission !== 'granted') return;
  const notice = new Notification(`${toShown(tool)} waits for your answer`, { body: toShown(workspace) });
  notice.onclick = () => window.focus();
}

function NotifyButton() {
  const [permission, setPermission] = useState('Notification' in window ? Notification.permission : 'denied');
  if (permission !== 'default') return null;
  return (
    <Button press={() => void Notification.requestPermission().then(setPermission)}>Notify me of questions</Button>
  );
}

function WorkspaceTab({ name }: { name: keyof typeof OF_WORKSPACE }) {
  const [known, setKnown] = useState<readonly string[]>([]);
  const [chosen, setChosen] = useState<string>();
  useEffect(() => {
    void read<{ workspaces: string[] }>('workspaces').then(({ workspaces }) => setKnown(workspaces));
  }, []);
  const workspace = chosen ?? known[0];
  const Tab = OF_WORKSPACE[name];
  if (workspace === undefined) return <p class="note">Loading</p>;
  return (
    <>
      <p class="filter">
        Workspace <ChoiceField label="Workspace" values={known} value={workspace} choose={setChosen} />
      </p>
      <Tab key={`${name} ${workspace}`} workspace={workspace} />
    </>
  );
}
