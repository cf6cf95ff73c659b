import {
  type Archive,
  type ChangedFile,
  defineTool,
  type HistoryEntry,
  type MutationResult,
  mutate,
  reconcile,
  type ToolContext,
  ToolError,
  type ToolOutput,
  type Visualization,
} from '@jinn/core';
import { changeMeta, diffOf } from './change-report.ts';

export const undo = defineTool({
  name: 'undo',
  effect: 'write',
  description:
    'List, preview and restore what files were before jinn changed them. A restore can be undone too. Give an operation id to undo a whole call.',
  input: (z) =>
    z.strictObject({
      action: z.enum(['list', 'preview', 'restore', 'clear']).check(z.describe('What to do')),
      id: z.optional(
        z.string().check(z.describe('Snapshot id, unique prefix of one, or operation id; for preview and restore')),
      ),
      limit: z.optional(z.int().check(z.minimum(1), z.describe('How many snapshots to list (default all)'))),
    }),
  examples: [{ action: 'list' }, { action: 'preview', id: 'a1b2c3' }, { action: 'restore', id: 'a1b2c3' }],
  hosting: { tellsVersions: true, searchWords: 'revert restore history snapshot' },

  async run({ action, id, limit }, ctx): Promise<ToolOutput> {
    const history = await ctx.history();
    if (!history) {
      throw new ToolError('not_found', 'there is no history: jinn was started with --no-history', {
        suggestion: 'start jinn without --no-history to record changes',
      });
    }
    reconcile(ctx, history);
    const archive = await history.archive();
    try {
      return await answer({ action, id, limit }, ctx, archive);
    } finally {
      for (const warning of history.takeWarnings()) ctx.warn(warning);
    }
  },
});

interface UndoArgs {
  readonly action: 'list' | 'preview' | 'restore' | 'clear';
  readonly id: string | undefined;
  readonly limit: number | undefined;
}

function answer({ action, id, limit }: UndoArgs, ctx: ToolContext, archive: Archive): ToolOutput | Promise<ToolOutput> {
  refuseIgnored({ action, id, limit });
  if (action === 'list') return list(archive, limit, ctx);
  if (action === 'clear') return { text: 'cleared history for this workdir', meta: { removed: archive.clear() } };
  if (!id) {
    throw new ToolError('invalid_args', `id is required for ${action}`, {
      suggestion: 'use {"action":"list"} to see the ids',
    });
  }
  const entries = archive.find(id);
  return action === 'preview' ? preview(ctx, archive, entries) : restore(ctx, archive, entries);
}

/** Refuses what would be ignored: with an id, `clear` would remove more than was meant. Hosts may send no id as `""`. */
function refuseIgnored({ action, id, limit }: UndoArgs): void {
  if (id && action === 'clear') {
    throw new ToolError('invalid_args', 'id does not go with the action clear, which removes the whole history', {
      suggestion: 'leave id out to remove the whole history; a single snapshot cannot be removed',
    });
  }
  if (id && action === 'list') {
    throw new ToolError('invalid_args', 'id does not go with the action list', {
      suggestion: 'leave id out, or use preview to see what restoring it would change',
    });
  }
  if (limit !== undefined && action !== 'list') {
    throw new ToolError('invalid_args', `limit does not go with the action ${action}`, {
      suggestion: 'leave limit out; it is for the action list',
    });
  }
}

/** Says what cannot be undone any more: entries that are damaged, and histories that were set aside as damaged. */
function list(archive: Archive, limit: number | undefined, ctx: ToolContext): ToolOutput {
  const intact = archive.list(limit);
  const total = archive.count();
  const damaged = Math.min(total, limit ?? total) - intact.length;
  if (damaged > 0) ctx.warn(`${damaged} of the snapshots are damaged, and not listed: they cannot be restored`);
  for (const name of archive.damaged()) ctx.warn(`a damaged history was set aside, and cannot be undone: ${name}`);
  const entries = intact.map((entry) => ({
    id: entry.id,
    path: entry.path,
    timestamp: timeOf(entry),
    operation: entry.tool,
    operation_id: entry.operationId,
    ...(entry.size === undefined ? { created: true } : { size: entry.size }),
  }));
  return { data: { count: entries.length, total, entries } };
}

async function preview(ctx: ToolContext, archive: Archive, entries: readonly HistoryEntry[]): Promise<ToolOutput> {
  const result = await putBack(ctx, archive, { entries, dryRun: true });
  const texts = eachOf(entries, result, (entry, changed) => {
    if (entry.size === undefined) {
      return `[undo preview] restoring would delete ${entry.path} (it was created by op "${entry.tool}")`;
    }
    const diff = diffOf(changed) || (changed.changed ? '[only the mode differs]\n' : '[no changes]\n');
    return `[undo preview] id=${entry.id} op=${entry.tool} ts=${timeOf(entry)}\n${diff}`;
  });
  return { text: texts.join('\n'), meta: toMeta(result), visualize: () => visualize(result, { dryRun: true }) };
}

async function restore(ctx: ToolContext, archive: Archive, entries: readonly HistoryEntry[]): Promise<ToolOutput> {
  const result = await putBack(ctx, archive, { entries, dryRun: false });
  const texts = eachOf(entries, result, (entry, { changed }) => {
    const suffix = changed ? '' : ' (no changes)';
    if (entry.size === undefined) return `restored: deleted ${entry.path} (undid "${entry.tool}")${suffix}`;
    return `restored: ${entry.path} to snapshot from ${timeOf(entry)} (op "${entry.tool}", id=${entry.id})${suffix}`;
  });
  return { text: texts.join('\n'), meta: toMeta(result), visualize: () => visualize(result, { dryRun: false }) };
}

async function visualize({ files }: MutationResult, { dryRun }: { dryRun: boolean }): Promise<Visualization> {
  const { visualizeChanges } = await import('./visualize-changes.ts');
  return visualizeChanges(files, { dryRun });
}

interface PutBack {
  readonly entries: readonly HistoryEntry[];
  readonly dryRun: boolean;
}

/** Makes the files what they were before these entries. The paths go through the guard again, like those of any call. */
function putBack(ctx: ToolContext, archive: Archive, { entries, dryRun }: PutBack): Promise<MutationResult> {
  return mutate(ctx, {
    operation: 'undo',
    targets: entries.map(({ path }) => ({ path })),
    dryRun,
    takesStale: dryRun,
    compute: (files) => {
      const changes = files.map((file, i) => {
        const entry = entries[i] as HistoryEntry;
        if (file.path !== entry.path) throw movedAway(entry);
        if (entry.size === undefined) return { file, content: undefined, emptyDirectories: entry.newDirectories };
        const snapshot = archive.snapshot(entry.id);
        if (!snapshot) throw goneMeanwhile(entry);
        return { file, ...snapshot };
      });
      return { changes, found: undefined };
    },
  });
}

function eachOf(
  entries: readonly HistoryEntry[],
  { files }: MutationResult,
  tell: (entry: HistoryEntry, changed: ChangedFile) => string,
): string[] {
  return files.map((changed, i) => tell(entries[i] as HistoryEntry, changed));
}

function toMeta(result: MutationResult): object {
  const [only, ...more] = result.files;
  if (only && more.length === 0) return changeMeta(only, result);
  const { operationId } = result;
  return {
    ...(operationId !== undefined && { operation_id: operationId }),
    files: result.files.map((changed) => ({
      path: changed.file.path,
      ...changeMeta(changed, { operationId: undefined }),
    })),
  };
}

/** RFC 3339, to the second. */
function timeOf({ created }: HistoryEntry): string {
  return created.toISOString().replace(/\.\d+Z$/, 'Z');
}

function movedAway({ path }: HistoryEntry): ToolError {
  return new ToolError(
    'conflict',
    `${path} is a link to another file now, and this snapshot is of the file that was there before`,
    {
      suggestion: 'remove the link first',
    },
  );
}

function goneMeanwhile({ id }: HistoryEntry): ToolError {
  return new ToolError('not_found', `the snapshot ${id} has been removed since`, {
    suggestion: 'use {"action":"list"} to see the ids',
  });
}
