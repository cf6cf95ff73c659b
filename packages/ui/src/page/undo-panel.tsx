import type { Visualization } from '@jinn/core/visualization';
import { ResultView } from '@jinn/views/show/view';
import { toShown } from '@jinn/views/text/shown-text';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { change } from './page-api.ts';
import { Button, Said, useChange, useRead } from './small-parts.tsx';

interface HistoryEntry {
  readonly id: string;
  readonly path: string;
  readonly timestamp: string;
  readonly operation: string;
  readonly operation_id: string;
  readonly undone?: boolean;
}

/** The changes of a workspace that can be undone, and by their calls whether they are. */
export type ChangeHistory = ReturnType<typeof useHistory>;

/** Reads the changes of a workspace. */
export function useHistory(workspace: string) {
  const { value, fault, again } = useRead<{ data?: { entries: readonly HistoryEntry[] } }>('history', { workspace });
  const entries = value?.data?.entries;
  const undone = useMemo(() => new Map(entries?.map((each) => [each.operation_id, each.undone === true])), [entries]);
  return { entries, undone, fault, again };
}

interface Preview {
  readonly visualization: Visualization;
  /** Sentences on each file, and on what else happens. */
  readonly effects: readonly string[];
  /** Why it would be refused. */
  readonly refusal?: string;
}

interface UndoPanelProps {
  readonly workspace: string;
  /** The changes to undo, by their ids. */
  readonly ids: readonly string[];
  readonly history: Pick<ChangeHistory, 'again'>;
  readonly close?: () => void;
}

/** Shows exactly what an undo would do, and does it. */
export function UndoPanel({ workspace, ids, history, close }: UndoPanelProps) {
  const [withLater, setWithLater] = useState(false);
  const section = useRef<HTMLElement>(null);
  const { said, run } = useChange(history.again);
  const id = ids.join(',');
  const { value, fault } = useRead<Preview>('preview', { workspace, id, ...(withLater && { with_later: 'true' }) });
  useEffect(() => section.current?.scrollIntoView({ block: 'nearest' }), [value]);
  if (said) return <Said text={said} />;
  if (!value) return <Said text={fault || 'Loading'} />;
  const { refusal, effects, visualization } = value;
  return (
    <section ref={section} class="undo" aria-label="Undo">
      <h3>{refusal === undefined ? 'This would change your files:' : 'This cannot be undone by itself:'}</h3>
      <ul class="list">
        {(refusal === undefined ? effects : [refusal]).map((effect) => (
          <li key={effect}>{toShown(effect)}</li>
        ))}
      </ul>
      {refusal === undefined && visualization.type !== 'none' && <ResultView visualization={visualization} />}
      <p class="answers">
        {refusal === undefined ? (
          <Button look="main" press={() => run(change('restore', { workspace, id, with_later: withLater }))}>
            {ids.length === 1 ? 'Undo it' : `Undo ${ids.length} changes`}
          </Button>
        ) : (
          <Button press={() => setWithLater(true)}>Preview it with the later changes</Button>
        )}
        {close && <Button press={close}>Cancel</Button>}
        <span class="quiet">You can undo this too, in History.</span>
      </p>
    </section>
  );
}
