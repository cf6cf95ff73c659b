import type { LineMatches, LinePattern, MatchTask } from './match-lines.ts';
import SCRIPT from './match-thread-main.ts?thread';
import { StoppableThread } from './stoppable-thread.ts';

const MAX_MEMORY_MB = 256;
const TOO_LARGE = {
  message: 'the search takes more memory than it may',
  suggestion: 'use a pattern that matches less, or a narrower path',
};

export class MatchThread extends StoppableThread<MatchTask, LineMatches[]> {
  /** Starts the thread. All tasks together may take `limitMs`. The time between them does not count. */
  constructor(pattern: LinePattern, limitMs: number, signal: AbortSignal | undefined) {
    super(SCRIPT, { data: pattern, limitMs, maxMemoryMb: MAX_MEMORY_MB, signal, tooLarge: TOO_LARGE });
  }
}
