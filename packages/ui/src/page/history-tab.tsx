import type { Visualization } from '@jinn/core/visualization';
import { View } from '@jinn/views/show/view';
import { toShown } from '@jinn/views/text/shown-text';
import { useState } from 'preact/hooks';
import { change } from './page-api.ts';
import { Said, SureButton, useChange, useRead } from './small-parts.tsx';

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
        <View visualization={value.visualization} />
      ) : (
        <pre class="asked">{toShown(value.text)}</pre>
      )}
      <p class="answers">
        <SureButton label="Take this change back" sure="Really take it back" act={() => restore(id, false)} />
        <SureButton
          label="Take it back with all later ones of the file"
          sure="Really take all back"
          act={() => restore(id, true)}
        />
      </p>
    </div>
  );
}
