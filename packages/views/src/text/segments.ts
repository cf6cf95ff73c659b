/** A part of a line, with the class by which the stylesheet colours it. */
export interface Segment {
  readonly text: string;
  readonly className: string;
}

/** The range of a part of a line. */
export type Range = readonly [start: number, end: number];

const MARK = 'mark';

/** Adds the class of a mark to some ranges of a line, which are in order. */
export function markRanges(segments: readonly Segment[], ranges: readonly Range[]): Segment[] {
  const marked: Segment[] = [];
  let at = 0;
  let next = 0;
  for (const { text, className } of segments) {
    const end = at + text.length;
    while (at < end) {
      while ((ranges[next]?.[1] ?? Number.POSITIVE_INFINITY) <= at) next++;
      const [from, to] = ranges[next] ?? [end, end];
      const isMarked = from <= at;
      const stop = Math.min(end, isMarked ? to : from);
      const part = text.slice(text.length - (end - at), text.length - (end - stop));
      marked.push({ text: part, className: isMarked ? `${className} ${MARK}`.trim() : className });
      at = stop;
    }
  }
  return marked;
}
