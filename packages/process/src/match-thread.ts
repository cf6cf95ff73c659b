import { Worker } from 'node:worker_threads';
import { ToolError } from '@jinn/core';

const MAX_MEMORY_MB = 1_024;

export interface MatchPattern {
  /** Source and flags of a RegExp; `g` is added. */
  readonly js: string;
  readonly flags: string;
  /** True when a match may cross lines: matches on the same lines are then one. */
  readonly crossesLines: boolean;
}

/** Matches, by the lines that they are on. */
export interface LineMatches {
  /** How many groups of lines match; without `crossesLines` each is a line. */
  readonly count: number;
  /** Begin of the first match and end of the last of each group, in turn, up to the limit; as String's positions. */
  readonly spans: Uint32Array;
}

interface Task {
  readonly texts: readonly string[];
  /** How many groups of each text are wanted. */
  readonly limit: number;
}

/** Plain JavaScript for the thread: it must run as it stands, in a bundle too. */
const THREAD = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { js, flags, crossesLines } = workerData;
  const regex = new RegExp(js, flags + 'g');
  const lineEnd = (text, at) => {
    const end = text.indexOf('\\n', at);
    return end < 0 ? text.length : end;
  };
  const matchLines = (text, limit) => {
    const spans = [];
    let [count, through] = [0, -1];
    regex.lastIndex = 0;
    for (let match = regex.exec(text); match; match = regex.exec(text)) {
      const start = match.index;
      const end = start + match[0].length;
      // Behind the last line feed there is no line.
      if (start === text.length && (start === 0 || text[start - 1] === '\\n')) break;
      if (start <= through) {
        if (count <= limit) spans[spans.length - 1] = end;
      } else if (++count <= limit) spans.push(start, end);
      through = Math.max(through, lineEnd(text, crossesLines ? Math.max(start, end - 1) : start));
      if (crossesLines) regex.lastIndex = end > start ? end : end + (text.codePointAt(end) > 0xffff ? 2 : 1);
      else regex.lastIndex = through + 1;
      if (regex.lastIndex > text.length) break;
    }
    return { count, spans: Uint32Array.from(spans) };
  };
  parentPort.on('message', ({ texts, limit }) => parentPort.postMessage(texts.map((text) => matchLines(text, limit))));
`;

/**
 * Matches a user's pattern on a thread of its own, which is stopped with `close`: a regular expression that backtracks
 * cannot be interrupted otherwise. One task at a time.
 */
export class MatchThread {
  readonly #worker: Worker;
  readonly #deadline: number;
  readonly #limitMs: number;
  readonly #signal: AbortSignal | undefined;

  /** All tasks together may take `limitMs`. */
  constructor(pattern: MatchPattern, limitMs: number, signal: AbortSignal | undefined) {
    this.#limitMs = limitMs;
    this.#signal = signal;
    this.#deadline = Date.now() + limitMs;
    this.#worker = new Worker(THREAD, {
      eval: true,
      workerData: pattern,
      resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
      env: {},
      execArgv: [],
    });
  }

  /** Throws ToolError `timeout`, `canceled` or `resource_limit`; the thread is of no use then. */
  async match(task: Task): Promise<LineMatches[]> {
    const worker = this.#worker;
    const signal = this.#signal;
    let end = () => {};
    try {
      return await new Promise<LineMatches[]>((resolve, reject) => {
        const timer = setTimeout(() => reject(tooSlow(this.#limitMs)), this.#deadline - Date.now());
        const cancel = () => reject(new ToolError('canceled', 'the request was canceled'));
        const fail = (error: unknown) => reject(toToolError(error));
        end = () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', cancel);
          worker.off('message', resolve).off('error', fail);
        };
        worker.once('message', resolve).once('error', fail);
        signal?.addEventListener('abort', cancel);
        if (signal?.aborted) cancel();
        worker.postMessage(task);
      });
    } finally {
      end();
    }
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

function toToolError(error: unknown): unknown {
  const { code, name } = error as NodeJS.ErrnoException;
  if (code !== 'ERR_WORKER_OUT_OF_MEMORY' && name !== 'RangeError') return error;
  return new ToolError('resource_limit', 'the search takes more memory than it may', {
    suggestion: 'use a pattern that matches less, or a narrower path',
    cause: error,
  });
}

function tooSlow(limitMs: number): ToolError {
  return new ToolError('timeout', `the pattern was still being matched after ${limitMs / 1000} seconds`, {
    suggestion: 'avoid nested repetition such as (a+)+, or search fewer files',
  });
}
