import { StoppableThread } from './stoppable-thread.ts';

const MAX_MEMORY_MB = 512;

export interface Replacement {
  readonly pattern: string;
  /** Flags of JavaScript's RegExp; `g` among them. */
  readonly flags: string;
  /** As String.replace takes it: `$1` is a group. */
  readonly replacement: string;
}

/** What became of a text. */
export interface Replaced {
  readonly text: string;
  /** How many matches there were. */
  readonly count: number;
  /** Where the first match begins, and where the last one ends, in the text before. */
  readonly start: number;
  readonly end: number;
}

const THREAD = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { pattern, flags, replacement } = workerData;
  const regex = new RegExp(pattern, flags);
  const replaceIn = (text) => {
    let [count, start, end] = [0, 0, 0];
    for (const match of text.matchAll(regex)) {
      if (count++ === 0) start = match.index;
      end = match.index + match[0].length;
    }
    return { text: count === 0 ? text : text.replace(regex, replacement), count, start, end };
  };
  parentPort.on('message', (texts) => parentPort.postMessage(texts.map(replaceIn)));
`;

/**
 * Replaces every match of a user's pattern in each text, on a thread of its own, which is stopped after `limitMs`.
 * Throws ToolError `timeout` or `resource_limit`.
 */
export async function replaceMatches(
  replacement: Replacement,
  texts: readonly string[],
  limitMs: number,
): Promise<Replaced[]> {
  const thread = new StoppableThread<readonly string[], Replaced[]>(THREAD, {
    data: replacement,
    limitMs,
    maxMemoryMb: MAX_MEMORY_MB,
    tooLarge: {
      message: 'the replacement takes more memory than it may',
      suggestion: 'use a pattern that matches less, or fewer files',
    },
  });
  try {
    return await thread.ask(texts);
  } finally {
    await thread.close();
  }
}
