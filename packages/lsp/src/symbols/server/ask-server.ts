import path from 'node:path';
import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import {
  type Answer,
  createSessionServers,
  decodeSource,
  type MentionedWord,
  type ServerView,
  startReports,
} from '../../index.ts';
import type { Content } from '../show/read-source.ts';

/** How long a server may take to start, to load the project and to answer. */
const LIMIT_MS = 5_000;
/** The same after a server took longer, until it has answered: it goes on loading meanwhile. */
const SHORT_MS = 1_000;

export interface ServerQuestion<T> {
  /** The file of the question, as it was read. */
  readonly about: Content;
  /** The files that have the name, for a question about the whole project. */
  readonly mentioned?: MentionedWord;
  /** Returns the files of an answer to such a question. */
  reported?(value: T): Iterable<string>;
  run(view: ServerView): Promise<T>;
}

/** Why no server has answered. */
export interface NoAnswer {
  readonly why: string;
  readonly error: ToolError;
}

export function isAnswer<T>(asked: Answer<T> | NoAnswer): asked is Answer<T> {
  return !('why' in asked);
}

/** Asks the language server of a file, if there is one that answers within five seconds. Throws only `canceled`. */
export async function askServer<T>(ctx: ToolContext, question: ServerQuestion<T>): Promise<Answer<T> | NoAnswer> {
  const patience = ctx.session.use(createPatience);
  const kind = path.posix.extname(question.about.path);
  try {
    const answer = await ask(ctx, question, patience.limitOf(kind));
    if (answer.incomplete.length > 0) patience.timedOut(kind);
    else patience.answered(kind);
    return answer;
  } catch (error) {
    if (!(error instanceof ToolError) || error.code === 'canceled') throw error;
    if (error.code === 'timeout') patience.timedOut(kind);
    return { why: error.message, error };
  }
}

async function ask<T>(ctx: ToolContext, question: ServerQuestion<T>, limitMs: number): Promise<Answer<T>> {
  const { about, mentioned, reported } = question;
  const { servers } = await ctx.session.use(createSessionServers).open(ctx);
  const reports = startReports(ctx);
  try {
    return await servers.ask({
      path: about.path,
      limitMs,
      signal: ctx.signal,
      mentioned,
      ...(reported && { reported }),
      progress: reports.report,
      run: (view) => {
        rejectOtherText(view, about);
        return question.run(view);
      },
    });
  } finally {
    reports.stop();
  }
}

/** Throws `stale_file` if the server has another text than the parsed one: its answer cannot be compared then. */
function rejectOtherText({ document }: ServerView, { path: file, content }: Content): void {
  if (document.lines.text === decodeSource(content).text) return;
  throw new ToolError('stale_file', `${file} changed while the server was asked`, { suggestion: 'try again' });
}

/** Remembers which servers of a session were too slow, so that not every call waits for them. */
class Patience {
  readonly isPassive = true;
  readonly #slow = new Set<string>();

  limitOf(kind: string): number {
    return this.#slow.has(kind) ? SHORT_MS : LIMIT_MS;
  }

  timedOut(kind: string): void {
    this.#slow.add(kind);
  }

  answered(kind: string): void {
    this.#slow.delete(kind);
  }

  /** Forgets all. */
  close(): void {
    this.#slow.clear();
  }
}

function createPatience(): Patience {
  return new Patience();
}
