import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

/** The height of a row, which the stylesheet has too: `--row`. */
const ROW_HEIGHT = 22;
/** Up to this many rows, all are drawn, so that the browser's own search finds them. */
const MAX_DRAWN = 1_000;
/** How many are drawn if there are more: those that fit into the tallest view, and some beyond. */
const VISIBLE = 28;
const STEP = 6;
const OVERSCAN = 8;
const WINDOW = VISIBLE + STEP + 2 * OVERSCAN;

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
}

/** Shows rows of one height in a region that scrolls. Of thousands, only those in sight are in the document. */
export function RowTable({ label, kind, count, longest, head, columns, row, rowClass, rowKey }: RowTableProps) {
  const [first, setFirst] = useState(0);
  const isWhole = count <= MAX_DRAWN;
  const from = isWhole ? 0 : Math.max(0, Math.min(first, count - VISIBLE) - OVERSCAN);
  const to = isWhole ? count : Math.min(count, from + WINDOW);
  // A row that scrolls out of sight becomes the one that scrolls in: new text costs half of new elements.
  const keyOf = (index: number) => (isWhole ? (rowKey?.(index) ?? index) : index % WINDOW);
  const follow = (top: number) => setFirst(Math.floor(top / ROW_HEIGHT / STEP) * STEP);
  const offset = head === undefined ? 1 : 2;
  const width = longest === undefined ? {} : { style: { minWidth: `${longest + 14}ch` } };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields. A region would be a landmark; a page has many of these.
    <div
      role="group"
      class={`rows ${kind}`}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
      tabIndex={0}
      onScroll={(event) => follow(event.currentTarget.scrollTop)}
    >
      <table aria-label={label} aria-rowcount={count + offset - 1} {...width}>
        {head}
        <Gap rows={from} columns={columns} />
        <tbody>
          {Array.from({ length: to - from }, (_, i) => (
            <tr key={keyOf(from + i)} aria-rowindex={from + i + offset} class={rowClass?.(from + i)}>
              {row(from + i)}
            </tr>
          ))}
        </tbody>
        <Gap rows={count - to} columns={columns} />
      </table>
    </div>
  );
}

function Gap({ rows, columns }: { rows: number; columns: number }) {
  if (rows <= 0) return null;
  return (
    <tbody aria-hidden="true">
      <tr>
        <td colSpan={columns} style={{ height: `${rows * ROW_HEIGHT}px` }} />
      </tr>
    </tbody>
  );
}
