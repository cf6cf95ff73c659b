import type { Visualization } from '@jinn/core/visualization';
import type { ShownFile } from './read-shown.ts';

const MAX_LINES = 500;
const MAX_LINE = 300;

/** Shows the lines that match. `total` also counts those that are not listed. */
export function visualizeMatches(files: readonly ShownFile[], total: number): Visualization {
  const hits = files.flatMap(({ path, hits }) => hits.map(({ line, lines }) => ({ path, line, text: lines[0] ?? '' })));
  const listed = hits.slice(0, MAX_LINES).map(({ path, line, text }) => ({ path, line, content: cut(text) }));
  return { type: 'file-list', files: listed, total };
}

function cut(text: string): string {
  return text.length <= MAX_LINE ? text : `${text.slice(0, MAX_LINE).toWellFormed()}…`;
}

/** Shows how many matches each file has. */
export function visualizeCounts(
  counts: readonly (readonly [path: string, count: number])[],
  files: number,
): Visualization {
  return {
    type: 'table',
    columns: [
      { key: 'file', label: 'File' },
      { key: 'matches', label: 'Matches' },
    ],
    rows: counts.slice(0, MAX_LINES).map(([file, matches]) => ({ file, matches })),
    totalRows: files,
    ...(files > Math.min(MAX_LINES, counts.length) && { hasMore: true }),
  };
}
