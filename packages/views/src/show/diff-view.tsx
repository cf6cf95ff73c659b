import type { VisualizationOf } from '@jinn/core/visualization';
import { diffWordsWithSpace } from 'diff';
import { useMemo, useState } from 'preact/hooks';
import { highlightLines, type Range, type Segment } from '../text/highlight.ts';
import { plural, toShown } from '../text/shown-text.ts';
import { Card } from './card.tsx';
import { SourceLine, useAfterPaint } from './code-view.tsx';
import { Icon } from './icon.tsx';
import { RowTable } from './row-table.tsx';

/** Longer lines are not compared word by word. */
const MAX_LINE = 500;

/** If two lines share less, marks would show nothing but noise. */
const MIN_SHARED = 0.3;

interface WordMarks {
  readonly removed: readonly Range[];
  readonly added: readonly Range[];
}

interface ChangedLine {
  readonly type: 'added' | 'removed' | 'context';
  readonly content: string;
}

/** How many added lines are tried as the new version of a removed one. */
const MAX_TRIED = 3;

export type Diff = VisualizationOf<'diff'>;
type Hunk = Diff['hunks'][number];
type Change = Hunk['changes'][number];

/** If there are several files, those beyond this many lines are folded at first. */
const MAX_OPEN_LINES = 2_000;
const SIGNS = { added: '+', removed: '−', context: ' ' } as const;
const NAMES = { added: 'added', removed: 'removed', context: '' } as const;

/** A line of each side. */
type Pair = readonly [before: Change | undefined, after: Change | undefined];
type DiffRow = Hunk | Change | Pair;

interface DiffViewProps {
  readonly diff: Diff;
  readonly isOpen: boolean;
  /** For a diff among others, which decide how it is shown. */
  readonly isInner?: boolean;
  readonly areSidesApart?: boolean;
}

/** Shows what changed in one file. */
export function DiffView({ diff, isOpen, isInner = false, areSidesApart = false }: DiffViewProps) {
  const { path, title, additions, deletions } = diff;
  const [isSplit, setSplit] = useState(false);
  const name = toShown(path);
  return (
    <Card
      title={title === undefined || isInner ? name : `${toShown(title)} · ${name}`}
      isOpen={isOpen}
      isInner={isInner}
      facts={
        <>
          <DiffFacts diffs={[diff]} additions={additions} deletions={deletions} />
          {!isInner && <SplitButton isSplit={isSplit} set={setSplit} />}
        </>
      }
      copied={() => toUnified(diff)}
      body={() => <DiffBody diff={diff} isSplit={isSplit || areSidesApart} />}
    />
  );
}

/** Shows what changed in several files, one below the other. */
export function DiffsView({ diffs, isOpen }: { diffs: VisualizationOf<'diffs'>; isOpen: boolean }) {
  const { items, title } = diffs;
  const [isSplit, setSplit] = useState(false);
  const sum = (key: 'additions' | 'deletions') => items.reduce((total, item) => total + item[key], 0);
  let lines = 0;
  const open = items.map((item) => {
    lines += item.hunks.reduce((total, hunk) => total + hunk.changes.length, 0);
    return !item.collapsed && lines <= MAX_OPEN_LINES;
  });
  const files = plural(items.length, 'file');
  return (
    <Card
      title={title === undefined ? files : `${toShown(title)} · ${files}`}
      isOpen={isOpen}
      facts={
        <>
          <DiffFacts diffs={items} additions={sum('additions')} deletions={sum('deletions')} />
          <SplitButton isSplit={isSplit} set={setSplit} />
        </>
      }
      copied={() => items.map(toUnified).join('')}
      body={() =>
        items.map((item, i) => (
          <DiffView key={i} diff={item} isInner areSidesApart={isSplit} isOpen={open[i] ?? false} />
        ))
      }
    />
  );
}

function DiffFacts({ diffs, additions, deletions }: { diffs: readonly Diff[]; additions: number; deletions: number }) {
  const [only] = diffs.length === 1 ? diffs : [];
  const { strategy, lineNumber } = only?.matchInfo ?? {};
  return (
    <>
      {strategy !== undefined && (
        <span>{`matched: ${toShown(strategy)}${lineNumber ? `, line ${lineNumber}` : ''}`}</span>
      )}
      <span class="good">
        <span aria-hidden="true">{`+${toShown(additions)}`}</span>
        <span class="unseen">{plural(Number(additions), 'line')} added</span>
      </span>
      <span class="bad">
        <span aria-hidden="true">{`−${toShown(deletions)}`}</span>
        <span class="unseen">{plural(Number(deletions), 'line')} removed</span>
      </span>
    </>
  );
}

function SplitButton({ isSplit, set }: { isSplit: boolean; set: (isSplit: boolean) => void }) {
  return (
    <button type="button" class="more wide" aria-pressed={isSplit} onClick={() => set(!isSplit)}>
      Side by side
    </button>
  );
}

function DiffBody({ diff, isSplit }: { diff: Diff; isSplit: boolean }) {
  const [folded, setFolded] = useState<ReadonlySet<Hunk>>(new Set());
  const rows = useMemo(() => toRows(diff.hunks, folded, isSplit), [diff, folded, isSplit]);
  const longest = useMemo(() => longestOf(diff.hunks), [diff]);
  const colours = useAfterPaint(() => highlightDiff(diff), [diff]);
  const toggle = (hunk: Hunk) => {
    const next = new Set(folded);
    if (!next.delete(hunk)) next.add(hunk);
    setFolded(next);
  };
  if (diff.hunks.length === 0) return <p class="note">No line has changed.</p>;
  return (
    <RowTable
      label={`Changes of ${toShown(diff.path)}`}
      kind={isSplit ? 'source diff apart' : 'source diff'}
      count={rows.length}
      longest={isSplit ? 2 * longest : longest}
      columns={4}
      rowClass={(i) => classOf(rows[i])}
      row={(i) => {
        const row = rows[i];
        if (row === undefined) return null;
        if ('changes' in row) return <HunkCell key={row} hunk={row} isOpen={!folded.has(row)} toggle={toggle} />;
        if ('length' in row) return row.map((side, at) => <SideCells key={at} {...{ side, at, colours }} />);
        return <ChangeCells change={row} colours={colours} />;
      }}
    />
  );
}

function HunkCell({ hunk, isOpen, toggle }: { hunk: Hunk; isOpen: boolean; toggle: (hunk: Hunk) => void }) {
  return (
    <td colSpan={4}>
      <button type="button" class="fold" aria-expanded={isOpen} onClick={() => toggle(hunk)}>
        <Icon name={isOpen ? 'unfolded' : 'folded'} />
        {headOf(hunk)}
      </button>
    </td>
  );
}

interface CellsProps {
  readonly change: Change;
  readonly colours: DiffColours | undefined;
}

function ChangeCells({ change, colours }: CellsProps) {
  const { type, oldLineNumber, newLineNumber } = change;
  return (
    <>
      <td class="number">{toShown(oldLineNumber)}</td>
      <td class="number">{toShown(newLineNumber)}</td>
      <td class="sign">
        <span aria-hidden="true">{SIGNS[type]}</span>
        <span class="unseen">{NAMES[type]}</span>
      </td>
      <td class="line">
        <ChangedText {...{ change, colours }} />
      </td>
    </>
  );
}

function SideCells({ side, at, colours }: Pick<CellsProps, 'colours'> & { side: Change | undefined; at: number }) {
  const { type = 'context', oldLineNumber, newLineNumber } = side ?? {};
  return (
    <>
      <td class={`number ${type}`}>{toShown(at === 0 ? oldLineNumber : newLineNumber)}</td>
      <td class={`line ${type}`}>
        {side && <span class="unseen">{NAMES[type]}</span>}
        {side && <ChangedText change={side} colours={colours} />}
      </td>
    </>
  );
}

function ChangedText({ change, colours }: CellsProps) {
  const [segments, marks] = [colours?.segments.get(change), colours?.marks.get(change)];
  return <SourceLine text={String(change.content)} {...{ segments, marks }} />;
}

function classOf(row: DiffRow | undefined): string {
  if (row === undefined || 'length' in row) return '';
  return 'changes' in row ? 'hunk' : row.type;
}

function headOf({ oldStart, oldLines, newStart, newLines }: Hunk): string {
  return toShown(`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`);
}

function toRows(hunks: readonly Hunk[], folded: ReadonlySet<Hunk>, isSplit: boolean): DiffRow[] {
  const linesOf = ({ changes }: Hunk) => (isSplit ? pairSides(changes) : changes);
  return hunks.flatMap((hunk): DiffRow[] => (folded.has(hunk) ? [hunk] : [hunk, ...linesOf(hunk)]));
}

/** Puts the lines of the two sides next to each other. */
function pairSides(changes: readonly Change[]): Pair[] {
  return [...runsOf(changes)].flatMap(([removed, added]): Pair[] =>
    Array.from({ length: Math.max(removed.length, added.length) }, (_, i) => [removed[i], added[i]]),
  );
}

interface DiffColours {
  readonly segments: ReadonlyMap<Change, readonly Segment[]>;
  readonly marks: ReadonlyMap<Change, readonly Range[]>;
}

function highlightDiff({ hunks, language }: Diff): DiffColours {
  const segments = new Map<Change, readonly Segment[]>();
  for (const { changes } of hunks) {
    for (const other of ['added', 'removed']) {
      const side = changes.filter(({ type }) => type !== other);
      const lines = highlightLines(
        side.map(({ content }) => content),
        language,
      );
      for (const [i, change] of side.entries()) {
        const coloured = lines?.[i];
        if (coloured) segments.set(change, coloured);
      }
    }
  }
  return { segments, marks: new Map(hunks.flatMap(({ changes }) => [...markChanges(changes)])) };
}

function longestOf(hunks: readonly Hunk[]): number {
  return hunks.reduce(
    (most, { changes }) => changes.reduce((max, { content }) => Math.max(max, content.length), most),
    0,
  );
}

function toUnified({ path, hunks }: Diff): string {
  const signs = { added: '+', removed: '-', context: ' ' };
  const lines = hunks.flatMap((hunk) => [
    `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`,
    ...hunk.changes.map(({ type, content }) => signs[type] + content),
  ]);
  return `${[`--- ${path}`, `+++ ${path}`, ...lines].join('\n')}\n`;
}

function compareWords(before: string, after: string): WordMarks | undefined {
  if (before.length > MAX_LINE || after.length > MAX_LINE) return undefined;
  const removed: Range[] = [];
  const added: Range[] = [];
  let [oldAt, newAt, shared] = [0, 0, 0];
  for (const { value, added: isNew, removed: isOld } of diffWordsWithSpace(before, after)) {
    if (isOld) removed.push([oldAt, oldAt + value.length]);
    else if (isNew) added.push([newAt, newAt + value.length]);
    else shared += value.trim().length;
    if (!isNew) oldAt += value.length;
    if (!isOld) newAt += value.length;
  }
  const longer = Math.max(before.trim().length, after.trim().length);
  return shared >= MIN_SHARED * longer ? { removed, added } : undefined;
}

/** Finds the changed words of the lines of a hunk: each removed line is compared with the added ones in its place. */
export function markChanges<T extends ChangedLine>(changes: readonly T[]): Map<T, readonly Range[]> {
  const marks = new Map<T, readonly Range[]>();
  for (const [removed, added] of runsOf(changes)) if (removed[0]?.type === 'removed') markRun(removed, added, marks);
  return marks;
}

/** Splits the lines of a hunk into removed ones with the added ones in their place. A line that stayed is on both sides. */
function* runsOf<T extends ChangedLine>(changes: readonly T[]): Iterable<readonly [before: T[], after: T[]]> {
  for (let at = 0; at < changes.length; ) {
    const removed = takeWhile(changes, at, 'removed');
    const added = takeWhile(changes, at + removed.length, 'added');
    const count = removed.length + added.length;
    const same = changes.slice(at, at + 1);
    yield count > 0 ? [removed, added] : [same, same];
    at += count || 1;
  }
}

function takeWhile<T extends ChangedLine>(changes: readonly T[], start: number, type: T['type']): T[] {
  let end = start;
  while (changes[end]?.type === type) end++;
  return changes.slice(start, end);
}

function markRun<T extends ChangedLine>(removed: readonly T[], added: readonly T[], marks: Map<T, readonly Range[]>) {
  let next = 0;
  for (const before of removed) {
    for (let i = next; i < Math.min(next + MAX_TRIED, added.length); i++) {
      const after = added[i] as T;
      const found = compareWords(before.content, after.content);
      if (!found) continue;
      marks.set(before, found.removed).set(after, found.added);
      next = i + 1;
      break;
    }
  }
}
