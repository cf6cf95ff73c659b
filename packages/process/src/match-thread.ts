import { StoppableThread } from './stoppable-thread.ts';

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

/** What is to be matched; the answer has an element for each text. */
export interface MatchTask {
  readonly texts: readonly string[];
  /** How many groups of each text are wanted. */
  readonly limit: number;
}

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

/** Matches a user's pattern on a thread of its own. */
export class MatchThread extends StoppableThread<MatchTask, LineMatches[]> {
  /** All tasks together may take `limitMs`. */
  constructor(pattern: MatchPattern, limitMs: number, signal: AbortSignal | undefined) {
    const tooLarge = {
      message: 'the search takes more memory than it may',
      suggestion: 'use a pattern that matches less, or a narrower path',
    };
    super(THREAD, { data: pattern, limitMs, maxMemoryMb: MAX_MEMORY_MB, signal, tooLarge });
  }
}
