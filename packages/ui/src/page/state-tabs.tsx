import { Card } from '@jinn/views/show/card';
import { toShown } from '@jinn/views/text/shown-text';
import { useState } from 'preact/hooks';
import { shownTime, verbOf } from './call-words.ts';
import { change } from './page-api.ts';
import { Button, Panel, Said, SureButton, Time, useChange, useRead } from './small-parts.tsx';
import { UndoPanel, useHistory } from './undo-panel.tsx';

interface Grant {
  readonly tool: string;
  readonly type: string;
  readonly key: string;
  readonly created: string;
  readonly forAll: boolean;
  readonly ended?: string;
}

interface MemoryEntry {
  readonly key: string;
  readonly scope: string;
  readonly value?: string;
  readonly pinned?: boolean;
  readonly expires?: string;
}

interface EntryCardProps {
  readonly entry: MemoryEntry;
  readonly act: (action: 'save' | 'forget', more: object) => void;
}

/** Lists the changes of files that can be undone, each with what that would do. */
export function HistoryTab({ workspace }: { workspace: string }) {
  const history = useHistory(workspace);
  const { entries, fault } = history;
  return (
    <>
      <Said text={fault || (entries?.length === 0 ? 'No tool has changed a file here.' : '')} />
      {entries?.map(({ id, path, timestamp, operation, undone }) => (
        <Card
          key={id}
          title={`${verbOf(operation)} ${path}`}
          isOpen={false}
          facts={
            <>
              {undone && <span class="badge warn">undone</span>}
              <Time at={timestamp} />
            </>
          }
          body={() => <UndoPanel {...{ workspace, history }} ids={[id]} />}
        />
      ))}
    </>
  );
}

/** Shows the texts that agents keep, to be edited and deleted. */
export function MemoryTab({ workspace }: { workspace: string }) {
  const { value, fault, again } = useRead<{ data?: { entries?: readonly MemoryEntry[] } }>('memory', { workspace });
  const { said, run } = useChange(again);
  const entries = value?.data?.entries ?? [];
  return (
    <>
      <Said text={fault || said || (value && entries.length === 0 ? 'Nothing is remembered here.' : '')} />
      {entries.map((entry) => (
        <EntryCard
          key={`${entry.scope} ${entry.key} ${entry.value}`}
          entry={entry}
          act={(action, more) =>
            run(change('memory', { workspace, action, key: entry.key, scope: entry.scope, ...more }))
          }
        />
      ))}
    </>
  );
}

function EntryCard({ entry, act }: EntryCardProps) {
  const { key, scope, value = '', pinned, expires } = entry;
  const [text, setText] = useState(value);
  const save = () => {
    const seconds =
      expires === undefined ? undefined : Math.max(1, Math.round((Date.parse(expires) - Date.now()) / 1000));
    act('save', { value: text, ...(pinned && { pin: true }), ...(seconds && { expires_in: seconds }) });
  };
  return (
    <Panel
      title={key}
      facts={
        <>
          <bdi>{toShown(scope)}</bdi>
          {pinned && <span class="badge">pinned</span>}
          {expires && <span>until {toShown(expires)}</span>}
        </>
      }
    >
      <textarea
        aria-label={`Text of ${toShown(key)}`}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <p class="answers">
        <Button isOff={text === value} press={save}>
          Save
        </Button>
        <SureButton label="Delete" sure="Really delete" act={() => act('forget', {})} />
      </p>
    </Panel>
  );
}

/** Lists the lasting grants in a workspace, to be taken back. */
export function GrantsTab({ workspace }: { workspace: string }) {
  const { value: grants, fault, again } = useRead<readonly Grant[]>('grants', { workspace });
  const { said, run } = useChange(again);
  return (
    <>
      <Said text={fault || said || (grants?.length === 0 ? 'There are no saved approvals here.' : '')} />
      {grants?.map(({ tool, type, key, created, forAll, ended }) => (
        <Panel
          key={`${tool} ${type} ${key} ${forAll}`}
          title={`${tool} · ${type}`}
          facts={[`since ${shownTime(created)}`, forAll && 'for everybody', ended && `ended: ${toShown(ended)}`]
            .filter(Boolean)
            .join(' · ')}
        >
          <pre>{toShown(key)}</pre>
          <p class="answers">
            <SureButton
              label="Revoke"
              sure="Really revoke"
              act={() => run(change('revoke', { workspace, tool, type, key, forAll }))}
            />
          </p>
        </Panel>
      ))}
    </>
  );
}
