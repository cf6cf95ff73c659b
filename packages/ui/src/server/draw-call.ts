import type { Visualization } from '@jinn/core/visualization';
import { visualizeChanges, visualizeWritten } from '@jinn/fs-tools/diff/visualize-changes';
import type { CallDetail } from '../journal/read-journal.ts';

type DrawableCall = Pick<CallDetail, 'visualization' | 'changes' | 'dryRun' | 'facts'>;

/**
 * Returns what a person is shown of a call: the picture in the journal, or one that is made of the recorded changes.
 */
export function drawCall({ visualization, changes, dryRun = false, facts }: DrawableCall): Visualization | undefined {
  if (changes === undefined) return visualization;
  const files = changes.map(({ path, line, before, after }) => ({
    file: { path, content: toBytes(before) },
    after: toBytes(after),
    line,
    // Equal parts are the result of removing secrets.
    leftOut: before !== undefined && before === after ? 'the change lies in what was left out as a secret' : undefined,
  }));
  const [first, ...more] = files;
  const text = changes[0]?.after;
  if (first && more.length === 0 && text !== undefined) return visualizeWritten(first, text, { dryRun, ...facts });
  return visualizeChanges(files, { dryRun, ...facts });
}

function toBytes(text: string | undefined): Buffer | undefined {
  return text === undefined ? undefined : Buffer.from(text);
}
