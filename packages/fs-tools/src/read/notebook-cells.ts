import { notebookToText } from '@jinn/syntax/notebook';
import { type LineScan, scanBuffer } from './scan-lines.ts';

/** A larger notebook is read as the JSON that it is, since the cells need all of it in memory. */
const MOST_BYTES = 32 * 1024 * 1024;

/** The sentence below the cells of a notebook. */
export const CELLS =
  '[Cells of a notebook, numbered by the lines of this text. edit_file with cell edits the source of one; raw: true shows the JSON.]';

/** Returns the lines of a notebook's cells. Returns undefined if the file is not a notebook. */
export function scanCells(scan: LineScan, path: string): LineScan | undefined {
  if (!path.toLowerCase().endsWith('.ipynb') || scan.size > MOST_BYTES) return undefined;
  const text = notebookToText(scan.slice(0, scan.size).toString());
  return text === undefined ? undefined : { ...scan, ...scanBuffer(Buffer.from(text)) };
}
