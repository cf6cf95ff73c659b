import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

/** The height of a row, unless it is another one. */
const ROW_HEIGHT = 22;
/** How many rows before the end `onEnd` is called. */
const NEAR_END = 20;
/** Up to this many rows, all are drawn, so that the browser's own search finds them. */
const MAX_DRAWN = 1_000;
/** How many are drawn if there are more: those that fit into the view, and some beyond. */
const VIEW_HEIGHT = 616;
const STEP = 6;
const OVERSCAN = 8;

export interface RowTableProps {
  /** Names the table for a screen reader. */
  readonly label: string;
  readonly kind: string;
  readonly count: number;
  /** The longest line in characters, for the width of a table that is drawn only in part. */
  readonly longest?: number;
  readonly head?: ComponentChildren;
  readonly columns: number;
  /**
   * Draws the cells of a row, in a `tr` that was another row's before: an element with a state or the focus needs a key
   * of its own.
   */
  readonly row: (index: number) => ComponentChildren;
  readonly rowClass?: (index: number) => string;
  /** Returns a key for a row that keeps its elements if others come before it. */
  readonly rowKey?: (index: number) => string | number;
  readonly rowHeight?: number;
  /** Is called when the user scrolls near the end. */
  readonly onEnd?: () => void;
}

/** Shows rows of one height in a region that scrolls. Of thousands, only those in sight are in the document. */
export function RowTable({ rowHeight = ROW_HEIGHT, onEnd, ...props }: RowTableProps) {
  const { label, kind, count, longest, head, columns, row, rowClass, rowKey } = props;
  const [first, setFirst] = useState(0);
  const isWhole = count <= MAX_DRAWN;
  // A list that goes on fills the window.
  const visible = Math.ceil((onEnd ? window.innerHeight : VIEW_HEIGHT) / rowHeight);
  const drawn = visible + STEP + 2 * OVERSCAN;
  const from = isWhole ? 0 : Math.max(0, Math.min(first, count - visible) - OVERSCAN);
  const to = isWhole ? count : Math.min(count, from + drawn);
  // A row that scrolls out of sight becomes the one that scrolls in: new text costs half of new elements.
  const keyOf = (index: number) => (isWhole ? (rowKey?.(index) ?? index) : index % drawn);
  const follow = ({ scrollTop, clientHeight }: Element) => {
    setFirst(Math.floor(scrollTop / rowHeight / STEP) * STEP);
    if (scrollTop + clientHeight > (count - NEAR_END) * rowHeight) onEnd?.();
  };
  const offset = head === undefined ? 1 : 2;
  const width = longest === undefined || isWhole ? {} : { style: { minWidth: `${longest + 14}ch` } };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields. A region would be a landmark; a page has many of these.
    <div
      role="group"
      class={`rows ${kind}${isWhole ? ' whole' : ''}`}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
      tabIndex={0}
      style={{ '--row': `${rowHeight}px` }}
      onScroll={(event) => follow(event.currentTarget)}
    >
      <table aria-label={label} aria-rowcount={count + offset - 1} {...width}>
        {head}
        <Gap height={from * rowHeight} columns={columns} />
        <tbody>
          {Array.from({ length: to - from }, (_, i) => (
            <tr key={keyOf(from + i)} aria-rowindex={from + i + offset} class={rowClass?.(from + i)}>
              {row(from + i)}
            </tr>
          ))}
        </tbody>
        <Gap height={(count - to) * rowHeight} columns={columns} />
      </table>
    </div>
  );
}

function Gap({ height, columns }: { height: number; columns: number }) {
  if (height <= 0) return null;
  return (
    <tbody aria-hidden="true">
      <tr>
        <td colSpan={columns} style={{ height: `${height}px` }} />
      </tr>
    </tbody>
  );
}
