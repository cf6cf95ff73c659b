import { Icon } from '@jinn/views/show/icon';
import { RowTable } from '@jinn/views/show/row-table';
import { plural, toShown } from '@jinn/views/text/shown-text';
import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { folderOf, markOf, shownTokens, took, verbOf } from './call-words.ts';
import type { CallRow } from './page-api.ts';
import { Time, useLive } from './small-parts.tsx';

/** The height of a call in the list, in pixels. The stylesheet has it too. */
export const ROW_HEIGHT = 50;

interface CallListProps {
  readonly rows: readonly CallRow[];
  readonly chosen: string | undefined;
  readonly choose: (id: string) => void;
  /** Is called when the user comes near the end. */
  readonly onEnd: () => void;
}

/** Lists calls in cards of two lines. A card is drawn once, so that one more call costs no more if there are many. */
export function CallList({ rows, chosen, choose, onEnd }: CallListProps) {
  const { current: drawn } = useRef(new WeakMap<CallRow, VNode>());
  const draw = (row: CallRow) => {
    const isChosen = row.id === chosen;
    const card = (!isChosen && drawn.get(row)) || (
      <td>
        <button type="button" class="call" aria-current={isChosen} onClick={() => choose(row.id)}>
          <CallHeading row={row} />
        </button>
      </td>
    );
    if (!isChosen) drawn.set(row, card);
    return card;
  };
  return (
    <RowTable
      label="Calls"
      kind="calls"
      count={rows.length}
      columns={1}
      rowHeight={ROW_HEIGHT}
      onEnd={onEnd}
      rowKey={(i) => rows[i]?.id ?? i}
      rowClass={(i) => (rows[i]?.id === chosen ? 'marked' : '')}
      row={(i) => rows[i] && draw(rows[i])}
    />
  );
}

interface CallHeadingProps {
  readonly row: CallRow;
  /** True in a session, where its origin is known. */
  readonly isBrief?: boolean;
}

/** Says what a call does, how it ended, and in a second line where it came from. */
export function CallHeading({ row, isBrief = false }: CallHeadingProps) {
  const { id, tool, what, client, door, workspace, ms, tokens, dryRun, time, lines } = row;
  const { icon, tone, text } = markOf(row, useLive().waiting.has(id));
  const duration = ms !== undefined && took(ms);
  return (
    <>
      <span class={tone}>
        <Icon name={icon} />
      </span>
      <span class="said">
        <span class="sentence">
          <b>{toShown(verbOf(tool))}</b> <bdi class="mono">{toShown(what)}</bdi>
        </span>
        {dryRun && <span class="badge warn">dry run</span>}
        <span class={text === 'ok' ? 'unseen' : `badge ${tone}`}>{text}</span>
        {lines && (
          <span class="counts">
            <span class="good">{`+${lines[0]}`}</span> <span class="bad">{`−${lines[1]}`}</span>
            <span class="unseen">{` ${plural(lines[0] + lines[1], 'line')}`}</span>
          </span>
        )}
      </span>
      <span class="quiet">
        {isBrief && duration && `${duration} · `}
        <Time at={time} />
      </span>
      {!isBrief && (
        <span class="origin">
          <span>{[tool, client ?? door, folderOf(workspace)].map(toShown).join(' · ')}</span>
          <span>{[duration, tokens && shownTokens(tokens)].filter(Boolean).join(' · ')}</span>
        </span>
      )}
    </>
  );
}
