import { ToolError } from '@jinn/errors';
import type { OpenDocument } from '../documents/documents.ts';
import type { Question, ServerView } from '../language-servers.ts';

/** So many files are opened before the question is asked again; twice as many the next time. */
const FIRST_OPENED = 20;
const MAX_OPENED = 500;
/** So much of the time must be left to open more files and to ask again. */
const SHARE_FOR_MORE = 0.4;

/** The files of the project that hold the word that a question is about. */
export interface MentionedWord {
  readonly word: string;
  /** Those that tell most come first. */
  readonly files: readonly string[];
  /** Why these may not be all; undefined if they are. */
  readonly lacks?: string | undefined;
}

export interface WideAnswer<T> {
  readonly value: T;
  /** Why the answer may lack something, though the server has loaded what it knows. */
  readonly lacks: string | undefined;
}

/**
 * Asks a question about the whole project. A server knows only the projects that it has loaded: as long as files that hold the
 * word are neither in the answer nor open, some of them are opened and the question is asked again. What is left when
 * the time is over is counted. The files are closed at the end.
 */
export async function askWidely<T>(
  view: ServerView,
  question: Question<T>,
  isServed: (path: string) => boolean,
): Promise<WideAnswer<T>> {
  let value: T = await question.run(view);
  const { mentioned, reported } = question;
  if (!mentioned || !reported) return { value, lacks: undefined };
  const { documents, deadline } = view;
  const served = mentioned.files.filter(isServed);
  const leftOver = () => {
    const files = new Set(reported(value) ?? served);
    return served.filter((path) => !files.has(path) && !seen.has(path) && !documents.get(path));
  };
  const seen = new Set<string>();
  try {
    for (let most = FIRST_OPENED; seen.size < MAX_OPENED; most *= 2) {
      const next = leftOver().slice(0, most);
      if (next.length === 0 || deadline.left < deadline.limitMs * SHARE_FOR_MORE) break;
      const opened = next.flatMap((path) => documents.borrow(path) ?? []);
      for (const path of next) seen.add(path);
      if (opened.length === 0) continue;
      const better = await whenLoaded(view, opened)
        .then(() => question.run(view))
        .catch(throwUnlessLate);
      if (better === LATE) return { value, lacks: countOf(mentioned, leftOver().length + opened.length) };
      value = better;
    }
    return { value, lacks: mentioned.lacks ?? countOf(mentioned, leftOver().length) };
  } finally {
    documents.giveBack(seen);
  }
}

const LATE = Symbol('late');

/** Waits until the server knows documents that were just opened. */
async function whenLoaded({ client, diagnoser, deadline }: ServerView, opened: readonly OpenDocument[]): Promise<void> {
  const share = deadline.within(deadline.left / 2);
  await client.readiness.wait(share);
  // A server that knows only open files reads them beside its other work: what is wrong with one is said when it is read.
  if (client.server.wants) await Promise.all(opened.map((document) => diagnoser.diagnose(document, share)));
}

function throwUnlessLate(error: unknown): typeof LATE {
  if (error instanceof ToolError && error.code === 'timeout') return LATE;
  throw error;
}

function countOf({ word }: MentionedWord, count: number): string | undefined {
  const files = count === 1 ? '1 file mentions' : `${count} files mention`;
  const were = count === 1 ? 'was' : 'were';
  return count === 0 ? undefined : `${files} ${word} and ${were} not looked at; pass a longer timeout to look at more`;
}
