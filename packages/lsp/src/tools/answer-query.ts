import type { Question, ToolContext, ToolOutput } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { serverTrust } from '@jinn/core/trust';
import { findMentions } from '../documents/mentions.ts';
import {
  applyEdits,
  type Choice,
  createSessionServers,
  findMainFile,
  type LackOfTrust,
  type LanguageAnswer,
  type MentionedWord,
  type OpenServers,
  type Place,
  type PreparedServer,
  rejectUnready,
  shortFingerprint,
  TextLines,
  whyRefused,
  withReports,
} from '../index.ts';
import { ACTION_HANDLERS, type ActionResult, filesOf } from './action-handlers.ts';
import { locateSymbol, wordAt } from './locate-symbol.ts';
import { checkPlace, type FileQuery, findPlace, type LspQuery, lastName } from './query.ts';
import { formatEdits } from './show-answers.ts';

export interface QueryContext {
  readonly ctx: ToolContext;
  readonly limitMs: number;
  readonly loadingMs: number | undefined;
  readonly call: QueryCall;
}

/** Answers one question, and applies its edits if it asks for that. */
export async function answerQuery(given: LspQuery, opened: OpenServers, asking: QueryContext): Promise<ToolOutput> {
  const { ctx } = asking;
  const { action } = given;
  const path = given.path ? fileOf(given.path, ctx) : await asking.call.mainFile(ctx, opened);
  if (action === 'restart') {
    const { id } = await opened.servers.restart(path);
    return { text: `${id} is ended, and the next question starts it`, meta: { server: id } };
  }
  const query = { ...given, action, path };
  checkPlace(query);
  await opened.files.prepare([query.path]);
  const lines = new TextLines(opened.files.read(query.path).text);
  const place = findPlace(query, lines);
  const act = ACTION_HANDLERS[query.action];
  const word = wordOf(query, place, lines);
  const mentioned =
    act.isProjectWide && word !== undefined
      ? await findMentions(query.path, word, { ctx, opened, limitMs: asking.limitMs })
      : undefined;
  const { symbol, query: title, offset, new_name: newName } = query;
  const key = JSON.stringify([action, path, place, symbol, title, offset, newName]);
  const asked = await ask(query, place, { opened, asking, mentioned: mentioned && { ...mentioned, key } }).catch(
    async (error) => {
      const { answerByText } = await import('./answer-by-text.ts'); // The parsers are loaded where there is no server.
      return { byText: await answerByText(error, query, { ctx, opened, limitMs: asking.limitMs, word }) };
    },
  );
  if ('byText' in asked) return asked.byText;
  const { value } = asked;
  if (action === 'rename' && query.apply && value && !asked.isPartial) {
    const why = whyRefused(asked, filesOf(value) ?? [], { own: path, holding: mentioned?.files });
    if (why !== undefined) {
      const { listPlaces } = await import('./answer-by-text.ts');
      const where = { ctx, opened, limitMs: asking.limitMs, word };
      throw await listPlaces(new ToolError('lsp_unavailable', why), query, where);
    }
  }
  return toOutput(asked, query, ctx);
}

async function toOutput(
  { value, server, isPartial, ...asked }: LanguageAnswer<ActionResult | undefined>,
  query: FileQuery,
  ctx: ToolContext,
): Promise<ToolOutput> {
  const act = ACTION_HANDLERS[query.action];
  const doubt = act.doubt?.(value);
  const incomplete = asked.incomplete.length === 0 && doubt !== undefined ? [doubt] : asked.incomplete;
  if (query.apply && isPartial) {
    throw new ToolError('timeout', `nothing was changed, since the change may be a part: ${incomplete.join('; ')}`, {
      suggestion: 'pass timeout: 60, or more',
    });
  }
  const meta = { server, complete: incomplete.length === 0, ...(incomplete.length > 0 && { incomplete }) };
  const bounds = incomplete.map((reason) => `[may be incomplete: ${reason}]`);
  const told = value && 'edits' in value ? formatEdits(value.edits) : value;
  if (!value || !told) return { text: [act.nothing, ...bounds].join('\n'), meta };
  const order = { operation: 'lsp_query', ifVersions: query.if_versions };
  const applied =
    'edits' in value && query.apply ? { applied: true, ...(await applyEdits(value.edits, ctx, order)) } : {};
  const { files: _files, hasPlace: _, ...shown } = told;
  return { ...shown, text: [told.text, ...bounds].join('\n'), meta: { ...meta, ...told.meta, ...applied } };
}

function wordOf({ symbol, query, path }: FileQuery, place: Place | undefined, lines: TextLines): string | undefined {
  if (symbol !== undefined) return lastName(symbol);
  return place ? wordAt(lines, place, path) : query;
}

function fileOf(asked: string, { workspace }: ToolContext): string {
  const { kind, path } = workspace.status(asked);
  if (kind === 'file') return path;
  throw new ToolError('not_a_file', `${asked} is not a file`, { suggestion: 'pass the path of a source file' });
}

async function ask(
  query: FileQuery,
  place: Place | undefined,
  { opened, mentioned, asking }: { opened: OpenServers; asking: QueryContext; mentioned: MentionedWord | undefined },
) {
  const act = ACTION_HANDLERS[query.action];
  const { ctx, limitMs, loadingMs, call } = asking;
  return withReports(ctx, (progress) =>
    opened.servers.ask<ActionResult | undefined>({
      path: query.path,
      prepared: call.takePrepared(),
      limitMs,
      loadingMs,
      signal: ctx.signal,
      mentioned,
      reported: filesOf,
      isProjectWide: act.isProjectWide ?? false,
      progress,
      run: async (view) => {
        const at = place ?? (query.symbol === undefined ? undefined : await locateSymbol(view, query.symbol));
        const found = await act.run(view, query, at ?? { line: 1, character: 1 });
        if (query.apply) rejectUnready(view);
        return found;
      },
    }),
  );
}

/** A call of lsp_query. It keeps the results of its question until it runs. */
export class QueryCall {
  #asked: { readonly id: string; readonly fingerprint: string } | undefined;
  #mainFile: Promise<string> | undefined;
  #prepared: Choice | undefined;

  /** Must be called when the tool runs, which it only does if the user agreed. */
  async open(ctx: ToolContext): Promise<OpenServers> {
    const opened = await ctx.session.use(createSessionServers).open(ctx);
    if (this.#asked) opened.trust.allowOnce(this.#asked.id, this.#asked.fingerprint);
    return opened;
  }

  /** Only once: what the call asks later is looked up again. */
  takePrepared(): Choice | undefined {
    const prepared = this.#prepared;
    this.#prepared = undefined;
    return prepared;
  }

  mainFile(ctx: ToolContext, { settings }: OpenServers): Promise<string> {
    this.#mainFile ??= findMainFile(ctx, settings.table);
    return this.#mainFile;
  }

  /**
   * Asks about the first server that is the only one for a file and lacks trust. An undefined file is the main one.
   * Throws `lsp_unavailable` if the server cannot be trusted.
   */
  async question(files: readonly (string | undefined)[], ctx: ToolContext): Promise<Question | undefined> {
    const opened = await ctx.session.use(createSessionServers).open(ctx);
    for (const file of new Set(files)) {
      const path = file ?? (await this.mainFile(ctx, opened).catch(() => undefined));
      const { untrusted, choice }: PreparedServer = path === undefined ? {} : await opened.servers.prepare(path);
      this.#prepared = choice ?? this.#prepared;
      if (!untrusted) continue;
      const fingerprint = await untrusted.own.fingerprint();
      if (fingerprint === undefined) throw tooMuch(untrusted);
      this.#asked = { id: untrusted.server.id, fingerprint };
      return toQuestion(untrusted, fingerprint);
    }
    return undefined;
  }
}

function toQuestion({ server: { id }, own, error }: LackOfTrust, fingerprint: string): Question {
  const message = [
    `Start the language server ${id} for this workspace? It needs your trust, since ${own.why}.`,
    '"Once" lets it start once. It may run until the session ends.',
  ].join('\n\n');
  const { type, key } = serverTrust(id);
  return {
    message,
    permission: { type, key },
    always: `"Always" allows it in this workspace, while what decides on that code is the same (${shortFingerprint(fingerprint)}).`,
    fingerprint,
    refusal: (reason) => (reason === 'nobody' ? error : undefined),
  };
}

function tooMuch({ server: { id } }: LackOfTrust): ToolError {
  const message = `${id} cannot be trusted here: too much of the workspace decides on what it runs`;
  return new ToolError('lsp_unavailable', message, {
    suggestion: 'ask the user to choose another server in config.json (docs/lsp.md)',
  });
}
