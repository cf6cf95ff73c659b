import { toShown } from '@jinn/views/text/shown-text';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { AskMessage } from '../journal/journal-record.ts';
import { CallsTab } from './calls-tab.tsx';
import { type CallEvent, followEvents, type PageEvent, read } from './page-api.ts';
import { type AskedQuestion, QuestionsTab } from './questions-tab.tsx';
import { ChoiceField } from './small-parts.tsx';
import { GrantsTab, HistoryTab, MemoryTab } from './state-tabs.tsx';
import { ToolsTab } from './tools-tab.tsx';

const TABS = ['Calls', 'Questions', 'History', 'Memory', 'Tools', 'Grants'] as const;
type TabName = (typeof TABS)[number];
/** The tabs that are about one workspace. */
const OF_WORKSPACE = { History: HistoryTab, Memory: MemoryTab, Tools: ToolsTab, Grants: GrantsTab };
/** How many settled questions stay in the list. */
const MAX_ASKED = 50;

/** Shows the page: open questions, calls, and the state of a workspace. */
export function UiPage() {
  const [tab, setTab] = useState<TabName>('Calls');
  const [asked, setAsked] = useState<readonly AskedQuestion[]>([]);
  const [streams, setStreams] = useState(0);
  const [state, setState] = useState('');
  const hear = useRef((_: CallEvent) => {});
  useEffect(
    () =>
      followEvents((event) => {
        if (event.type === 'call' || event.type === 'gone') return hear.current(event);
        setAsked((known) => applyEvent(known, event));
        if (event.type === 'question') notifyOf(event.question);
        // Each stream starts with the questions.
        if (event.type === 'questions') setStreams((count) => count + 1);
      }, setState),
    [],
  );
  const open = asked.filter(({ how }) => how === undefined).length;
  useEffect(() => {
    document.title = open > 0 ? `(${open}) jinn` : 'jinn';
  }, [open]);
  return (
    <>
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
              {name === 'Questions' && open > 0 ? `Questions (${open})` : name}
            </button>
          ))}
        </nav>
        <NotifyButton />
        <span role="status" class="warn">
          {state || (open > 0 && tab !== 'Questions' ? `${open} waiting for your answer` : '')}
        </span>
      </header>
      <div hidden={tab !== 'Calls'}>
        <CallsTab hear={hear} breaks={Math.max(0, streams - 1)} />
      </div>
      {tab === 'Questions' && <QuestionsTab asked={asked} />}
      {tab !== 'Calls' && tab !== 'Questions' && <WorkspaceTab name={tab} />}
    </>
  );
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
    <button type="button" class="more" onClick={() => void Notification.requestPermission().then(setPermission)}>
      Notify me of questions
    </button>
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
        <ChoiceField label="Workspace" values={known} value={workspace} choose={setChosen} />
      </p>
      <Tab key={`${name} ${workspace}`} workspace={workspace} />
    </>
  );
}
