import { ResultView } from '@jinn/views/show/view';
import { toShown } from '@jinn/views/text/shown-text';
import { useEffect, useState } from 'preact/hooks';
import { isOfKind } from '../journal/call-state.ts';
import type { SessionChanges } from '../journal/journal-record.ts';
import { Step } from './call-view.tsx';
import { folderOf, NO_FILTERS, shownTokens } from './call-words.ts';
import { type CallRow, read } from './page-api.ts';
import { Button, Notes, Said, Time, useRead } from './small-parts.tsx';
import { type ChangeHistory, UndoPanel, useHistory } from './undo-panel.tsx';
import { useCalls } from './use-calls.ts';

const KINDS = { all: 'All', changes: 'Changes', commands: 'Commands', failed: 'Failed', refused: 'Refused' };
const DIFF = 'diff';
const FIRST = 1_000;

/** Shows the session of a call: what its agent did, step by step, or what changed since it began. */
export function SessionView({ of: call }: { of: CallRow }) {
  const { session, client, door, workspace, isAlive } = call;
  const [kind, setKind] = useState('all');
  const [filters] = useState({ ...NO_FILTERS, session });
  const { rows: newest, loadMore } = useCalls(filters, { first: FIRST });
  const rows = newest.toReversed();
  const history = useHistory(workspace);
  const ofKind = (each: string) => (each === 'all' ? rows : rows.filter((row) => isOfKind(row, each)));
  const changes = ofKind('changes');
  useEffect(history.again, [changes.length]);
  // An undo is no change to undo here: what it reverted is not in effect.
  const standing = changes.filter(
    ({ tool, operation = '' }) => tool !== 'undo' && history.undone.get(operation) === false,
  );
  const idsAfter = (place: number) =>
    standing.flatMap((row) => (row.operation && changes.indexOf(row) > place ? [row.operation] : []));
  const [first, last] = [rows[0], rows.at(-1)];
  const sum = (at: 0 | 1) => rows.reduce((total, { tokens }) => total + (tokens?.[at] ?? 0), 0);
  const savePage = async () => {
    const { html } = await read<{ html: string }>('export', { session });
    saveFile(`jinn-session-${session}.html`, 'text/html', html);
  };
  return (
    <>
      <h2>
        {toShown(client ?? door)} in <bdi>{toShown(folderOf(workspace))}</bdi>
      </h2>
      <p class="facts">
        <bdi>{toShown(workspace)}</bdi>
        {first && last && (
          <span>
            <Time at={first.time} /> to <Time at={last.time} />
            {isAlive && ', still connected'}
          </span>
        )}
        <span>{shownTokens([sum(0), sum(1)])}</span>
        <Button press={() => void savePage()}>Save as a page</Button>
        {loadMore && <Button press={loadMore}>Earlier calls</Button>}
      </p>
      <p class="answers">
        {Object.entries(KINDS).map(([name, words]) => (
          <Button key={name} isPressed={name === kind} press={() => setKind(name)}>
            {`${words} ${ofKind(name).length}`}
          </Button>
        ))}
        <Button isPressed={kind === DIFF} press={() => setKind(DIFF)}>
          All changes together
        </Button>
      </p>
      {kind === DIFF ? (
        <AllChanges {...{ call, history }} ids={idsAfter(-1)} />
      ) : (
        ofKind(kind).map((row) => (
          <Step key={row.id} call={row} later={row.operation ? idsAfter(changes.indexOf(row)) : []} history={history} />
        ))
      )}
    </>
  );
}

function saveFile(name: string, type: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

interface AllChangesProps {
  readonly call: CallRow;
  readonly history: ChangeHistory;
  /** The changes that are in effect. */
  readonly ids: readonly string[];
}

function AllChanges({ call: { session, workspace }, history, ids }: AllChangesProps) {
  const [isUndoing, setUndoing] = useState(false);
  const { value, fault, again } = useRead<SessionChanges>('changes', { session, workspace });
  useEffect(again, [ids.length]);
  if (!value) return <Said text={fault || 'Loading'} />;
  const { visualization, patch, notes } = value;
  const savePatch = () => saveFile(`jinn-session-${session}.patch`, 'text/x-diff', patch);
  return (
    <>
      <Notes
        of={['The files now, compared with those before the session. Changes by commands are not recorded.', ...notes]}
      />
      <p class="answers">
        {patch && <Button press={savePatch}>Save as a patch</Button>}
        {ids.length > 0 && <Button press={() => setUndoing(true)}>Undo all of it…</Button>}
      </p>
      {isUndoing && <UndoPanel {...{ workspace, ids, history }} close={() => setUndoing(false)} />}
      {visualization && <ResultView key={patch} visualization={visualization} />}
    </>
  );
}
