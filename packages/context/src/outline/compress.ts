import { type ByteRange, isOutline, type Outline, type SymbolKind, type SyntaxSymbol } from '@jinn/syntax';
import { outlineSource } from './outline-source.ts';

interface ContentCut extends ByteRange {
  readonly text: string;
}

const GAP = '⋮----';
const MARK = '…';
const MOST_VALUE_LINES = 10;
const SHOWN_VALUE_LINES = 3;
const NEWLINE = 0x0a;

/** Statements that declare something but are not symbols. */
const DECLARES =
  /^\s*(?:(?:export|package|module|namespace|declare|extern|import|from|use|using|require|include|pub\s+(?:use|mod))\b|(?:module\.)?exports\b|@)/;
const COMMENT = /^\s*(?:\/\/|#|--[\s[-]|;;)/;
const BLOCK_COMMENTS = [
  { begin: /^\s*\/\*/, end: '*/' },
  { begin: /^\s*[rRuUbB]?"""/, end: '"""' },
  { begin: /^\s*[rRuUbB]?'''/, end: "'''" },
  { begin: /^\s*<!--/, end: '-->' },
];
const CLOSES = /^\s*(?:[)\]}]|end\b|endif\b|fi\b)/;
/** Brackets are counted only in this much of a line. */
const MOST_COUNTED = 1_000;
const STRINGS = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`|\/\/.*$/g;

interface Line extends ByteRange {
  /** The text as Latin-1, so that each character is a byte. */
  readonly text: string;
}
const FUNCTIONS: ReadonlySet<SymbolKind> = new Set(['function', 'method', 'constructor', 'test', 'macro']);
const CALLABLE: ReadonlySet<SymbolKind> = new Set([...FUNCTIONS, 'property']);
const VALUES: ReadonlySet<SymbolKind> = new Set(['constant', 'variable', 'field']);
/** Keys, headings and rules have no bodies to omit. */
const DATA: ReadonlySet<string> = new Set(
  'json yaml toml markdown css html sql graphql proto dockerfile make'.split(' '),
);

/** Returns a source without the bodies of its functions, or undefined without a syntax tree, or if it would not become shorter. */
export async function compress(content: Buffer, path: string): Promise<Buffer | undefined> {
  const outline = await outlineSource(content, path);
  if (!isOutline(outline) || outline.truncated || DATA.has(outline.language)) return undefined;
  const parts = topParts(outline);
  if (parts.length === 0) return undefined;
  const cuts = [...gapsBetween(content, parts), ...cutsIn(content, outline)].sort((a, b) => a.start - b.start);
  const compressed = apply(content, cuts);
  return compressed.length < content.length ? compressed : undefined;
}

function topParts({ symbols, imports }: Outline): ByteRange[] {
  const top = symbols.filter(({ depth }) => depth === 0);
  return [...imports, ...top].sort((a, b) => a.start - b.start || b.end - a.end);
}

function cutsIn(content: Buffer, { symbols }: Outline): ContentCut[] {
  const holders = new Set(symbols.flatMap(({ kind, parent }) => (CALLABLE.has(kind) ? [parent] : [])));
  const cuts: ContentCut[] = [];
  let last = 0;
  for (const [i, symbol] of symbols.entries()) {
    if (symbol.start < last) continue; // It is within an earlier cut.
    if (holders.has(i) && !FUNCTIONS.has(symbol.kind)) continue;
    const cut = cutOf(content, symbol);
    if (!cut) continue;
    cuts.push(cut);
    last = cut.end;
  }
  return cuts;
}

function cutOf(content: Buffer, { kind, body, doc, start, end }: SyntaxSymbol): ContentCut | undefined {
  if (CALLABLE.has(kind) && body) return cutBody(content, body, doc);
  if (!VALUES.has(kind)) return undefined;
  const lines = content.toString('latin1', start, end).split('\n');
  if (lines.length <= MOST_VALUE_LINES) return undefined;
  const shown = lines.slice(0, SHOWN_VALUE_LINES).join('\n').length;
  return { start: start + shown, end, text: ` ${MARK}` };
}

function cutBody(content: Buffer, body: ByteRange, doc: ByteRange | undefined): ContentCut | undefined {
  const isInside = doc !== undefined && doc.start >= body.start && doc.end <= body.end;
  const text = content.toString('latin1', body.start, body.end);
  if (text.length <= 2) return undefined;
  if (text.startsWith('{') && text.endsWith('}')) return { ...body, text: `{ ${MARK} }` };
  const lineStart = content.lastIndexOf(10, body.start) + 1;
  const indent = /^[ \t]*/.exec(content.toString('latin1', lineStart, body.start))?.[0] ?? '';
  if (isInside) return doc.end === body.end ? undefined : { start: doc.end, end: body.end, text: `\n${indent}${MARK}` };
  return { ...body, text: MARK };
}

function apply(content: Buffer, cuts: readonly ContentCut[]): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  for (const { start, end, text } of cuts) {
    if (start < at) continue;
    parts.push(content.subarray(at, start), Buffer.from(text));
    at = end;
  }
  return Buffer.concat([...parts, content.subarray(at)]);
}

/** Whole lines of a part stay, and so do comments, declarations, and lines that open or close its block. */
function gapsBetween(content: Buffer, parts: readonly ByteRange[]): ContentCut[] {
  const cuts: ContentCut[] = [];
  let at = 0;
  for (const part of parts) {
    const start = part.start === 0 ? 0 : content.lastIndexOf(NEWLINE, part.start - 1) + 1;
    if (start > at) cuts.push(...cutsInGap(linesOf(content, at, start), indentOf(lineAt(content, start))));
    const newline = content.indexOf(NEWLINE, Math.max(part.start, part.end - 1));
    at = Math.max(at, newline < 0 ? content.length : newline + 1);
  }
  return [...cuts, ...cutsInGap(linesOf(content, at, content.length), 0)];
}

function linesOf(content: Buffer, start: number, end: number): Line[] {
  const lines: Line[] = [];
  for (let at = start; at < end; ) {
    const newline = content.indexOf(NEWLINE, at);
    const stop = newline < 0 || newline >= end ? end : newline;
    lines.push({ start: at, end: stop, text: content.toString('latin1', at, stop) });
    at = stop + 1;
  }
  return lines;
}

function cutsInGap(lines: readonly Line[], indent: number): ContentCut[] {
  const openers = openersIn(lines, indent);
  const lengths = statementLengths(lines, openers);
  const comments = new CommentLines(lines);
  const cuts: ContentCut[] = [];
  let run: Line[] = [];
  const endRun = () => {
    cuts.push(...cutOfRun(run));
    run = [];
  };
  for (let i = 0; i < lines.length; ) {
    const { text } = lines[i] as Line;
    const kept = openers.has(i) || CLOSES.test(text) ? 1 : comments.from(i);
    const length = kept || (lengths[i] as number);
    const statement = lines.slice(i, i + length);
    if (kept > 0) endRun();
    else if (DECLARES.test(text)) {
      endRun();
      cuts.push(...cutRestOf(statement));
    } else if (text.trim() !== '') run.push(...statement);
    i += length;
  }
  endRun();
  return cuts;
}

function lineAt(content: Buffer, start: number): string {
  const newline = content.indexOf(NEWLINE, start);
  return content.toString('latin1', start, newline < 0 ? content.length : newline);
}

/** Finds the lines at the end of a gap that open the blocks of the next part, such as `else:` and `const (`. */
function openersIn(lines: readonly Line[], indent: number): ReadonlySet<number> {
  const openers = new Set<number>();
  let least = indent;
  for (let i = lines.length - 1; i >= 0 && least > 0; i--) {
    const { text } = lines[i] as Line;
    if (text.trim() === '' || indentOf(text) >= least) continue;
    openers.add(i);
    least = indentOf(text);
  }
  return openers;
}

class CommentLines {
  readonly #lines: readonly Line[];
  /** Marks that end a comment, and that do not occur after the line where they were last looked for. */
  readonly #missing = new Set<string>();

  constructor(lines: readonly Line[]) {
    this.#lines = lines;
  }

  /** Counts the lines of the comment that starts at a line. 0 if none does. The lines must come in order. */
  from(first: number): number {
    const { text } = this.#lines[first] as Line;
    const block = BLOCK_COMMENTS.find(({ begin }) => begin.test(text));
    if (!block) return COMMENT.test(text) ? 1 : 0;
    const begin = block.begin.exec(text)?.[0] ?? '';
    if (text.includes(block.end, begin.length) || this.#missing.has(block.end)) return 1;
    for (let i = first + 1; i < this.#lines.length; i++) {
      if ((this.#lines[i] as Line).text.includes(block.end)) return i - first + 1;
    }
    this.#missing.add(block.end);
    return 1;
  }
}

/** Counts the lines of the statement that starts at each line: to where its brackets are closed, or an opener. Linear time. */
function statementLengths(lines: readonly Line[], openers: ReadonlySet<number>): number[] {
  const depths = [0];
  for (const { text } of lines) depths.push((depths.at(-1) as number) + depthOf(text));
  const lengths: number[] = [];
  /** Positions after the line, each with less depth than all before it: the last one is the nearest. */
  const lower = [lines.length];
  let opener: number | undefined;
  for (let i = lines.length - 1; i >= 0; i--) {
    const depth = depths[i] as number;
    while (lower.length > 0 && (depths[lower.at(-1) as number] as number) > depth) lower.pop();
    const close = lower.at(-1);
    const end = opener !== undefined && (close === undefined || opener < close) ? opener : close;
    lengths[i] = end === undefined ? 1 : end - i;
    lower.push(i);
    if (openers.has(i)) opener = i;
  }
  return lengths;
}

function depthOf(text: string): number {
  const code = text.slice(0, MOST_COUNTED).replace(STRINGS, '');
  return (code.match(/[([{]/g)?.length ?? 0) - (code.match(/[)\]}]/g)?.length ?? 0);
}

function cutOfRun(run: readonly Line[]): ContentCut[] {
  const [first, last] = [run[0], run.at(-1)];
  if (!first || !last || !run.some(({ text }) => /[\p{L}\p{N}]/u.test(text))) return [];
  return [{ start: first.start + indentOf(first.text), end: last.end, text: GAP }];
}

function cutRestOf(statement: readonly Line[]): ContentCut[] {
  if (statement.length <= MOST_VALUE_LINES) return [];
  const start = (statement[SHOWN_VALUE_LINES - 1] as Line).end;
  return [{ start, end: (statement.at(-1) as Line).end, text: ` ${MARK}` }];
}

function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}
