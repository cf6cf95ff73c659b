import type { ToolContext, ToolOutput } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import {
  type Answer,
  applyEdits,
  Lines,
  type MentionedWord,
  type OpenServers,
  type Place,
  rejectUnready,
  startReports,
} from '../index.ts';
import { ACTION_HANDLERS, type ActionHandler, type ActionResult, filesOf } from './action-handlers.ts';
import type { listPlaces } from './answer-by-text.ts';
import { findMentions } from './find-mentions.ts';
import { locateSymbol } from './locate-symbol.ts';
import { checkPlace, type FileQuery, findPlace, lastName, type Query } from './query.ts';
import type { QueryCall } from './query-call.ts';
import { formatEdits } from './show-edits.ts';
import { wordAt } from './word-at.ts';

export interface QueryContext {
  readonly ctx: ToolContext;
  readonly limitMs: number;
  readonly loadingMs: number | undefined;
  readonly call: QueryCall;
}

/** Answers one question: checks its path and place, asks the server, and applies the edits if it must. */
export async function answerQuery(given: Query, opened: OpenServers, asking: QueryContext): Promise<ToolOutput> {
  const { ctx } = asking;
  const query = {
    ...given,
    path: given.path ? fileOf(given.path, ctx) : await asking.call.mainFile(ctx, opened),
  };
  checkPlace(query);
  const lines = new Lines(opened.files.read(query.path).text);
  const place = findPlace(query, lines);
  const act = ACTION_HANDLERS[query.action];
  const word = wordOf(query, place, lines);
  const mentioned =
    act.isProjectWide && word !== undefined
      ? await findMentions(query.path, word, { ctx, opened, limitMs: asking.limitMs })
      : undefined;
  const key = JSON.stringify([
    query.action,
    query.path,
    place,
    query.symbol,
    query.query,
    query.offset,
    query.new_name,
  ]);
  const asked = await ask(query, place, { act, opened, asking, mentioned: mentioned && { ...mentioned, key } }).catch(
    async (error) => {
      const { answerByText } = await import('./answer-by-text.ts'); // The parsers are loaded where there is no server.
      return { byText: await answerByText(error, query, { ctx, opened, limitMs: asking.limitMs, word }) };
    },
  );
  if ('byText' in asked) return asked.byText;
  const left = query.action === 'rename' && query.apply ? leftOut(asked, query.path, mentioned) : [];
  if (left.length > 0) throw await refuseHalf(asked, query, { ctx, opened, limitMs: asking.limitMs, word });
  return toOutput(asked, query, ctx);
}

/**
 * Returns the files that have the name and that the plan of a server does not change, if the server does not know the
 * whole project. The file of the question must always be among the changes.
 */
function leftOut({ value, incomplete }: Answer<ActionResult | undefined>, own: string, mentioned?: MentionedWord) {
  const planned = new Set(filesOf(value));
  const holding = incomplete.length > 0 ? [own, ...(mentioned?.files ?? [])] : [own];
  return value === undefined ? [] : holding.filter((path) => !planned.has(path));
}

async function refuseHalf(
  { server, incomplete }: Answer<unknown>,
  query: FileQuery,
  where: Parameters<typeof listPlaces>[2],
): Promise<ToolError> {
  const { listPlaces } = await import('./answer-by-text.ts');
  const why = incomplete[0] ?? `the plan of ${server} leaves out ${query.path}`;
  return listPlaces(new ToolError('lsp_unavailable', why), query, where);
}

async function toOutput(
  { value, server, incomplete, isPartial }: Answer<ActionResult | undefined>,
  query: FileQuery,
  ctx: ToolContext,
): Promise<ToolOutput> {
  const act = ACTION_HANDLERS[query.action];
  if (query.apply && isPartial) throw refusePart(incomplete);
  const meta = { server, complete: incomplete.length === 0, ...(incomplete.length > 0 && { incomplete }) };
  const bounds = incomplete.map((reason) => `[may be incomplete: ${reason}]`);
  if (value === undefined) return { text: [act.nothing, ...bounds].join('\n'), meta };
  const told = 'edits' in value ? formatEdits(value.edits) : value;
  if (!told) return { text: [act.nothing, ...bounds].join('\n'), meta };
  const applied =
    'edits' in value && query.apply
      ? {
          applied: true,
          ...(await applyEdits(value.edits, ctx, { operation: 'lsp_query', ifVersions: query.if_versions })),
        }
      : {};
  const { files: _, ...shown } = told;
  return { ...shown, text: [told.text, ...bounds].join('\n'), meta: { ...meta, ...told.meta, ...applied } };
}

function refusePart(reasons: readonly string[]): ToolError {
  return new ToolError('timeout', `nothing was changed, since the change may be a part: ${reasons.join('; ')}`, {
    suggestion: 'pass timeout: 60, or more',
  });
}

function wordOf({ symbol, query, path }: FileQuery, place: Place | undefined, lines: Lines): string | undefined {
  if (symbol !== undefined) return lastName(symbol);
  return place ? wordAt(lines, place, path) : query;
}

/** Returns the path below the root, links resolved. Throws ToolError unless it is a file that may be read. */
function fileOf(asked: string, { workspace }: ToolContext): string {
  const { kind, path } = workspace.status(asked);
  if (kind === 'file') return path;
  throw new ToolError('not_a_file', `${asked} is not a file`, { suggestion: 'pass the path of a source file' });
}

interface Step {
  readonly act: ActionHandler;
  readonly opened: OpenServers;
  readonly asking: QueryContext;
  readonly mentioned: MentionedWord | undefined;
}

async function ask(
  query: FileQuery,
  place: Place | undefined,
  { act, opened, mentioned, asking: { ctx, limitMs, loadingMs, call } }: Step,
) {
  const reports = startReports(ctx);
  try {
    return await opened.servers.ask<ActionResult | undefined>({
      path: query.path,
      prepared: call.takePrepared(),
      limitMs,
      loadingMs,
      signal: ctx.signal,
      mentioned,
      reported: filesOf,
      isProjectWide: act.isProjectWide ?? false,
      progress: reports.report,
      run: async (view) => {
        const at = place ?? (query.symbol === undefined ? undefined : await locateSymbol(view, query.symbol));
        const found = await act.run(view, query, at ?? { line: 1, character: 1 });
        if (query.apply) rejectUnready(view);
        return found;
      },
    });
  } finally {
    reports.stop();
  }
}
