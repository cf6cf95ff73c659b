import {
  type Archive,
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
import { describeLater, type FileRestore, planRestore, refusalOf, withLaterChanges } from './undo-plan.ts';

export const undo = defineTool({
  name: 'undo',
  effect: 'write',
  description:
    'Take back a change of jinn by its id, or a whole call by its operation id. What was changed since stays. A restore can be undone.',
  input: (z) =>
    z.strictObject({
      action: z.enum(['list', 'preview', 'restore', 'clear']).check(z.describe('What to do')),
      id: z.optional(z.string().check(z.describe('Snapshot id or its start, or operation id'))),
      with_later: z.optional(z.boolean().check(z.describe('Take back what was changed since, too'))),
      limit: z.optional(z.int().check(z.minimum(1), z.describe('How many to list'))),
    }),
  examples: [{ action: 'list' }, { action: 'preview', id: 'a1b2c3' }, { action: 'restore', id: 'a1b2c3' }],
  hosting: { tellsVersions: true, searchWords: 'revert restore history snapshot' },

  async run({ action, id, limit, with_later }, ctx): Promise<ToolOutput> {
    const history = await ctx.history();
    if (!history) {
      throw new ToolError('not_found', 'there is no history: jinn was started with --no-history', {
        suggestion: 'start jinn without --no-history to record changes',
      });
    }
    reconcile(ctx, history);
    const archive = await history.archive();
    try {
      return await answer({ action, id, limit, withLater: with_later === true }, ctx, archive);
    } finally {
      for (const warning of history.takeWarnings()) ctx.warn(warning);
    }
  },
});

interface UndoArgs {
  readonly action: 'list' | 'preview' | 'restore' | 'clear';
  readonly id: string | undefined;
  readonly limit: number | undefined;
  readonly withLater: boolean;
}

function answer(args: UndoArgs, ctx: ToolContext, archive: Archive): ToolOutput | Promise<ToolOutput> {
  const { action, id, limit, withLater } = args;
  refuseIgnored(args);
  if (action === 'list') return list(archive, limit, ctx);
  if (action === 'clear') return { text: 'cleared history for this workdir', meta: { removed: archive.clear() } };
  if (!id) {
    throw new ToolError('invalid_args', `id is required for ${action}`, {
      suggestion: 'use {"action":"list"} to see the ids',
    });
  }
  const request = { entries: archive.find(id), withLater };
  return action === 'preview' ? preview(ctx, archive, request) : restore(ctx, archive, request);
}

/** Refuses what would be ignored: with an id, `clear` would remove more than was meant. Hosts may send no id as `""`. */
function refuseIgnored({ action, id, limit, withLater }: UndoArgs): void {
  if (withLater && (action === 'list' || action === 'clear')) {
    throw new ToolError('invalid_args', `with_later does not go with the action ${action}`, {
      suggestion: 'leave with_later out; it is for the actions preview and restore',
    });
  }
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

async function preview(ctx: ToolContext, archive: Archive, request: RestoreRequest): Promise<ToolOutput> {
  const result = await putBack(ctx, archive, request, { dryRun: true });
  const refusal = refusalOf(result.found);
  const texts = result.files.map((changed, i) => {
    const { entry, kind } = result.found[i] as FileRestore;
    const head = `[undo preview] id=${entry.id} op=${entry.tool} ts=${timeOf(entry)}`;
    if (entry.size === undefined) {
      return `[undo preview] restoring would delete ${entry.path} (it was created by op "${entry.tool}")`;
    }
    const diff = diffOf(changed) || (changed.changed ? '[only the mode differs]\n' : '[no changes]\n');
    return `${head}${kind === 'alone' ? ' (this change alone; what was changed since stays)' : ''}\n${diff}`;
  });
  const refused = refusal ? [`[undo preview] restore is refused without with_later: ${refusal.message}`] : [];
  const text = [...texts, ...laterIn(result, request), ...refused].join('\n');
  return { text, meta: toMeta(result), visualize: () => visualize(result, { dryRun: true }) };
}

async function restore(ctx: ToolContext, archive: Archive, request: RestoreRequest): Promise<ToolOutput> {
  const result = await putBack(ctx, archive, request, { dryRun: false });
  const texts = result.files.map(({ changed }, i) => {
    const { entry, kind } = result.found[i] as FileRestore;
    const suffix = changed ? '' : ' (no changes)';
    if (entry.size === undefined) return `restored: deleted ${entry.path} (undid "${entry.tool}")${suffix}`;
    const facts = `(op "${entry.tool}", id=${entry.id})${suffix}`;
    if (kind === 'alone')
      return `restored: took this change out of ${entry.path}, and kept what was changed since ${facts}`;
    return `restored: ${entry.path} to snapshot from ${timeOf(entry)} ${facts}`;
  });
  const text = [...texts, ...laterIn(result, request)].join('\n');
  return { text, meta: toMeta(result), visualize: () => visualize(result, { dryRun: false }) };
}

/** Says what is taken back beside what was asked for. */
function laterIn({ found }: Restored, { withLater }: RestoreRequest): string[] {
  const later = withLater ? describeLater(found) : '';
  return later === '' ? [] : [`later changes go too: ${later}`];
}

async function visualize({ files }: Restored, { dryRun }: { dryRun: boolean }): Promise<Visualization> {
  const { visualizeChanges } = await import('./visualize-changes.ts');
  return visualizeChanges(files, { dryRun });
}

interface RestoreRequest {
  readonly entries: readonly HistoryEntry[];
  readonly withLater: boolean;
}

type Restored = MutationResult<readonly FileRestore[]>;

/** Takes changes back, all or none. The paths go through the guard again, like those of any call. */
function putBack(
  ctx: ToolContext,
  archive: Archive,
  { entries, withLater }: RestoreRequest,
  { dryRun }: { dryRun: boolean },
): Promise<Restored> {
  const oldest = withLater ? withLaterChanges(archive, entries) : entries;
  return mutate(ctx, {
    operation: 'undo',
    targets: oldest.map(({ path }) => ({ path })),
    dryRun,
    takesStale: dryRun,
    compute: (files) => {
      const found = files.map((file, i) => planRestore(archive, oldest[i] as HistoryEntry, file, withLater));
      const refusal = dryRun ? undefined : refusalOf(found);
      if (refusal) throw refusal;
      return { changes: found.map(({ change }) => change), found };
    },
  });
}

function toMeta(result: Restored): object {
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
