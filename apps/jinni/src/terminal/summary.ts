import { showPath } from '@jinn/context';

const LARGEST = 10;
/** A longer document is not printed to a terminal. */
export const MOST_LINES = 500;

/** A file as it was written. */
export interface WrittenTokens {
  readonly path: string;
  readonly tokens: number;
}

export interface SummaryParts {
  /** How many files and tokens there are. */
  readonly totals: string;
  readonly files: readonly WrittenTokens[];
  /** Sentences on what was left out. */
  readonly leftOut: readonly string[];
  /** Sentences on where the document went. */
  readonly places: readonly string[];
}

type Colour = (style: 'bold' | 'dim' | 'green' | 'yellow', text: string) => string;

/** Draws what a person wants to know of a document that is not on the screen. */
export function drawSummary({ totals, files, leftOut, places }: SummaryParts, colour: Colour): string {
  const largest = files.toSorted((a, b) => b.tokens - a.tokens).slice(0, LARGEST);
  const counts = largest.map(({ tokens }) => Math.round(tokens).toLocaleString('en-US'));
  const width = Math.max(0, ...counts.map(({ length }) => length));
  return [
    colour('bold', totals),
    ...(files.length > LARGEST ? [`the ${LARGEST} largest:`] : []),
    ...largest.map(({ path }, i) => `  ${colour('dim', (counts[i] ?? '').padStart(width))}  ${showPath(path)}`),
    ...leftOut.map((sentence) => colour('yellow', sentence)),
    ...places.map((sentence) => colour('green', sentence)),
  ].join('\n');
}
