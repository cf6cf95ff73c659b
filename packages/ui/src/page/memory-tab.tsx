import { toShown } from '@jinn/views/text/shown-text';
import { useState } from 'preact/hooks';
import { change } from './page-api.ts';
import { Said, SureButton, useChange, useRead } from './small-parts.tsx';

interface MemoryEntry {
  readonly key: string;
  readonly scope: string;
  readonly value?: string;
  readonly pinned?: boolean;
  readonly expires?: string;
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

interface EntryCardProps {
  readonly entry: MemoryEntry;
  readonly act: (action: 'save' | 'forget', more: object) => void;
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
