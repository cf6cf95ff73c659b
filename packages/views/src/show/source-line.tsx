import { useEffect, useState } from 'preact/hooks';
import { markRanges, type Range, type Segment } from '../text/segments.ts';
import { MAX_LINE, toShown } from '../text/shown-text.ts';
import { LongLine } from './card.tsx';

interface SourceLineProps {
  readonly text: string;
  readonly segments: readonly Segment[] | undefined;
  readonly marks?: readonly Range[] | undefined;
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

/** Computes something slow after the first picture is painted; undefined until then. */
export function useAfterPaint<T>(compute: () => T, inputs: readonly unknown[]): T | undefined {
  const [value, setValue] = useState<{ readonly of: T }>();
  useEffect(() => {
    const timer = setTimeout(() => setValue({ of: compute() }), 0);
    return () => clearTimeout(timer);
  }, inputs);
  return value?.of;
}
