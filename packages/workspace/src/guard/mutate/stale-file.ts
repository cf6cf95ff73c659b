import { ToolError } from '@jinn/core/errors';
import { changedMeanwhile, type Target } from '../target.ts';
import type { MutationContext } from './mutation.ts';
import { versionOf } from './read-records.ts';

const CONTEXT_LINES = 2;
/** Beyond this many edits, only the range that differs is shown. */
const MAX_EDITS = 2_000;
const MAX_SHOWN = 8_000;
const MAX_FILES = 20;

export interface StaleFile {
  readonly target: Target;
  readonly asked: string;
  readonly content: Buffer | undefined;
  /** The version that the caller requires, or undefined if the session knows the file by its stat. */
  readonly ifVersion: string | undefined;
}

/** Makes the refusal of stale files. Returns the files whose changes it shows with it: they count as read. */
export async function toStaleError(
  ctx: MutationContext,
  files: readonly StaleFile[],
): Promise<{ error: ToolError; shown: readonly StaleFile[] }> {
  const shown: StaleFile[] = [];
  const texts: string[] = [];
  for (const file of files.slice(0, MAX_FILES)) {
    const before = await contentBefore(ctx, file);
    if (before === undefined || file.content === undefined) continue;
    shown.push(file);
    texts.push(await describeChange(file.target.path, before, file.content));
  }
  const heads = files.map(toHead).join('\n');
  if (shown.length === 0) return { error: toError(heads, files, 'read the file again'), shown };
  const unknown = files.length > shown.length ? 'read the files that are not shown here again' : undefined;
  const changed = bound(texts.join('\n'));
  return { error: toError(`${heads}\nChanged since it was read:\n${changed}`, files, unknown), shown };
}

function toError(message: string, files: readonly StaleFile[], next: string | undefined): ToolError {
  const version = files.some(({ ifVersion }) => ifVersion !== undefined) ? ' with the version that it has now' : '';
  const suggestion =
    next === undefined
      ? `this counts as a read: if the change still fits, send it again${version}`
      : `${next}, and make the change on what it holds now`;
  return new ToolError('stale_file', message, { suggestion });
}

function toHead({ asked, content, ifVersion }: StaleFile): string {
  if (ifVersion === undefined) return changedMeanwhile(asked).message;
  const now = content === undefined ? 'there is no such file' : `the file has version ${versionOf(content)} now`;
  return `if_version ${ifVersion.slice(0, 60)} does not match: ${asked}: ${now}`;
}

/** The content that the caller has read: the one of the session, or that of this version in the history. */
async function contentBefore(ctx: MutationContext, { target, ifVersion }: StaleFile): Promise<Buffer | undefined> {
  const kept = ctx.session.reads.contentOf(target.path);
  if (ifVersion === undefined || (kept && versionOf(kept) === ifVersion)) return kept;
  try {
    const archive = await (await ctx.history())?.archive();
    const entry = (await archive?.list())?.find(
      ({ path, beforeVersion }) => path === target.path && beforeVersion === ifVersion,
    );
    return entry && (await archive?.snapshot(entry.id))?.content;
  } catch {
    return undefined; // A hint is never worth another failure.
  }
}

async function describeChange(path: string, before: Buffer, now: Buffer): Promise<string> {
  if (before.equals(now)) return `${path}: its content is the same`;
  if (before.includes(0) || now.includes(0)) return `${path}: ${before.length} bytes then, ${now.length} bytes now`;
  const { structuredPatch, formatPatch, FILE_HEADERS_ONLY } = await import('diff');
  const patch = structuredPatch(`a/${path}`, `b/${path}`, before.toString(), now.toString(), undefined, undefined, {
    context: CONTEXT_LINES,
    maxEditLength: MAX_EDITS,
  });
  return patch ? formatPatch(patch, FILE_HEADERS_ONLY) : describeRange(path, before.toString(), now.toString());
}

function describeRange(path: string, before: string, now: string): string {
  const [old, lines] = [before.split('\n'), now.split('\n')];
  const shorter = Math.min(old.length, lines.length);
  let [start, end] = [0, 0];
  while (start < shorter && old[start] === lines[start]) start++;
  while (end < shorter - start && old.at(-1 - end) === lines.at(-1 - end)) end++;
  const range = (count: number) => `${start + 1}-${count - end}`;
  return `${path}: lines ${range(old.length)} are lines ${range(lines.length)} now, and differ nearly everywhere`;
}

function bound(text: string): string {
  if (text.length <= MAX_SHOWN) return text.trimEnd();
  const cut = text.slice(0, Math.max(text.lastIndexOf('\n', MAX_SHOWN), MAX_SHOWN / 2));
  return `${cut}\n[${text.length - cut.length} more characters of the difference are not shown]`;
}
