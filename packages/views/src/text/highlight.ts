import { common, createLowlight } from 'lowlight';

/** A part of a line, with the class by which the stylesheet colours it. */
export interface Segment {
  readonly text: string;
  readonly className: string;
}

/** The range of a part of a line. */
export type Range = readonly [start: number, end: number];

const MARK = 'mark';

/** Longer lines are shown without colours, since grammars take too long. */
const MAX_LINE = 5_000;
const MAX_TEXT = 300_000;
/** The names of other programs for the languages of the highlighter. */
const ALIASES = { typescript: ['tsx'], ini: ['toml'], bash: ['shell-script', 'dockerfile'] };

type Highlighter = ReturnType<typeof createLowlight>;
type Node = ReturnType<Highlighter['highlight']>['children'][number];

let highlighter: Highlighter | undefined;

/** Makes the highlighter at its first use, after the first picture: it takes as long as the picture. */
function getHighlighter(): Highlighter {
  if (highlighter) return highlighter;
  highlighter = createLowlight(common);
  highlighter.registerAlias(ALIASES);
  return highlighter;
}

/** Colours the lines of a source file. Returns undefined if its language is not known or the text is too long. */
export function highlightLines(lines: readonly string[], language: unknown): Segment[][] | undefined {
  const lowlight = getHighlighter();
  if (typeof language !== 'string' || !lowlight.registered(language)) return undefined;
  const size = lines.reduce((sum, line) => sum + line.length + 1, 0);
  if (size > MAX_TEXT || lines.some((line) => line.length > MAX_LINE)) return undefined;
  const highlighted: Segment[][] = [[]];
  addNodes(lowlight.highlight(language, lines.join('\n')).children, '', highlighted);
  return highlighted;
}

function addNodes(nodes: readonly Node[], className: string, lines: Segment[][]): void {
  for (const node of nodes) {
    if (node.type === 'element') addNodes(node.children, classOf(node.properties['className'], className), lines);
    else if (node.type === 'text') addText(node.value, className, lines);
  }
}

function classOf(names: unknown, outer: string): string {
  const [name] = Array.isArray(names) ? names : [];
  return typeof name === 'string' ? name : outer;
}

function addText(text: string, className: string, lines: Segment[][]): void {
  for (const [i, part] of text.split('\n').entries()) {
    if (i > 0) lines.push([]);
    if (part !== '') lines.at(-1)?.push({ text: part, className });
  }
}

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
