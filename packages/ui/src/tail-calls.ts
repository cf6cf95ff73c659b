import { toVisible, toVisibleLines } from '@jinn/core/text';
import { type RenderOptions, renderVisualization } from '@jinn/views/terminal/render-visualization';
import { createPaint, type Painter } from '@jinn/views/terminal/terminal-text';
import { type CallDetail, followJournal, type JournalRow } from './journal/read-journal.ts';
import { drawCall } from './server/draw-call.ts';
import { createDeathWatch } from './server/watch-deaths.ts';

const MAX_LINES = 60;

/** Prints each call as it ends or dies, with what the user is shown of it. Returns a function that stops it. */
export function tailCalls(directory: string, screen: Omit<RenderOptions, 'maxLines'>, write: (text: string) => void) {
  const paint = createPaint(screen.color);
  const deaths = createDeathWatch(directory, () => {});
  const stopFollowing = followJournal(directory, (row, detail) => {
    deaths.hear(row);
    if (row.k === 'start') return;
    const visualization = drawCall(detail);
    const shown = visualization ? renderVisualization(visualization, { ...screen, maxLines: MAX_LINES }) : [];
    const lines = row.ok === false ? toFault(detail, paint) : shown;
    write([toHeading(row, paint), ...lines, ''].map((line) => `${line}\n`).join(''));
  });
  return () => {
    deaths.stop();
    stopFollowing();
  };
}

function toHeading(
  { time, tool, what, client, door, workspace, ms, tokens, ok, code, exit = 0 }: JournalRow,
  paint: Painter,
) {
  const state = ok && exit === 0 ? paint('green', 'ok') : paint('red', toVisible(code ?? `exit ${exit}`));
  const at = new Date(time).toTimeString().slice(0, 8);
  const facts = [
    client ?? door,
    workspace,
    ms !== undefined && `${ms} ms`,
    tokens && `about ${tokens[0]} → ${tokens[1]} tokens`,
  ];
  const rest = toVisible(facts.filter(Boolean).join(' · '));
  return `${at} ${state} ${paint('bold', toVisible(`${tool} ${what}`.trim()))} ${paint('dim', rest)}`;
}

function toFault({ text = '', suggestion }: CallDetail, paint: Painter): string[] {
  const said = suggestion === undefined ? text : `${text}\n${suggestion}`;
  return toVisibleLines(said)
    .split('\n')
    .map((line) => paint('red', line));
}
