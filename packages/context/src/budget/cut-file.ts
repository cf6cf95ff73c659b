import { readShownContent, replace, type ShortenContext } from '../outline/shorten.ts';
import type { Costs } from './costs.ts';
import type { FilePiece, PlannedFile } from './planned-file.ts';

/** A piece with fewer tokens says too little. */
export const LEAST_PIECE = 60;
const NEWLINE = 0x0a;
/** A piece that does not fit is made shorter by at least this share. */
const SHORTER = 0.98;
/** A piece that uses this much of its share is not made longer. */
const FULL = 0.9;

export interface CutContext extends ShortenContext {
  readonly costs: Costs;
  readonly isContinued: boolean;
}

export interface CutOptions {
  readonly share: number;
  /** The outline of the file, of which the part after the piece is added to it. */
  readonly outline?: PlannedFile | undefined;
  /** True to cut a line that does not fit whole, and to make even a very small piece. */
  readonly isForced?: boolean;
}

type TextRange = Pick<FilePiece, 'text' | 'total' | 'from'>;

/** Cuts a file after the last line that fits, from where its last piece ended, or undefined if nothing fits. */
export function cutFile(file: PlannedFile, options: CutOptions, cutting: CutContext): PlannedFile | undefined {
  const { share, isForced = false, outline } = options;
  const range = rangeOf(file, cutting);
  if (!range) return undefined;
  const { text, from } = range;
  const perToken = (text.length - from) / Math.max(1, file.tokens);
  const least = isForced ? 1 : LEAST_PIECE / 2;
  let best: PlannedFile | undefined;
  for (let most = share; most >= least; ) {
    const to = endOfPiece(text, from, { end: from + Math.floor(most * perToken), isForced });
    if (to === undefined) return best;
    const piece = replace(
      file,
      { kind: 'piece', ...range, to, bytes: bytesOfPiece({ ...range, to }, outline) },
      cutting,
    );
    const cost = cutting.costs.file(piece);
    if (cost > share && best) return best;
    // The tokens of a file are an estimate: the first piece may have far less than its share.
    const isLong = cost >= FULL * share || to >= text.length - 1;
    if (cost <= share && (isLong || best)) return piece;
    if (cost <= share) best = piece;
    most *= SHORTER * (share / cost);
  }
  return best;
}

/** Returns what comes after a piece. */
export function restOf(file: PlannedFile, { text, total, to }: FilePiece, cutting: CutContext): PlannedFile {
  const range = { text, total, from: to, to: text.length };
  return replace(file, { kind: 'piece', ...range, bytes: bytesOfPiece(range) }, cutting);
}

function rangeOf(file: PlannedFile, cutting: CutContext): TextRange | undefined {
  const { instead, size } = file;
  if (instead?.kind === 'piece') return { text: instead.text, total: instead.total, from: instead.from };
  if (instead) return { text: instead.bytes, total: instead.bytes.length, from: 0 };
  const text = readShownContent(file, cutting, { isWhole: cutting.isContinued });
  return text && { text, total: cutting.isContinued ? text.length : Math.max(size, text.length), from: 0 };
}

function endOfPiece(
  text: Buffer,
  from: number,
  { end, isForced }: { readonly end: number; readonly isForced: boolean },
): number | undefined {
  // The text of a file is cut only if some of it is left.
  const last = Math.min(end, text.length - 1);
  const newline = last > from ? text.lastIndexOf(NEWLINE, last - 1) : -1;
  if (newline > from) return newline + 1;
  if (!isForced) return undefined;
  let to = Math.max(from + 1, last);
  while (to < text.length && ((text[to] as number) & 0xc0) === 0x80) to++;
  return to;
}

function bytesOfPiece({ text, total, from, to }: TextRange & { readonly to: number }, outline?: PlannedFile): Buffer {
  const isLast = to >= text.length;
  const end = !isLast && text[to - 1] === NEWLINE ? to - 1 : to;
  const parts = [text.subarray(from, end)];
  if (from > 0) parts.unshift(Buffer.from(`[from byte ${from + 1} of ${total}]\n`));
  if (isLast) return Buffer.concat(parts);
  const which = from === 0 ? `the first ${to} of ${total} bytes` : `to byte ${to} of ${total}`;
  const symbols = outline ? outlineAfter(outline, text.subarray(0, to)) : [];
  const lines = symbols.length === 0 ? [`[${which}]`] : [`[${which}, outline of the rest:]`, ...symbols];
  return Buffer.concat([...parts, Buffer.from(`\n${lines.join('\n')}`)]);
}

function outlineAfter({ instead }: PlannedFile, before: Buffer): string[] {
  const lines = (instead?.bytes.toString() ?? '').split('\n').slice(1);
  const shown = before.reduce((count, byte) => count + (byte === NEWLINE ? 1 : 0), 0);
  return lines.filter((line) => Number(/^ *(\d+):/.exec(line)?.[1] ?? 0) > shown);
}
