import { type ToolContext, ToolError, type ToolOutput } from '@jinn/core';
import { applyEdits, Lines, type OpenServers, type Place, refuseUnready, startReports } from '@jinn/lsp';
import { ACTS, type Act, type Found } from './acts.ts';
import { findMentions } from './find-mentions.ts';
import { findSymbol } from './find-symbol.ts';
import { checkPlace, type FileQuery, findPlace, lastName, type Query } from './query.ts';
import type { QueryCall } from './query-call.ts';
import { tellEdits } from './show-edits.ts';
import { wordAt } from './word-at.ts';

export interface Asking {
  readonly ctx: ToolContext;
  readonly limitMs: number;
  readonly call: QueryCall;
}

/** Answers one question: checks its path and place, asks the server, and applies what was to be applied. */
export async function answerQuery(asked: Query, opened: OpenServers, asking: Asking): Promise<ToolOutput> {
  const { ctx } = asking;
  const query = {
    ...asked,
    path: asked.path ? fileOf(asked.path, ctx) : await asking.call.mainFile(ctx, opened),
  };
  checkPlace(query);
  const lines = new Lines(opened.files.read(query.path).text);
  const place = findPlace(query, lines);
  const act = ACTS[query.action];
  const word = wordOf(query, place, lines);
  const alsoOpen = act.isProjectWide && word !== undefined ? await findMentions(query.path, word, { ctx, opened }) : [];
  const { value, server, incomplete } = await ask(query, place, { act, opened, asking, alsoOpen });
  const meta = { server, complete: incomplete.length === 0, ...(incomplete.length > 0 && { incomplete }) };
  const bounds = incomplete.map((reason) => `[may be incomplete: ${reason}]`);
  if (value === undefined) return { text: [act.nothing, ...bounds].join('\n'), meta };
  const told = 'edits' in value ? tellEdits(value.edits) : value;
  if (!told) return { text: [act.nothing, ...bounds].join('\n'), meta };
  const applied =
    'edits' in value && query.apply
      ? {
          applied: true,
          ...(await applyEdits(value.edits, ctx, { operation: 'lsp_query', ifVersions: query.if_versions })),
        }
      : {};
  return { ...told, text: [told.text, ...bounds].join('\n'), meta: { ...meta, ...told.meta, ...applied } };
}

/** What a question is about, as it stands in files. */
function wordOf({ symbol, query, path }: FileQuery, place: Place | undefined, lines: Lines): string | undefined {
  if (symbol !== undefined) return lastName(symbol);
  return place ? wordAt(lines, place, path) : query;
}

/** The path below the root, links resolved. Throws ToolError unless it is a file that may be read. */
function fileOf(asked: string, { workspace }: ToolContext): string {
  const { kind, path } = workspace.status(asked);
  if (kind === 'file') return path;
  throw new ToolError('not_a_file', `${asked} is not a file`, { suggestion: 'pass the path of a source file' });
}

interface Step {
  readonly act: Act;
  readonly opened: OpenServers;
  readonly asking: Asking;
  readonly alsoOpen: readonly string[];
}

async function ask(
  query: FileQuery,
  place: Place | undefined,
  { act, opened, alsoOpen, asking: { ctx, limitMs, call } }: Step,
) {
  const reports = startReports(ctx);
  try {
    return await opened.servers.ask<Found | undefined>({
      path: query.path,
      call,
      limitMs,
      signal: ctx.signal,
      alsoOpen,
      isProjectWide: act.isProjectWide ?? false,
      progress: reports.tell,
      run: async (view) => {
        const at = place ?? (query.symbol === undefined ? undefined : await findSymbol(view, query.symbol));
        const found = await act.run(view, query, at ?? { line: 1, character: 1 });
        if (query.apply) refuseUnready(view);
        return found;
      },
    });
  } finally {
    reports.stop();
  }
}
