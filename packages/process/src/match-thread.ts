import { ToolError } from '@jinn/core';
import { type LineMatches, type LinePattern, MATCH_LINES, type MatchTask } from './match-lines.ts';
import { StoppableThread } from './stoppable-thread.ts';

const MAX_MEMORY_MB = 256;
const DAY_MS = 86_400_000;

const THREAD = `
  const { parentPort, workerData } = require('node:worker_threads');
  const match = (${MATCH_LINES})(workerData);
  parentPort.on('message', (task) => parentPort.postMessage(match(task)));
`;

/** Matches a pattern of an agent on a thread of its own, which can be stopped at any time. */
export class MatchThread extends StoppableThread<MatchTask, LineMatches[]> {
  readonly #limitMs: number;
  #leftMs: number;

  /** All tasks together may take `limitMs`; the time between them does not count. */
  constructor(pattern: LinePattern, limitMs: number, signal: AbortSignal | undefined) {
    const tooLarge = {
      message: 'the search takes more memory than it may',
      suggestion: 'use a pattern that matches less, or a narrower path',
    };
    super(THREAD, { data: pattern, limitMs: DAY_MS, maxMemoryMb: MAX_MEMORY_MB, signal, tooLarge });
    this.#limitMs = limitMs;
    this.#leftMs = limitMs;
  }

  /** Throws ToolError `timeout`, `canceled` or `resource_limit`; the thread is then of no further use. */
  override async ask(task: MatchTask): Promise<LineMatches[]> {
    const start = process.uptime();
    let timer: NodeJS.Timeout | undefined;
    const expired = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(tooSlow(this.#limitMs)), this.#leftMs);
    });
    const answer = super.ask(task);
    answer.catch(() => {}); // Stopping the thread rejects it after the race is over.
    try {
      return await Promise.race([answer, expired]);
    } finally {
      clearTimeout(timer);
      this.#leftMs -= 1000 * (process.uptime() - start);
    }
  }
}

function tooSlow(limitMs: number): ToolError {
  return new ToolError(
    'timeout',
    `the pattern was still being matched after ${Math.round(limitMs / 100) / 10} seconds`,
    {
      suggestion: 'avoid nested repetition such as (a+)+, search fewer files, or pass a longer timeout',
    },
  );
}
