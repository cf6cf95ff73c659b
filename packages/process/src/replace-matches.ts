import { Worker } from 'node:worker_threads';
import { ToolError } from '@jinn/core';

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

/** Plain JavaScript for the thread: it must run as it stands, in a bundle too. */
const THREAD = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { pattern, flags, replacement, texts } = workerData;
  const regex = new RegExp(pattern, flags);
  parentPort.postMessage(texts.map((text) => {
    let [count, start, end] = [0, 0, 0];
    for (const match of text.matchAll(regex)) {
      if (count++ === 0) start = match.index;
      end = match.index + match[0].length;
    }
    return { text: count === 0 ? text : text.replace(regex, replacement), count, start, end };
  }));
`;

/**
 * Replaces every match of a user's pattern in each text. It runs on a thread of its own, which is stopped after
 * `limitMs`: a regular expression that backtracks cannot be interrupted otherwise.
 * Throws ToolError `timeout` or `resource_limit`.
 */
export async function replaceMatches(
  replacement: Replacement,
  texts: readonly string[],
  limitMs: number,
): Promise<Replaced[]> {
  const worker = new Worker(THREAD, {
    eval: true,
    workerData: { ...replacement, texts },
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
    env: {},
    execArgv: [],
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<Replaced[]>((resolve, reject) => {
      timer = setTimeout(() => reject(tooSlow(limitMs)), limitMs);
      worker.once('message', resolve);
      worker.once('error', (error) => reject(toToolError(error)));
    });
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}

function toToolError(error: unknown): unknown {
  const { code, name } = error as NodeJS.ErrnoException;
  if (code !== 'ERR_WORKER_OUT_OF_MEMORY' && name !== 'RangeError') return error;
  return new ToolError('resource_limit', 'the replacement takes more memory than it may', {
    suggestion: 'use a pattern that matches less, or fewer files',
    cause: error,
  });
}

function tooSlow(limitMs: number): ToolError {
  return new ToolError('timeout', `the pattern was still being matched after ${limitMs / 1000} seconds`, {
    suggestion: 'avoid nested repetition such as (a+)+, or search fewer files',
  });
}
