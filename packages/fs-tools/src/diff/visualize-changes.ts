import type { PictureFacts } from '@jinn/core';
import type { Visualization, VisualizationOf } from '@jinn/core/visualization';
import { parsePatch, type StructuredPatchHunk } from 'diff';
import ENDINGS from './languages.json' with { type: 'json' };
import { cutList } from './undo-list.ts';
import { compareContents } from './unified-diff.ts';

/** The table has languages by the names that syntax highlighters know, each with its endings. */
const LANGUAGES = new Map(
  Object.entries(ENDINGS).flatMap(([language, endings]) => endings.split(' ').map((ending) => [ending, language])),
);

/** How much the user is shown of one file, and of all files of a call. Beyond that, a file is only named. */
const MAX_FILE_CHARACTERS = 256 * 1024;
const MAX_CHARACTERS = 1024 * 1024;
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_NAMED = 5;
const DRY_RUN = 'dry run: nothing was written';

type Diff = VisualizationOf<'diff'>;
type Change = Diff['hunks'][number]['changes'][number];

/** A file, or the part of it from some line on, before and after a change. */
export interface ComparedFile {
  readonly file: { readonly path: string; readonly content: Buffer | undefined };
  readonly after: Buffer | undefined;
  readonly line?: number;
  /** The reason why it is only named. If absent, it is shown as a diff. */
  readonly leftOut?: string | undefined;
  /** The encoding from which it was decoded. */
  readonly encoding?: string | undefined;
}

/** How changes are shown. A title replaces the sentence on all files. */
export interface ShownFacts extends PictureFacts {
  readonly dryRun?: boolean;
}

/** Shows changed files as diffs: `diff` for one file, `diffs` for several, and `none` for no change. */
export function visualizeChanges(
  files: readonly ComparedFile[],
  { dryRun = false, title, matchInfo }: ShownFacts = {},
): Visualization {
  const diffs: Diff[] = [];
  const left: string[] = [];
  let room = MAX_CHARACTERS;
  for (const changed of files) {
    const { path } = changed.file;
    const limits = { maxBytes: MAX_BYTES, maxLength: Math.min(room, MAX_FILE_CHARACTERS) };
    const { diff, reason } = changed.leftOut ? { reason: changed.leftOut } : compareContents(changed, limits);
    if (diff) {
      diffs.push(visualizeDiff(path, diff, changed.line));
      room -= diff.length;
    } else if (reason !== undefined) left.push(`${path} (${reason})`);
  }
  const said = [dryRun && DRY_RUN, left.length > 0 && `not shown: ${cutList(left, MAX_NAMED)}`]
    .filter(Boolean)
    .join('; ');
  const [only, ...more] = diffs;
  if (!only) return { type: 'none', message: said || 'nothing changed', ...(title !== undefined && { title }) };
  const head = title ?? said;
  const shown: Visualization =
    more.length === 0 ? { ...only, ...(matchInfo && { matchInfo }) } : { type: 'diffs', items: diffs };
  return head === '' ? shown : { ...shown, title: head };
}

/** Shows a patch of several files, as `git diff` writes it. Throws if it is none. */
export function visualizePatch(title: string, patch: string): Visualization {
  const items = patch
    .split(/^(?=diff --git )/m)
    .filter(Boolean)
    .map((part) => {
      const named =
        /^\+\+\+ (?!\/dev\/null)(?:b\/)?(.+?)\t?$/m.exec(part) ?? /^diff --git (?:a\/)?(.+) (?:b\/)?\1$/m.exec(part);
      return visualizeDiff(named?.[1] ?? 'a file', part);
    });
  const [only, ...more] = items;
  return only && more.length === 0 ? { ...only, title } : { type: 'diffs', items, title };
}

/** Shows a unified diff of one file, or of the part of it that starts on `line`. */
export function visualizeDiff(path: string, diff: string, line = 1): Diff {
  const hunks = parsePatch(diff).flatMap((file) => file.hunks.map((hunk) => toHunk(hunk, line - 1)));
  const changes = hunks.flatMap((hunk) => hunk.changes);
  const count = (type: Change['type']) => changes.filter((change) => change.type === type).length;
  const language = languageOf(path);
  return {
    type: 'diff',
    path,
    ...(language !== undefined && { language }),
    hunks,
    additions: count('added'),
    deletions: count('removed'),
  };
}

function toHunk({ oldLines, newLines, lines, ...hunk }: StructuredPatchHunk, above: number): Diff['hunks'][number] {
  const changes: Change[] = [];
  const [oldStart, newStart] = [hunk.oldStart + above, hunk.newStart + above];
  let [oldLine, newLine] = [oldStart, newStart];
  for (const line of lines) {
    const content = line.slice(1);
    if (line.startsWith(' ')) {
      changes.push({ type: 'context', content, oldLineNumber: oldLine++, newLineNumber: newLine++ });
    } else if (line.startsWith('-')) changes.push({ type: 'removed', content, oldLineNumber: oldLine++ });
    else if (line.startsWith('+')) changes.push({ type: 'added', content, newLineNumber: newLine++ });
    // Any other line says that a file has no newline at its end.
  }
  // The library moves the start of an empty range to the line after it. The format names the line before.
  const startOf = (start: number, count: number) => (count === 0 ? start - 1 : start);
  return { oldStart: startOf(oldStart, oldLines), oldLines, newStart: startOf(newStart, newLines), newLines, changes };
}

/** Shows a file that was written: the whole text of a new file, and the changes of an existing one. */
export function visualizeWritten(changed: ComparedFile, content: string, facts: ShownFacts): Visualization {
  const { path, content: before } = changed.file;
  if (before !== undefined || content.length > MAX_FILE_CHARACTERS) return visualizeChanges([changed], facts);
  const language = languageOf(path);
  const title = facts.title ?? (facts.dryRun ? DRY_RUN : undefined);
  return {
    type: 'code',
    path,
    content,
    ...(language !== undefined && { language }),
    created: true,
    lineCount: content.split('\n').length - (content.endsWith('\n') || content === '' ? 1 : 0),
    ...(title !== undefined && { title }),
  };
}

function languageOf(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot < 0 ? undefined : LANGUAGES.get(name.slice(dot + 1).toLowerCase());
}
