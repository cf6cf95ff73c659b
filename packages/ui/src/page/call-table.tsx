import { CodeView } from '@jinn/views/show/code-view';
import { Icon } from '@jinn/views/show/icon';
import { RowTable } from '@jinn/views/show/row-table';
import { ResultView } from '@jinn/views/show/view';
import { toShown } from '@jinn/views/text/shown-text';
import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import type { CallDetail } from '../journal/read-journal.ts';
import type { CallRow } from './page-api.ts';
import { Said, useRead } from './small-parts.tsx';

/** The widths of the columns, in characters. The main argument gets the rest. */
const COLUMNS = { Time: '10ch', State: '12ch', Tool: '18ch', What: '', Where: '22ch', Took: '10ch', Tokens: '14ch' };

interface CallTableProps {
  readonly rows: readonly CallRow[];
  readonly chosen: string | undefined;
  readonly choose: (id: string) => void;
}

/** Lists calls in rows of one line. A row is drawn once, so that one more call costs no more if there are many. */
export function CallTable({ rows, chosen, choose }: CallTableProps) {
  const { current: drawn } = useRef(new WeakMap<CallRow, VNode>());
  const draw = (row: CallRow) => {
    const cells = drawn.get(row) ?? <CallCells row={row} choose={choose} />;
    drawn.set(row, cells);
    return cells;
  };
  return (
    <RowTable
      label="Calls"
      kind="data"
      count={rows.length}
      columns={7}
      rowKey={(i) => rows[i]?.id ?? i}
      rowClass={(i) => (rows[i]?.id === chosen ? 'marked' : '')}
      head={
        <>
          <colgroup>
            {Object.values(COLUMNS).map((width, i) => (
              <col key={i} style={{ width }} />
            ))}
          </colgroup>
          <thead>
            <tr aria-rowindex={1}>
              {Object.keys(COLUMNS).map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
        </>
      }
      row={(i) => rows[i] && draw(rows[i])}
    />
  );
}

function CallCells({ row, choose }: { row: CallRow; choose: (id: string) => void }) {
  const { id, time, tool, what, client, door, workspace, ms, tokens } = row;
  return (
    <>
      <td>{timeOfDay(time)}</td>
      <td>
        <CallState row={row} />
      </td>
      <td>
        <button type="button" onClick={() => choose(id)} aria-label={`Show ${toShown(tool)} ${toShown(what)}`}>
          <bdi>{toShown(tool)}</bdi>
        </button>
      </td>
      <td>
        <bdi>{toShown(what)}</bdi>
      </td>
      <td>
        <bdi>{toShown(`${client ?? door} · ${folderOf(workspace)}`)}</bdi>
      </td>
      <td>{ms === undefined ? '' : took(ms)}</td>
      <td>{tokens ? `${tokens[0]} → ${tokens[1]}` : ''}</td>
    </>
  );
}

/** Shows how far a call is, or how it ended. */
function CallState({ row: { k, ok, code } }: { row: CallRow }) {
  if (k === 'start') {
    return (
      <span class="warn">
        <Icon name="in_progress" />
        running
      </span>
    );
  }
  if (ok) return <span class="good">ok</span>;
  return <span class="bad">{code === 'died' ? 'died' : code === 'approval_required' ? 'refused' : 'failed'}</span>;
}

/** Returns how long something took. */
function took(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** Returns the time of day. */
export function timeOfDay(time: number): string {
  return new Date(time).toTimeString().slice(0, 8);
}

/** Returns the name of a directory. */
export function folderOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Shows a whole call: its arguments, the view of the result for the user, and the text that the agent got. */
export function CallCard({ call, close }: { call: CallRow; close: () => void }) {
  const { value, fault } = useRead<CallDetail>('call', { at: call.at });
  return (
    <section class="chosen" aria-label="Call">
      <h2>
        <bdi>{toShown(call.tool)}</bdi> <CallState row={call} />{' '}
        <button type="button" class="more" onClick={close}>
          Close
        </button>
      </h2>
      <CallFacts call={call} />
      {value ? <Detail detail={value} isFailed={call.ok === false} /> : <Said text={fault || 'Loading'} />}
    </section>
  );
}

function CallFacts({ call }: { call: CallRow }) {
  const { time, ms, tokens, client, door, workspace, pid, risk, settled, code, operation } = call;
  const facts: readonly (readonly [string, unknown])[] = [
    ['Began', new Date(time).toLocaleString()],
    ['Took', ms === undefined ? undefined : took(ms)],
    ['Tokens', tokens && `about ${tokens[0]} sent, ${tokens[1]} answered`],
    ['By', client === undefined ? door : `${client}, through ${door}`],
    ['In', workspace],
    ['Process', pid],
    ['Risk', risk],
    ['Approval', settled],
    ['Error', code],
    ['In the history', operation],
  ];
  return (
    <dl class="known">
      {facts
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <bdi>{toShown(value)}</bdi>
            </dd>
          </div>
        ))}
    </dl>
  );
}

function Detail({ detail, isFailed }: { detail: CallDetail; isFailed: boolean }) {
  const { args, text, suggestion, warnings = [], visualization, leftOut = [] } = detail;
  const content = JSON.stringify(args, null, 2) ?? '';
  const answer = suggestion === undefined ? text : `${text}\n${suggestion}`;
  return (
    <>
      {args !== undefined && (
        <CodeView
          code={{ type: 'code', path: 'Arguments', language: 'json', content }}
          isOpen={visualization === undefined}
        />
      )}
      {visualization && <ResultView visualization={visualization} />}
      {answer && (
        <CodeView
          code={{ type: 'code', path: isFailed ? 'Error' : 'Answer', content: answer }}
          isOpen={visualization === undefined}
        />
      )}
      {[...warnings, ...leftOut.map((what) => `not kept: ${what}`)].map((sentence) => (
        <p key={sentence} class="note">
          {toShown(sentence)}
        </p>
      ))}
    </>
  );
}
