import { setImmediate } from 'node:timers/promises';
import type { Visualization } from '@jinn/core/visualization';
import { visualizeChanges, visualizeWritten } from '@jinn/fs-tools/diff/visualize-changes';
import type { PageData } from '@jinn/views';
import { type CallDetail, type CallHead, type JournalRow, readCalls } from '../journal/read-journal.ts';
import { createLifeLook } from './watch-deaths.ts';

const MAX_EXPORTED = 2_000;

/** How many calls are drawn at once. A call that asks must soon hear that someone sees it. */
const STEP = 50;

type DrawableCall = Pick<CallDetail, 'visualization' | 'changes' | 'dryRun' | 'facts'>;

/**
 * Returns what the user is shown of a call: the picture in the journal, or one that is made of the recorded changes.
 */
export function drawCall({ visualization, changes, dryRun = false, facts }: DrawableCall): Visualization | undefined {
  if (changes === undefined) return visualization;
  const files = changes.map(({ path, line, before, after }) => ({
    file: { path, content: toBytes(before) },
    after: toBytes(after),
    line,
    // Equal parts are the result of removing secrets.
    leftOut: before !== undefined && before === after ? 'the change is in an omitted secret' : undefined,
  }));
  const [first, ...more] = files;
  const text = changes[0]?.after;
  if (first && more.length === 0 && text !== undefined) return visualizeWritten(first, text, { dryRun, ...facts });
  return visualizeChanges(files, { dryRun, ...facts });
}

function toBytes(text: string | undefined): Buffer | undefined {
  return text === undefined ? undefined : Buffer.from(text);
}

/** Reads a session whole: each call, what it answered, and what the user is shown of it. */
export async function readSession(session: string, directory: string): Promise<PageData> {
  const wants = (head: CallHead) => head.session === session;
  const lifeOf = createLifeLook();
  const calls = new Map<string, readonly Visualization[]>();
  let last: JournalRow | undefined;
  let before: string | undefined;
  do {
    const { next } = readCalls(directory, {
      before,
      limit: Math.min(STEP, MAX_EXPORTED - calls.size),
      wants,
      // The start of a call may be behind the page that has its end.
      onRow: (row, detail) => {
        last ??= row;
        if (!calls.has(row.id)) calls.set(row.id, showCall(lifeOf(row), detail));
      },
    });
    before = next;
    await setImmediate();
  } while (before !== undefined && calls.size < MAX_EXPORTED);
  const visualizations = [...calls.values()].toReversed().flat();
  const title = last ? `${last.client ?? last.door} in ${last.workspace}` : 'A session without calls';
  return { title, visualizations };
}

function showCall({ k, ok, code, ms, exit, time, tool, what }: JournalRow, detail: CallDetail): Visualization[] {
  const { args, text = '', suggestion = '' } = detail;
  const visualization = drawCall(detail);
  const state = k === 'start' ? 'running' : ok ? `${ms} ms${exit ? `, exit ${exit}` : ''}` : (code ?? 'failed');
  const head: Visualization = {
    type: 'code',
    title: `${new Date(time).toISOString()} · ${state}`,
    path: `${tool} ${what}`,
    content: `${JSON.stringify(args, null, 2)}\n\n${text}\n${suggestion}`.trimEnd(),
    collapsed: visualization !== undefined,
  };
  return visualization ? [head, visualization] : [head];
}
