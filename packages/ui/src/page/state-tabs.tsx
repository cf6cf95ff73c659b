import type { Visualization } from '@jinn/core/visualization';
import { ResultView } from '@jinn/views/show/view';
import { toShown } from '@jinn/views/text/shown-text';
import { useState } from 'preact/hooks';
import { change } from './page-api.ts';
import { Said, SureButton, useChange, useRead } from './small-parts.tsx';

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

interface HistoryEntry {
  readonly id: string;
  readonly path: string;
  readonly timestamp: string;
  readonly operation: string;
  readonly operation_id: string;
}

interface Preview {
  readonly text?: string;
  readonly visualization?: Visualization;
}

/** Lists the changes of files that can be taken back, each with the effect of that. */
export function HistoryTab({ workspace }: { workspace: string }) {
  const { value, fault, again } = useRead<{ data?: { entries: readonly HistoryEntry[] } }>('history', { workspace });
  const [chosen, setChosen] = useState<string>();
  const { said, run } = useChange(again);
  const entries = value?.data?.entries ?? [];
  const restore = (id: string, with_later: boolean) => {
    setChosen(undefined);
    run(change('restore', { workspace, id, with_later }));
  };
  return (
    <>
      <Said text={fault || said || (value && entries.length === 0 ? 'No tool has changed a file here.' : '')} />
      <ul class="list">
        {entries.map(({ id, path, timestamp, operation, operation_id }) => (
          <li key={id}>
            <button
              type="button"
              class="fold"
              aria-expanded={chosen === id}
              onClick={() => setChosen(chosen === id ? undefined : id)}
            >
              <span class="quiet">{new Date(timestamp).toLocaleString()}</span> <b>{toShown(operation)}</b>{' '}
              <bdi>{toShown(path)}</bdi> <span class="quiet">{toShown(operation_id)}</span>
            </button>
            {chosen === id && <PreviewCard workspace={workspace} id={id} restore={restore} />}
          </li>
        ))}
      </ul>
    </>
  );
}

interface PreviewCardProps {
  readonly workspace: string;
  readonly id: string;
  readonly restore: (id: string, withLater: boolean) => void;
}

function PreviewCard({ workspace, id, restore }: PreviewCardProps) {
  const { value, fault } = useRead<Preview>('preview', { workspace, id });
  if (!value) return <Said text={fault || 'Loading'} />;
  return (
    <div class="body">
      {value.visualization ? (
        <ResultView visualization={value.visualization} />
      ) : (
        <pre class="asked">{toShown(value.text)}</pre>
      )}
      <p class="answers">
        <SureButton label="Take this change back" sure="Really undo it" act={() => restore(id, false)} />
        <SureButton
          label="Take it back with all later ones of the file"
          sure="Really revoke all"
          act={() => restore(id, true)}
        />
      </p>
    </div>
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
        <button type="button" class="more" disabled={text === value} onClick={save}>
          Save
        </button>
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
