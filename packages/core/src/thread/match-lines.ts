export interface LinePattern {
  readonly js: string;
  readonly flags: string;
  /** Matches that share a line then form one group. */
  readonly crossesLines: boolean;
}

/** The matches in one text, in groups of lines. Without `crossesLines` each group is one line. */
export interface LineMatches {
  readonly count: number;
  /** For each group up to the limit: the start and the end of its first match, and the end of its last line. */
  readonly spans: Uint32Array;
}

export interface MatchTask {
  readonly texts: readonly string[];
  /** The most groups of each text to locate. All of them are counted. */
  readonly limit: number;
}

/** Matches on the calling thread, where nothing can stop it: only for a pattern that is sure to end soon. */
export function matchLines({ js, flags, crossesLines }: LinePattern, { texts, limit }: MatchTask): LineMatches[] {
  const regex = new RegExp(js, `${flags}g`);
  return texts.map((text) => matchText(text, regex, { crossesLines, limit }));
}

function matchText(
  text: string,
  regex: RegExp,
  { crossesLines, limit }: { readonly crossesLines: boolean; readonly limit: number },
): LineMatches {
  const spans: number[] = [];
  let [count, through] = [0, -1];
  regex.lastIndex = 0;
  for (let match = regex.exec(text); match; match = regex.exec(text)) {
    const start = match.index;
    const end = start + match[0].length;
    if (start === text.length && isLineStart(text, start)) break; // There is no line after the last line feed.
    const last = crossesLines ? Math.max(start, end - 1) : start;
    const isSameGroup = start <= through;
    if (last > through) through = lineEnd(text, last);
    if (!isSameGroup) count++;
    if (count <= limit) {
      if (isSameGroup) spans[spans.length - 1] = through;
      else spans.push(start, end, through);
    }
    if (!crossesLines) regex.lastIndex = through + 1;
    else if (end === start) regex.lastIndex = end + widthAt(text, end);
    if (regex.lastIndex > text.length) break;
  }
  return { count, spans: Uint32Array.from(spans) };
}

function isLineStart(text: string, at: number): boolean {
  return at === 0 || text[at - 1] === '\n';
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

function widthAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}
