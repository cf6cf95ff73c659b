import type { ToolContext } from '@jinn/core';
import type { Pattern } from '@jinn/core/regex';
import { MatchThread, matchLines } from '@jinn/core/thread';
import { isQuick } from '@jinn/search/query/search-query';
import type { Match } from '../text/read-matches.ts';
import { buffersOf } from './buffers.ts';
import { type Reference, toText } from './reference.ts';

/** A longer line is shown around the match. */
const MAX_LINE = 4_096;
const BEFORE = 512;
const BEHIND = 2_048;

export interface BufferQuery {
  readonly pattern: Pattern;
  readonly limit: number;
  /** How long the pattern may be matched, in milliseconds. */
  readonly ms: number;
}

/** Searches a buffer. The line numbers are those of the buffer. Throws `timeout` if the pattern takes too long. */
export async function searchBuffer(ctx: ToolContext, reference: Reference, { pattern, limit, ms }: BufferQuery) {
  const file = toText(reference);
  const text = buffersOf(ctx).read(ctx, file, (buffer) => buffer.file.slice(0, buffer.file.size).toString());
  const linePattern = { js: pattern.js, flags: pattern.flags, crossesLines: false };
  const task = { texts: [text], limit };
  const [found] = isQuick({ pattern, crossesLines: false }, [text])
    ? matchLines(linePattern, task)
    : await matchApart(linePattern, task, ms, ctx.signal);
  const matches: Match[] = [];
  let [line, counted] = [1, 0];
  const spans = found?.spans ?? [];
  for (let i = 0; i < spans.length; i += 3) {
    const start = spans[i] as number;
    for (let feed = text.indexOf('\n', counted); feed >= 0 && feed < start; feed = text.indexOf('\n', feed + 1)) line++;
    counted = start;
    const from = start === 0 ? 0 : text.lastIndexOf('\n', start - 1) + 1;
    matches.push({ file, line, content: cut(text.slice(from, spans[i + 2]), start - from) });
  }
  return { matches, total: found?.count ?? 0 };
}

type Thread = ConstructorParameters<typeof MatchThread>;

async function matchApart(
  pattern: Thread[0],
  task: Parameters<MatchThread['ask']>[0],
  ms: number,
  signal: AbortSignal | undefined,
) {
  const thread = new MatchThread(pattern, ms, signal);
  try {
    return await thread.ask(task);
  } finally {
    await thread.close();
  }
}

function cut(line: string, start: number): string {
  const whole = line.replace(/\r$/, '');
  if (whole.length <= MAX_LINE) return whole;
  const from = Math.max(0, start - BEFORE);
  const shown = whole.slice(from, start + BEHIND).toWellFormed();
  return `${from > 0 ? '…' : ''}${shown}${start + BEHIND < whole.length ? '…' : ''}`;
}
