import { setImmediate } from 'node:timers/promises';
import { type CallDetail, type CallHead, type JournalRow, readCalls } from '@jinn/journal/read';
import { fillPage } from '@jinn/views';
import type { Visualization } from '@jinn/visualization';
import { drawCall } from './draw-call.ts';
import { readBuiltPage } from './page-server.ts';

const MAX_EXPORTED = 2_000;

/** Makes a page of a session that needs nothing else: each call, what it answered, and what a person is shown of it. */
export async function exportSession(session: string, directory: string): Promise<{ readonly html: string }> {
  const wants = (head: CallHead) => head.session === session;
  const calls = new Map<string, readonly Visualization[]>();
  let last: JournalRow | undefined;
  let before: string | undefined;
  do {
    const { next } = readCalls(directory, {
      before,
      limit: MAX_EXPORTED - calls.size,
      wants,
      // The beginning of a call may lie behind the page that has its end.
      onRow: (row, detail) => {
        last ??= row;
        if (!calls.has(row.id)) calls.set(row.id, showCall(row, detail));
      },
    });
    before = next;
    // A call that asks must hear soon that somebody sees it.
    await setImmediate();
  } while (before !== undefined && calls.size < MAX_EXPORTED);
  const visualizations = [...calls.values()].toReversed().flat();
  const title = last ? `${last.client ?? last.door} in ${last.workspace}` : 'A session without calls';
  return { html: fillPage(readBuiltPage('view.html'), { title, visualizations }) };
}

function showCall(row: JournalRow, detail: CallDetail): Visualization[] {
  const { args, text = '', suggestion = '' } = detail;
  const visualization = drawCall(detail);
  const state = row.k === 'start' ? 'running' : row.ok ? `${row.ms} ms` : (row.code ?? 'failed');
  const head: Visualization = {
    type: 'code',
    title: `${new Date(row.time).toISOString()} · ${state}`,
    path: `${row.tool} ${row.what}`,
    content: `${JSON.stringify(args, null, 2)}\n\n${text}\n${suggestion}`.trimEnd(),
    collapsed: visualization !== undefined,
  };
  return visualization ? [head, visualization] : [head];
}
