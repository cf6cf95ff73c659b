import vm from 'node:vm';

export interface LinePattern {
  /** Source and flags of a RegExp, without `g`. */
  readonly js: string;
  readonly flags: string;
  /** True when a match may cross lines. Matches that share a line then form one group. */
  readonly crossesLines: boolean;
}

/** The matches in one text, in groups of lines. Without `crossesLines` each group is one line. */
export interface LineMatches {
  readonly count: number;
  /**
   * Three positions for each group, up to the limit: where its first match begins, where that match ends, and where the
   * last line of the group ends.
   */
  readonly spans: Uint32Array;
}

/** The answer to a task has one element for each text. */
export interface MatchTask {
  readonly texts: readonly string[];
  /** The most groups of each text to locate; all of them are counted. */
  readonly limit: number;
}

/**
 * The source of a function that turns a LinePattern into a function from a MatchTask to its LineMatches. A thread needs
 * it as a text. Apart from the pattern itself, the time is linear in the length of the texts.
 */
export const MATCH_LINES = `({ js, flags, crossesLines }) => {
  const regex = new RegExp(js, flags + 'g');
  const lineEnd = (text, at) => {
    const end = text.indexOf('\\n', at);
    return end < 0 ? text.length : end;
  };
  const matchText = (text, limit) => {
    const spans = [];
    let [count, through] = [0, -1];
    regex.lastIndex = 0;
    for (let match = regex.exec(text); match; match = regex.exec(text)) {
      const start = match.index;
      const end = start + match[0].length;
      // There is no line behind the last line feed.
      if (start === text.length && (start === 0 || text[start - 1] === '\\n')) break;
      const last = crossesLines ? Math.max(start, end - 1) : start;
      const isSameGroup = start <= through;
      if (last > through) through = lineEnd(text, last);
      if (!isSameGroup) {
        if (++count <= limit) spans.push(start, end, through);
      } else if (count <= limit) spans[spans.length - 1] = through;
      if (!crossesLines) regex.lastIndex = through + 1;
      else if (end === start) regex.lastIndex = end + (text.codePointAt(end) > 0xffff ? 2 : 1);
      if (regex.lastIndex > text.length) break;
    }
    return { count, spans: Uint32Array.from(spans) };
  };
  return ({ texts, limit }) => texts.map((text) => matchText(text, limit));
}`;

type CreateMatcher = (pattern: LinePattern) => (task: MatchTask) => LineMatches[];

let createMatcher: CreateMatcher | undefined;

/** Matches on the calling thread, where nothing can stop it: only for a pattern that is sure to end soon. */
export function matchLines(pattern: LinePattern, task: MatchTask): LineMatches[] {
  createMatcher ??= vm.runInThisContext(MATCH_LINES) as CreateMatcher;
  return createMatcher(pattern)(task);
}
