import { Icon } from '@jinn/views/show/icon';
import { toShown } from '@jinn/views/text/shown-text';
import { useState } from 'preact/hooks';
import { verbOf } from './call-words.ts';
import { change } from './page-api.ts';
import { Button, Said, SureButton, Time, useChange, useRead } from './small-parts.tsx';
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
  const [chosen, setChosen] = useState<string>();
  const { entries, fault } = history;
  return (
    <>
      <Said text={fault || (entries?.length === 0 ? 'No tool has changed a file here.' : '')} />
      <ul class="changes">
        {entries?.map(({ id, path, timestamp, operation, undone }) => (
          <li key={id}>
            <button
              type="button"
              class="call"
              aria-expanded={chosen === id}
              onClick={() => setChosen(chosen === id ? undefined : id)}
            >
              <Icon name={chosen === id ? 'unfolded' : 'folded'} />
              <span class="said">
                <b>{toShown(verbOf(operation))}</b> <bdi class="mono">{toShown(path)}</bdi>
                {undone && <span class="badge warn">undone</span>}
              </span>
              <span class="quiet">
                <Time at={timestamp} />
              </span>
            </button>
            {chosen === id && <UndoPanel {...{ workspace, history }} ids={[id]} close={() => setChosen(undefined)} />}
          </li>
        ))}
      </ul>
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
    <article class="card">
      <header>
        <h2>
          <bdi>{toShown(key)}</bdi>
        </h2>
        <span class="facts">
          <bdi>{toShown(scope)}</bdi>
          {pinned && <span class="badge">pinned</span>}
          {expires && <span>until {toShown(expires)}</span>}
        </span>
      </header>
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
    </article>
  );
}

/** Lists the lasting grants in a workspace, to be taken back. */
export function GrantsTab({ workspace }: { workspace: string }) {
  const { value: grants, fault, again } = useRead<readonly Grant[]>('grants', { workspace });
  const { said, run } = useChange(again);
  return (
    <>
      <Said text={fault || said || (grants?.length === 0 ? 'There are no saved approvals here.' : '')} />
      {grants && grants.length > 0 && (
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">Tool</th>
              <th scope="col">May do</th>
              <th scope="col">Since</th>
              <th scope="col">
                <span class="unseen">Take back</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {grants.map(({ tool, type, key, created, forAll, ended }) => (
              <tr key={`${tool} ${type} ${key} ${forAll}`}>
                <td>{toShown(tool)}</td>
                <td>
                  {toShown(type)}: <code>{toShown(key)}</code>
                  {forAll && <span class="quiet"> for everybody</span>}
                  {ended && <span class="quiet"> ended: {toShown(ended)}</span>}
                </td>
                <td>{created.slice(0, 10)}</td>
                <td>
                  <SureButton
                    label="Take back"
                    sure="Really take back"
                    act={() => run(change('revoke', { workspace, tool, type, key, forAll }))}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}
