import type { ToolContext } from '@jinn/core';
import type { ChangedFile, MutationResult } from '@jinn/workspace';
import { type CharsetContext, findCharset } from '@jinn/workspace/find-charset';
import type { Edit } from '../edit/edit-errors.ts';
import type { EditedText } from '../edit/edit-text.ts';
import { countNewlines, createLineCounter } from '../read/text-content.ts';
import type { ComparedContents, Comparison, compareContents } from './unified-diff.ts';
import type { ComparedFile, ShownFacts } from './visualize-changes.ts';

const ASKED = { maxBytes: 64 * 1024 * 1024, maxLength: 512 * 1024 };
/** The limits of a diff that no one asked for. Longer ones cost the agent, and no one reads them. */
const UNASKED = { maxBytes: 1024 * 1024, maxLength: 64 * 1024, maxEdits: 200 };
const NOTHING = Buffer.alloc(0);
const BLOCK_BYTES = 65_536;

/** Formats a change as a unified diff with 3 lines of context. Empty if no content changed. A remark may precede it. */
export async function diffOf(changed: ChangedFile, ctx: CharsetContext): Promise<string> {
  const { file, after = NOTHING } = changed;
  const { path, content: before = NOTHING } = file;
  const { diff, remark, reason } = await compare(await decodeChange(ctx, changed), ASKED);
  if (diff !== undefined) return remark === undefined ? diff : `${remark}\n${diff}`;
  if (reason === 'binary') return `Binary files a/${path} and b/${path} differ\n`;
  return `[${reason}: ${before.length} bytes before, ${after.length} after]\n`;
}

/** The facts about a change for a program. */
export interface ChangeMeta {
  readonly version?: string;
  readonly undo_id?: string;
  readonly operation_id?: string;
  readonly first_changed_line?: number;
  readonly last_changed_line?: number;
  /** A diff that `patch -p1` and `git apply` accept. */
  readonly diff?: string;
  readonly diff_omitted?: string;
  readonly unchanged?: true;
}

/** Returns the `meta` of one changed file. The diff is made only for a caller that asked for it. */
export async function changeMeta(
  changed: ChangedFile,
  { operationId }: Pick<MutationResult, 'operationId'>,
  ctx: CharsetContext & Pick<ToolContext, 'wantsMeta'>,
): Promise<ChangeMeta> {
  const { version, undoId, file, after } = changed;
  const names = {
    ...(version !== undefined && { version }),
    ...(undoId !== undefined && { undo_id: undoId }),
    ...(operationId !== undefined && { operation_id: operationId }),
  };
  if (!changed.changed) return { ...names, unchanged: true };
  const lines = changedLines(file.content ?? NOTHING, after ?? NOTHING);
  return {
    ...names,
    ...(lines && { first_changed_line: lines.first, last_changed_line: lines.last }),
    ...(ctx.wantsMeta && (await diffMeta(changed, ctx))),
  };
}

/** Returns the `meta` of a call that may change several files. */
export async function changesMeta(
  { operationId, files }: MutationResult,
  ctx: Parameters<typeof changeMeta>[2],
): Promise<object> {
  const metas: object[] = [];
  for (const one of files) {
    metas.push({ path: one.file.path, ...(await changeMeta(one, { operationId: undefined }, ctx)) });
  }
  return { ...(operationId !== undefined && { operation_id: operationId }), files: metas };
}

/** Returns the function of an answer that shows changed files as diffs. */
export function visualizing(files: readonly ComparedFile[], facts: ShownFacts, ctx: CharsetContext) {
  return async () => {
    const decoded = await Promise.all(files.map((file) => decodeChange(ctx, file)));
    return (await import('./visualize-changes.ts')).visualizeChanges(decoded, facts);
  };
}

/** Decodes both sides of a change. What is UTF-8, or in an unknown encoding, stays as it is. */
async function decodeChange<C extends ComparedContents>(
  ctx: CharsetContext,
  change: C,
): Promise<C & { readonly encoding?: string | undefined }> {
  const { path, content: before } = change.file;
  const [old, now] = await Promise.all(
    [before, change.after].map((content) => content && findCharset(ctx, { path, content })),
  );
  const charset = old ?? now;
  if (!charset) return change;
  const decode = (content: Buffer | undefined, own: unknown) => (own ? content && charset.decode(content) : content);
  const file = { ...change.file, content: decode(before, old) };
  return { ...change, file, after: decode(change.after, now), encoding: charset.name };
}

/** Most calls show no diff, and do not load what makes one. */
async function compare(...compared: Parameters<typeof compareContents>): Promise<Comparison> {
  return (await import('./unified-diff.ts')).compareContents(...compared);
}

/** The diff is one of bytes, which git can apply. */
async function diffMeta(changed: ChangedFile, ctx: CharsetContext): Promise<Pick<ChangeMeta, 'diff' | 'diff_omitted'>> {
  const { diff, remark, reason } = await compare(changed, UNASKED);
  const isDecoded = reason === 'binary' && (await decodeChange(ctx, changed)).encoding !== undefined;
  if (reason !== undefined && !isDecoded) return { diff_omitted: reason };
  if (isDecoded || remark !== undefined) return { diff_omitted: 'the file is not UTF-8' };
  return diff ? { diff } : { diff_omitted: 'only the mode differs' };
}

/** From 1. If lines were only removed, the line that is now in their place. */
function changedLines(before: Buffer, after: Buffer): { first: number; last: number } | undefined {
  if (before.equals(after)) return undefined;
  const start = equalStart(before, after);
  const end = after.length - equalEnd(before, after, start);
  const first = 1 + countNewlines(after.subarray(0, start));
  return { first, last: first + countNewlines(after.subarray(start, Math.max(start, end - 1))) };
}

function equalStart(before: Buffer, after: Buffer): number {
  const shorter = Math.min(before.length, after.length);
  let at = 0;
  while (at + BLOCK_BYTES <= shorter && before.compare(after, at, at + BLOCK_BYTES, at, at + BLOCK_BYTES) === 0) {
    at += BLOCK_BYTES;
  }
  while (at < shorter && before[at] === after[at]) at++;
  return at;
}

function equalEnd(before: Buffer, after: Buffer, start: number): number {
  const most = Math.min(before.length, after.length) - start;
  let count = 0;
  while (count < most && before[before.length - 1 - count] === after[after.length - 1 - count]) count++;
  return count;
}

const MAX_CONTEXT_LINES = 200;
const MAX_TOLD_PLACES = 10;

/** Formats in a line where an edit was made, and shows the lines around it on request. */
export function formatEdit(edit: Edit, edited: EditedText, showContext: number): string {
  const { places, fuzzyMatch } = edited;
  const lines = places.slice(0, MAX_TOLD_PLACES).map(({ line }) => line);
  const more = places.length > lines.length ? ', …' : '';
  const count = places.length === 1 ? countLines(edit) : `${places.length} places`;
  const fuzzy =
    fuzzyMatch === undefined ? '' : ` (fuzzy match: ${fuzzyMatch.how})\nwhat stood there:\n${fuzzyMatch.stood}`;
  const context = showContext > 0 ? `\n--- context ---\n${contextOf(edited, showContext)}` : '';
  return `${edit.path}:${lines.join(', ')}${more} (${count})${fuzzy}${context}`;
}

function countLines({ old_text, new_text }: Edit): string {
  const isWhole = /[\r\n]$/.test(old_text) && (new_text === '' || /[\r\n]$/.test(new_text));
  const [before, after] = [old_text, new_text].map((text) => {
    const ends = text.match(/\r\n?|\n/g)?.length ?? 0;
    return isWhole ? ends : ends + 1;
  });
  return `${before} ${before === 1 ? 'line' : 'lines'}${after === before ? '' : `, now ${after}`}`;
}

function contextOf({ bytes, places }: EditedText, around: number): string {
  const changed = changedRanges(bytes, places);
  const [first, last] = [changed[0], changed.at(-1)];
  if (!first || !last) return '';
  let start = lineStart(bytes, first.at);
  let from = first.first;
  for (; start > 0 && from > first.first - around; from--) start = lineStart(bytes, start - 1);
  const lines = linesFrom(bytes, start, Math.min(last.last + around - from + 1, MAX_CONTEXT_LINES + 1));
  const width = String(from + lines.length - 1).length;
  return lines
    .map((line, i) => {
      const number = from + i;
      const mark = changed.some((range) => number >= range.first && number <= range.last) ? '* ' : ' ';
      // A line of a notebook that belongs to no source.
      const text = line === '\0' ? '' : line.replace(/\r$/, '');
      return `${String(number).padStart(width)}${mark}| ${Buffer.from(text, 'latin1')}`;
    })
    .join('\n');
}

function lineStart(bytes: string, at: number): number {
  return at === 0 ? 0 : bytes.lastIndexOf('\n', at - 1) + 1;
}

function linesFrom(bytes: string, start: number, count: number): string[] {
  const lines: string[] = [];
  for (let at = start; at < bytes.length && lines.length < count; ) {
    const newline = bytes.indexOf('\n', at);
    const end = newline < 0 ? bytes.length : newline;
    lines.push(bytes.slice(at, end));
    at = end + 1;
  }
  return lines;
}

function changedRanges(bytes: string, places: EditedText['places']) {
  const lineOf = createLineCounter(bytes);
  let shift = 0;
  return places.flatMap(({ splices }) =>
    splices.map(({ start, end, bytes: text }) => {
      const at = start + shift;
      shift += text.length - (end - start);
      return { at, first: lineOf(at), last: lineOf(Math.max(at, at + text.length - 1)) };
    }),
  );
}
