import type { VisualizationOf } from '@jinn/core/visualization';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { highlightLines, markRanges, type Range, type Segment } from '../text/highlight.ts';
import { MAX_LINE, plural, shownLinesOf, toShown } from '../text/shown-text.ts';
import { Card, LongLine } from './card.tsx';
import { RowTable } from './row-table.tsx';

interface SourceLineProps {
  readonly text: string;
  readonly segments: readonly Segment[] | undefined;
  readonly marks?: readonly Range[] | undefined;
}

type Code = VisualizationOf<'code'>;

/** How many lines of a longer file are shown at first. The rest comes on request. */
const MAX_FIRST = 20;
const SLACK = 10;

/** Shows a file that was read or written. */
export function CodeView({ code, isOpen }: { code: Code; isOpen: boolean }) {
  const { path, title, created, content, lineCount } = code;
  const lines = useMemo(() => shownLinesOf(content), [content]);
  const name = toShown(path);
  const made = created ? 'Created' : 'Overwrote';
  return (
    <Card
      title={title === undefined ? name : `${toShown(title)} · ${name}`}
      isOpen={isOpen}
      facts={
        <>
          {created !== undefined && <span class={`badge ${created ? 'good' : 'warn'}`}>{made}</span>}
          <span>{plural(Number(lineCount ?? lines.length), 'line')}</span>
        </>
      }
      copied={() => content}
      body={() => <CodeBody name={name} lines={lines} language={code.language} marked={code.highlightLines} />}
    />
  );
}

interface CodeBodyProps {
  /** The name to show, if it may be shown. */
  readonly name: string;
  readonly lines: readonly string[];
  readonly language: string | undefined;
  readonly marked?: readonly number[] | undefined;
}

/** Shows lines of source with their numbers. */
export function CodeBody({ name, lines, language, marked }: CodeBodyProps) {
  const [isWhole, setWhole] = useState(lines.length <= MAX_FIRST + SLACK || (marked?.length ?? 0) > 0);
  const colours = useAfterPaint(() => highlightLines(lines, language), [lines, language]);
  const longest = useMemo(() => lines.reduce((most, line) => Math.max(most, line.length), 0), [lines]);
  const isMarked = new Set(marked);
  return (
    <>
      <RowTable
        label={`Lines of ${name}`}
        kind="source"
        count={isWhole ? lines.length : MAX_FIRST}
        longest={longest}
        columns={2}
        rowClass={(i) => (isMarked.has(i + 1) ? 'marked' : '')}
        row={(i) => (
          <>
            <td class="number">{i + 1}</td>
            <td class="line">
              {isMarked.has(i + 1) && <span class="unseen">marked </span>}
              <SourceLine text={lines[i] ?? ''} segments={colours?.[i]} />
            </td>
          </>
        )}
      />
      {!isWhole && (
        <button type="button" class="more" onClick={() => setWhole(true)}>
          Show all {plural(lines.length, 'line')}
        </button>
      )}
    </>
  );
}

/** Shows a line of a source file with its colours and marks. */
export function SourceLine({ text, segments, marks }: SourceLineProps) {
  if (text.length > MAX_LINE) {
    return (
      <LongLine key={text} length={text.length} limit={MAX_LINE} draw={(shown) => toShown(text.slice(0, shown))} />
    );
  }
  if (segments === undefined && marks === undefined) return <>{toShown(text)}</>;
  const parts = markRanges(segments ?? [{ text, className: '' }], marks ?? []);
  return (
    <>
      {parts.map((part, i) => (
        <Part key={i} {...part} />
      ))}
    </>
  );
}

function Part({ text, className }: Segment) {
  return <span class={className}>{toShown(text)}</span>;
}

/** Computes something slow after the first picture is painted. Undefined until then. */
export function useAfterPaint<T>(compute: () => T, inputs: readonly unknown[]): T | undefined {
  const [value, setValue] = useState<{ readonly of: T }>();
  useEffect(() => {
    const timer = setTimeout(() => setValue({ of: compute() }), 0);
    return () => clearTimeout(timer);
  }, inputs);
  return value?.of;
}
