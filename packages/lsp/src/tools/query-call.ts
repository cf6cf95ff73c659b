import type { Question, ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { serverTrust } from '@jinn/core/trust';
import {
  type Choice,
  createSessionServers,
  findMainFile,
  type LackOfTrust,
  type OpenServers,
  type PreparedServer,
  shortFingerprint,
} from '../index.ts';

/** A call of lsp_query. It keeps the results of its question until it runs. */
export class QueryCall {
  #asked: { readonly id: string; readonly fingerprint: string } | undefined;
  #mainFile: Promise<string> | undefined;
  #prepared: Choice | undefined;

  /**
   * Opens the servers of the session. It must be called when the tool runs, which it only does if the person agreed.
   */
  async open(ctx: ToolContext): Promise<OpenServers> {
    const opened = await ctx.session.use(createSessionServers).open(ctx);
    if (this.#asked) opened.trust.allowOnce(this.#asked.id, this.#asked.fingerprint);
    return opened;
  }

  /** Returns the server that was chosen for the question, once: what the call asks later is looked up anew. */
  takePrepared(): Choice | undefined {
    const prepared = this.#prepared;
    this.#prepared = undefined;
    return prepared;
  }

  /** Returns the file for a query without one. Throws `not_found` if there is none. */
  mainFile(ctx: ToolContext, { settings }: OpenServers): Promise<string> {
    this.#mainFile ??= findMainFile(ctx, settings.table);
    return this.#mainFile;
  }

  /**
   * Makes the question for the files of the call, if the only server that there is for one of them lacks trust; the first such
   * server is asked about. An undefined file is the main one. Throws `lsp_unavailable` if the server cannot be trusted.
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
  return new ToolError(
    'lsp_unavailable',
    `${id} cannot be trusted here: too much of the workspace decides on what it runs`,
    {
      suggestion: 'ask the user to choose another server in config.json (docs/lsp.md)',
    },
  );
}
