import { ToolError } from '@jinn/core/errors';
import { compareContents } from '@jinn/fs-tools/diff/unified-diff';
import { type ComparedFile, visualizeChanges } from '@jinn/fs-tools/diff/visualize-changes';
import type { Engine } from '@jinn/toolsets';
import type { SessionChanges } from '../journal/journal-record.ts';

const MAX_CALLS = 1_000;
const MB = 1024 * 1024;
const PATCH_LIMITS = { maxBytes: 16 * MB, maxLength: 8 * MB };

interface ListedChange {
  readonly operation_id: string;
  readonly operation: string;
  readonly undone?: boolean;
}

/**
 * Compares the files of some operations with what they would be without these, which is what an undo of them would make.
 * Throws the error of `undo`.
 */
export async function compareSession(call: Engine['call'], operations: ReadonlySet<string>): Promise<SessionChanges> {
  const undo = async (args: object) => {
    const outcome = await call({ tool: 'undo', args });
    if (!outcome.ok) throw outcome.error;
    return outcome;
  };
  const { entries = [] }: { entries?: readonly ListedChange[] } = Object(
    (await undo({ action: 'list', limit: MAX_CALLS })).data,
  );
  const kept = entries.filter(({ operation_id }) => operations.has(operation_id));
  const lost = operations.size - new Set(kept.map(({ operation_id }) => operation_id)).size;
  const notes = lost > 0 ? [`${lost} of its changes are no longer in the history, and are not shown.`] : [];
  const inEffect = kept.filter(({ operation, undone }) => operation !== 'undo' && !undone);
  if (inEffect.length === 0) return { patch: '', notes: [...notes, 'No change of this session is in effect.'] };
  const id = [...new Set(inEffect.map(({ operation_id }) => operation_id))].join(',');
  const { picture } = await undo({ action: 'preview', id });
  if (!picture) throw new ToolError('internal', 'a preview has a picture');
  const planned = picture.planned.toSorted((a, b) => (a.file.path < b.file.path ? -1 : 1));
  const files = planned.map(({ file, after }) => ({
    file: { path: file.path, content: after },
    after: file.content,
  }));
  const compared = files.map((file) => ({ path: file.file.path, ...compareContents(file, PATCH_LIMITS) }));
  const named = (label: string, isSo: (file: ComparedFile) => boolean) => {
    const paths = files.filter(isSo).map(({ file }) => file.path);
    return paths.length > 0 ? [`${label}: ${paths.join(', ')}`] : [];
  };
  const left = compared.filter(({ reason, remark }) => reason ?? remark).map(({ path }) => path);
  return {
    visualization: visualizeChanges(files),
    patch: compared.map(({ diff, remark }) => (remark ? '' : (diff ?? ''))).join(''),
    notes: [
      ...notes,
      ...named('New', ({ file }) => file.content === undefined),
      ...named('Deleted', ({ after }) => after === undefined),
      ...(picture.facts?.title === undefined ? [] : ['Other changes of the same lines are shown too']),
      ...(left.length > 0 ? [`Not in the patch: ${left.join(', ')}`] : []),
    ],
  };
}
