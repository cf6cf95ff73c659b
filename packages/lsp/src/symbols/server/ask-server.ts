import path from 'node:path';
import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import {
  createSessionServers,
  decodeSource,
  type LanguageAnswer,
  type MentionedWord,
  type ServerView,
  withReports,
} from '../../index.ts';
import type { Content } from '../show/read-source.ts';

/** How long a server may take to start, to load the project and to answer. */
const LIMIT_MS = 5_000;
/** The same after a server took longer, until it has answered: it continues loading meanwhile. */
const SHORT_MS = 1_000;

export interface FileQuestion<T> {
  readonly about: Content;
  readonly mentioned?: MentionedWord;
  reported?(value: T): Iterable<string>;
  run(view: ServerView): Promise<T>;
}

export interface NoAnswer {
  readonly why: string;
  readonly error: ToolError;
}

export function isAnswered<T>(asked: LanguageAnswer<T> | NoAnswer): asked is LanguageAnswer<T> {
  return !('why' in asked);
}

/** Asks the language server of a file, if there is one that answers within five seconds. Throws only `canceled`. */
export async function askServer<T>(ctx: ToolContext, question: FileQuestion<T>): Promise<LanguageAnswer<T> | NoAnswer> {
  const slow = ctx.session.use(createSlowKinds);
  const kind = path.posix.extname(question.about.path);
  try {
    const answer = await ask(ctx, question, slow.has(kind) ? SHORT_MS : LIMIT_MS);
    if (answer.isEarly) slow.add(kind);
    else slow.delete(kind);
    return answer;
  } catch (error) {
    if (!(error instanceof ToolError) || error.code === 'canceled') throw error;
    if (error.code === 'timeout') slow.add(kind);
    return { why: error.message, error };
  }
}

async function ask<T>(ctx: ToolContext, question: FileQuestion<T>, limitMs: number): Promise<LanguageAnswer<T>> {
  const { about, mentioned, reported } = question;
  const { servers } = await ctx.session.use(createSessionServers).open(ctx);
  return withReports(ctx, (progress) =>
    servers.ask({
      path: about.path,
      limitMs,
      signal: ctx.signal,
      mentioned,
      isProjectWide: mentioned !== undefined,
      ...(reported && { reported }),
      progress,
      run: (view) => {
        rejectOtherText(view, about);
        return question.run(view);
      },
    }),
  );
}

/** The answer of a server that has another text than the parsed one cannot be compared. */
function rejectOtherText({ document }: ServerView, { path: file, content }: Content): void {
  if (document.lines.text === decodeSource(content).text) return;
  throw new ToolError('stale_file', `${file} changed while the server was asked`, { suggestion: 'try again' });
}

/** The kinds of files whose servers were too slow, so that not every call of a session waits for them. */
class SlowKinds extends Set<string> {
  readonly isPassive = true;

  close(): void {
    this.clear();
  }
}

const createSlowKinds = () => new SlowKinds();

/** Says in an answer where it comes from. */
export interface SourceDescription {
  readonly warnings: readonly string[];
  readonly meta: object;
}

/** What `meta` says of results without a language server: it may lack some. */
export const TEXTUAL = { textual: true, complete: false };

/** For results that were found by name: others with that name are among them. */
export function describeTextual(name: string, why: string, warnings: readonly string[]): SourceDescription {
  const sentence = `found by the name ${name} in syntax trees, without a language server (${why}): others of that name are among them`;
  return { warnings: [...warnings, sentence], meta: TEXTUAL };
}

/** For results of a language server, with the reasons why they may be incomplete. */
export function describeServer({ server, incomplete }: LanguageAnswer<unknown>): SourceDescription {
  const warnings = incomplete.map((reason) => `may be incomplete: ${reason}`);
  return { warnings, meta: { server, complete: incomplete.length === 0 } };
}
