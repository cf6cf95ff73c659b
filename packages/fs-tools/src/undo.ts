import { defineTool, type ToolContext, type ToolOutput } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import {
  type Archive,
  type ChangedFile,
  type HistoryEntry,
  type MutationResult,
  mutate,
  reconcile,
} from '@jinn/workspace';
import { changeMeta, changesMeta, diffOf, visualizing } from './diff/change-report.ts';
import {
  cutList,
  describeOther,
  groupByOperation,
  isOfOther,
  listOperations,
  MAX_NAMED,
  nameOf,
  timeOf,
  visualizeOperations,
} from './diff/undo-list.ts';
import {
  type AskedFor,
  describeLater,
  type FileRestore,
  lastOperations,
  planRestores,
  restoreError,
  standingOperations,
  withLaterChanges,
} from './diff/undo-plan.ts';

const WOULD_REFUSE = 'restore is refused without with_later: ';

export const undo = defineTool({
  name: 'undo',
  effect: 'write',
  description:
    'Undo a change that a tool made (not run_shell) by its id, a whole call by its operation id, or the last calls. Later changes stay. A restore can be undone.',
  input: (z) =>
    z.strictObject({
      action: z.enum(['list', 'preview', 'restore', 'clear']).check(z.describe('Action')),
      id: z.optional(z.string().check(z.describe('Snapshot id or its start, or operation ids, with commas'))),
      with_later: z.optional(z.boolean().check(z.describe('What was changed since goes too'))),
      last: z.optional(z.int().check(z.minimum(1), z.describe('In the place of id: so many of the last calls'))),
      limit: z.optional(z.int().check(z.minimum(1), z.describe('Calls to list'))),
    }),
  examples: [
    { action: 'list' },
    { action: 'preview', id: 'a1b2c3' },
    { action: 'restore', id: 'a1b2c3' },
    { action: 'restore', last: 2 },
  ],
  hosting: { isShown: true, tellsVersions: 'without-session', searchWords: 'revert restore history snapshot' },

  async run({ action, id, last, limit, with_later }, ctx): Promise<ToolOutput> {
    const history = await ctx.history();
    if (!history) {
      throw new ToolError('not_found', 'there is no history: jinn was started with --no-history', {
        suggestion: 'start jinn without --no-history to record changes',
      });
    }
    await reconcile(ctx, history);
    const archive = await history.archive();
    try {
      return await answer({ action, id, last, limit, withLater: with_later === true }, ctx, archive);
    } finally {
      for (const warning of history.takeWarnings()) ctx.warn(warning);
    }
  },
});

interface UndoArgs {
  readonly action: 'list' | 'preview' | 'restore' | 'clear';
  readonly id: string | undefined;
  readonly last: number | undefined;
  readonly limit: number | undefined;
  readonly withLater: boolean;
}

async function answer(args: UndoArgs, ctx: ToolContext, archive: Archive): Promise<ToolOutput> {
  const { action, limit } = args;
  rejectIgnoredArgs(args);
  if (action === 'list') return list(archive, limit, ctx);
  if (action === 'clear') return { text: 'cleared history for this workdir', meta: { removed: await archive.clear() } };
  const entries = await findEntries(archive, args);
  const asked = new Set(entries.map(({ operationId }) => operationId));
  const request = { entries, asked, withLater: args.withLater };
  return action === 'preview' ? preview(ctx, archive, request) : restore(ctx, archive, request);
}

async function findEntries(archive: Archive, { action, id, last }: UndoArgs): Promise<readonly HistoryEntry[]> {
  if (last !== undefined) return lastOperations(archive, last);
  if (id) return findAll(archive, new Set(id.split(',').map((each) => each.trim())));
  throw new ToolError('invalid_args', `id is required for ${action}`, {
    suggestion: 'use {"action":"list"} to see the ids, or pass last: 1 for the last call',
  });
}

async function findAll(archive: Archive, ids: ReadonlySet<string>): Promise<readonly HistoryEntry[]> {
  const found = await Promise.all([...ids].map((id) => archive.find(id)));
  return found.length === 1 ? found.flat() : found.flat().sort((a, b) => b.order - a.order);
}

/** With an id, `clear` would remove more than was meant. Hosts may send no id as `""`. */
function rejectIgnoredArgs({ action, id, last, limit, withLater }: UndoArgs): void {
  const isRestore = action === 'preview' || action === 'restore';
  const onlyRestore = (name: string) => `omit ${name}: it is only for the actions preview and restore`;
  const refuse = (what: string, suggestion: string) => {
    throw new ToolError('invalid_args', what, { suggestion });
  };
  if (last !== undefined && id) refuse('last does not go with id', 'leave one of them out');
  if (last !== undefined && !isRestore) refuse(`last does not go with the action ${action}`, onlyRestore('last'));
  if (withLater && !isRestore) refuse(`with_later does not go with the action ${action}`, onlyRestore('with_later'));
  if (id && action === 'clear') {
    refuse(
      'id does not go with the action clear, which removes the whole history',
      'omit id to remove the whole history: a single snapshot cannot be removed',
    );
  }
  if (id && action === 'list') {
    const next = 'omit id, or use preview to see what restoring it would change';
    refuse('id does not go with the action list', next);
  }
  if (limit !== undefined && action !== 'list') {
    refuse(`limit does not go with the action ${action}`, 'omit limit: it is only for the action list');
  }
}

async function list(archive: Archive, limit: number | undefined, ctx: ToolContext): Promise<ToolOutput> {
  // An entry that is committed in between must not count as damaged.
  const total = await archive.count();
  const intact = await archive.list();
  if (total > intact.length) {
    const damaged = total - intact.length;
    ctx.warn(
      `${damaged} of the snapshots ${damaged === 1 ? 'is' : 'are'} damaged, and not listed: they cannot be restored`,
    );
  }
  for (const name of archive.damaged()) ctx.warn(`a damaged history was set aside, and cannot be undone: ${name}`);
  const operations = groupByOperation(intact);
  const visualize = () => visualizeOperations(operations, limit);
  if (ctx.maxResult !== undefined) return { text: listOperations(operations, limit), visualize };
  const standing = await standingOperations(archive, intact);
  const isUndone = ({ tool, operationId }: HistoryEntry) => tool !== 'undo' && !standing.has(operationId);
  const entries = operations.slice(0, limit).flatMap((operation) =>
    operation.map((entry) => ({
      id: entry.id,
      path: entry.path,
      timestamp: timeOf(entry),
      operation: entry.tool,
      operation_id: entry.operationId,
      ...(entry.size === undefined ? { created: true } : { size: entry.size }),
      ...(isUndone(entry) && { undone: true }),
      ...(entry.otherPerson !== undefined && { person: nameOf(entry.otherPerson) }),
    })),
  );
  return { data: { count: entries.length, total, entries }, visualize };
}

async function preview(ctx: ToolContext, archive: Archive, request: RestoreRequest): Promise<ToolOutput> {
  const result = await putBack(ctx, archive, request, { dryRun: true });
  const refusal = restoreError(result.extra, request.asked);
  warnOfOthers(ctx, result, request);
  const toText = async (changed: ChangedFile, i: number) => {
    const { entry, kind } = result.extra[i] as FileRestore;
    const head = `[undo preview] id=${entry.id} op=${entry.tool} ts=${timeOf(entry)}`;
    if (entry.size === undefined) {
      return `[undo preview] restoring would delete ${entry.path} (it was created by op "${entry.tool}")`;
    }
    const diff = (await diffOf(changed, ctx)) || (changed.changed ? '[only the mode differs]\n' : '[no changes]\n');
    return `${head}${kind === 'alone' ? ' (only this change: later ones stay)' : ''}\n${diff}`;
  };
  const texts = await Promise.all(result.files.map(toText));
  const facts = refusal && { title: `${WOULD_REFUSE}${refusal.message}` };
  const refused = facts ? [`[undo preview] ${facts.title}`] : [];
  const calls = callsIn(request, '[undo preview] of');
  const text = [...calls, ...texts, ...laterIn(result, request), ...refused].join('\n');
  return {
    text,
    meta: await toMeta(result, ctx),
    ...(facts && { facts }),
    visualize: visualizing(result.files, { dryRun: true, ...facts }, ctx),
  };
}

async function restore(ctx: ToolContext, archive: Archive, request: RestoreRequest): Promise<ToolOutput> {
  const result = await putBack(ctx, archive, request, { dryRun: false });
  warnOfOthers(ctx, result, request);
  if (result.files.every(({ changed }) => !changed))
    ctx.warn('the files are already as they were before: to undo an earlier call, pass its id (action list shows it)');
  const isMany = request.asked.size > 1;
  const texts = result.files.map(({ changed }, i) => {
    const { entry, kind } = result.extra[i] as FileRestore;
    const suffix = changed ? '' : ' (no changes)';
    if (entry.size === undefined) return `restored: deleted ${entry.path} (undid "${entry.tool}")${suffix}`;
    // Several calls are named with their tools above.
    const facts = `(${isMany ? '' : `op "${entry.tool}", `}id=${entry.id})${suffix}`;
    if (kind === 'alone')
      return `restored: took this change out of ${entry.path}, and kept what was changed since ${facts}`;
    return `restored: ${entry.path}${isMany ? '' : ` to snapshot from ${timeOf(entry)}`} ${facts}`;
  });
  const text = [...callsIn(request, 'took back'), ...texts, ...laterIn(result, request)].join('\n');
  return { text, meta: await toMeta(result, ctx), visualize: visualizing(result.files, {}, ctx) };
}

function callsIn({ entries, asked }: RestoreRequest, head: string): string[] {
  if (asked.size < 2) return [];
  const calls = groupByOperation(entries).map(([entry]) => `${entry?.operationId} (${entry?.tool})`);
  return [`${head} ${calls.length} calls: ${cutList(calls)}`];
}

function warnOfOthers(ctx: ToolContext, { extra }: RestoreResult, { withLater }: RestoreRequest): void {
  const sentences = takenBack(extra, withLater).flatMap((entry) => (isOfOther(entry) ? [describeOther(entry)] : []));
  for (const sentence of sentences.slice(0, MAX_NAMED)) ctx.warn(sentence);
  if (sentences.length > MAX_NAMED) ctx.warn(`and ${sentences.length - MAX_NAMED} more changes of others`);
}

function takenBack(found: readonly FileRestore[], withLater: boolean): HistoryEntry[] {
  return found.flatMap(({ entry, later }) => (withLater ? [entry, ...later] : [entry]));
}

function rejectOthers({ lacksForOthers }: ToolContext, entries: readonly HistoryEntry[]): void {
  const entry = entries.find(isOfOther);
  if (lacksForOthers === undefined || entry === undefined) return;
  throw new ToolError(
    'permission_denied',
    `${describeOther(entry)}; you lack ${lacksForOthers} (nothing was changed)`,
    {
      suggestion:
        entry.otherPerson === ''
          ? `ask a user with ${lacksForOthers} to undo it`
          : `ask ${entry.otherPerson} to undo it, or a user with ${lacksForOthers}`,
    },
  );
}

function laterIn({ extra }: RestoreResult, { withLater, asked }: RestoreRequest): string[] {
  const later = withLater ? describeLater(extra, asked) : '';
  return later === '' ? [] : [`later changes go too: ${later}`];
}

interface RestoreRequest {
  readonly entries: readonly HistoryEntry[];
  readonly asked: AskedFor;
  readonly withLater: boolean;
}

type RestoreResult = MutationResult<readonly FileRestore[]>;

async function putBack(
  ctx: ToolContext,
  archive: Archive,
  { entries, asked, withLater }: RestoreRequest,
  { dryRun }: { dryRun: boolean },
): Promise<RestoreResult> {
  const all = withLater ? await withLaterChanges(archive, entries) : entries;
  rejectOthers(ctx, [...entries, ...all]);
  const paths = [...new Set(all.map(({ path }) => path))];
  return mutate(ctx, {
    operation: 'undo',
    targets: paths.map((path) => ({ path })),
    areRecorded: true,
    dryRun,
    takesStale: dryRun,
    compute: async (files) => {
      const extra: FileRestore[] = [];
      for (const [i, file] of files.entries()) {
        const ofFile = all.filter(({ path }) => path === paths[i]);
        extra.push(await planRestores(archive, ofFile, file, withLater));
      }
      rejectOthers(ctx, takenBack(extra, withLater));
      const refusal = dryRun ? undefined : restoreError(extra, asked);
      if (refusal) throw refusal;
      return { changes: extra.map(({ change }) => change), extra };
    },
  });
}

async function toMeta(result: RestoreResult, ctx: ToolContext): Promise<object> {
  const [only, ...more] = result.files;
  if (only && more.length === 0) return changeMeta(only, result, ctx);
  return changesMeta(result, ctx);
}
