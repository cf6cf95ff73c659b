import path from 'node:path';
import { ToolError } from '@jinn/core/errors';
import { throwCanceled } from '../client/deadline.ts';
import type { Documents, OpenDocument } from '../documents/documents.ts';
import type { SourceFiles } from '../documents/source-files.ts';
import type { LanguageQuestion, MentionedWord, ServerView } from './language-question.ts';

/** The files that make a project for servers of TypeScript. */
const PROJECT = ['tsconfig.json', 'jsconfig.json'];
const TEST = /(^|\/)(tests?|spec|__tests__)\/|[._-](test|spec)\.|(^|\/)test_/i;
/** The number doubles each time. */
const FIRST_OPENED = 20;
const MAX_OPENED = 500;
/** The share of the time that must be left to open more files and to ask again. */
const SHARE_FOR_MORE = 0.4;

interface LookedAt {
  readonly revision: number;
  /** Files that need not be opened again while none has changed. */
  readonly seen: ReadonlySet<string>;
  /** Files that must be open for the same answer, in this order. */
  readonly needed: readonly string[];
}

/** The most files whose imports are checked. */
const MAX_CHECKED = 20;
const MAX_NAMED = 5;
/** What servers say of an import that they cannot follow. */
const UNRESOLVED = /cannot find module|could not be resolved|could not import|file not found|unresolved import/i;
const MAX_KEPT = 200;
const lookedAt = new WeakMap<Documents, Map<string, LookedAt>>();

/**
 * Asks about the whole project. A server knows only projects that it has loaded, so files that hold the word and are
 * neither open nor in the answer are opened, those of other projects first, and it is asked again. When the time is
 * over, the remaining ones are counted in `late`. `unknown` says which files may use the word unseen by the server.
 */
export async function askWidely<T>(
  view: ServerView,
  question: LanguageQuestion<T>,
  isServed: (path: string) => boolean,
): Promise<{ readonly value: T; readonly late?: string | undefined; readonly unknown: readonly string[] }> {
  const { mentioned, reported } = question;
  if (!mentioned || !reported) return { value: await question.run(view), unknown: [] };
  const { word } = mentioned;
  const served = mentioned.files.filter(isServed);
  const borrowed: string[] = [];
  const asked = await askAgain(view, question, { mentioned, reported, served, borrowed }).finally(() =>
    view.documents.giveBack(borrowed),
  );
  const named = reported(asked.value);
  if (named === undefined) return { ...asked, unknown: [] };
  const files = new Set(named);
  const left = mentioned.files.filter((file) => !files.has(file));
  const unread = left.filter((file) => !isServed(file));
  const unresolved = await findUnresolved(view, word, left.filter(isServed));
  const unknown = [
    ...(unread.length > 0 ? [`${view.client.server.id} does not read ${listFiles(unread)}, where ${word} is`] : []),
    ...(unresolved.length > 0 ? [`an import cannot be followed in ${listFiles(unresolved)}, where ${word} is`] : []),
  ];
  return { ...asked, unknown };
}

function listFiles(files: readonly string[]): string {
  const more = files.length > MAX_NAMED ? ` and ${files.length - MAX_NAMED} more` : '';
  return `${files.slice(0, MAX_NAMED).join(', ')}${more}`;
}

const importErrors = new WeakMap<Documents, { readonly revision: number; readonly lines: Map<string, string> }>();

async function findUnresolved(
  { documents, diagnoser, deadline, document: { path: asked }, files: sources }: ServerView,
  word: string,
  files: readonly string[],
) {
  const last = importErrors.get(documents);
  const known =
    last?.revision === documents.revision ? last : { revision: documents.revision, lines: new Map<string, string>() };
  importErrors.set(documents, known);
  const mayMean = new Set([word, ...asked.replace(/\.\w+$/, '').split('/')]);
  const found: string[] = [];
  for (const file of diagnoser.isAnswering ? files.slice(0, MAX_CHECKED) : []) {
    if (!known.lines.has(file)) {
      await sources.prepare([file]);
      const opened = documents.borrow(file);
      const share = deadline.within(deadline.left / 2);
      const said = opened && (await diagnoser.diagnose(opened, share).catch(throwCanceled));
      documents.giveBack([file]);
      const errors = said?.diagnostics.filter(({ message }) => UNRESOLVED.test(message)) ?? [];
      known.lines.set(file, errors.map(({ range }) => opened?.lines.line(range.start.line - 1)).join('\n'));
    }
    const words = known.lines.get(file)?.match(/[\p{ID_Continue}$]+/gu) ?? [];
    if (words.some((each) => mayMean.has(each))) found.push(file);
  }
  return found;
}

async function askAgain<T>(
  view: ServerView,
  question: LanguageQuestion<T>,
  {
    mentioned,
    reported,
    served,
    borrowed,
  }: {
    readonly mentioned: MentionedWord;
    readonly reported: NonNullable<LanguageQuestion<T>['reported']>;
    /** The files that hold the word and that the server serves. */
    readonly served: readonly string[];
    /** Gets the files that are opened for the question. */
    readonly borrowed: string[];
  },
) {
  const { documents, deadline } = view;
  const borrow = async (paths: readonly string[]): Promise<OpenDocument[]> => {
    await view.files.prepare(paths);
    const opened = [...paths].flatMap((path) => documents.borrow(path) ?? []);
    borrowed.push(...opened.map(({ path }) => path));
    return opened;
  };
  const { seen, needed } = recall(documents, mentioned.key);
  const reopened = await borrow([...needed]);
  if (reopened.length > 0) await whenLoaded(view, reopened);
  let value = await question.run(view);
  let late = 0;
  const leftOver = () => {
    const files = new Set(reported(value) ?? served);
    return served.filter((path) => !files.has(path) && !seen.has(path) && !documents.get(path));
  };
  const samples = new Set(sampleProjects(served, view.document.path, view.files));
  for (let most = FIRST_OPENED; seen.size < MAX_OPENED; most *= 2) {
    const left = leftOver();
    const sampled = left.filter((path) => samples.has(path));
    const next = (sampled.length > 0 ? sampled : left).slice(0, most);
    if (next.length === 0 || deadline.left < deadline.limitMs * SHARE_FOR_MORE) break;
    const opened = await borrow(next);
    const better = opened.length > 0 ? await askOpened(view, question, opened) : value;
    if (better === LATE) {
      late = opened.length;
      break;
    }
    for (const path of next) seen.add(path);
    // Any of them may have caused the difference: one file of a project is enough to load it.
    if (JSON.stringify(better) !== JSON.stringify(value)) for (const path of next) needed.add(path);
    value = better;
  }
  keep(documents, mentioned.key, { seen, needed });
  return { value, late: mentioned.lacks ?? countOf(mentioned, leftOver().length + late) };
}

function askOpened<T>(view: ServerView, question: LanguageQuestion<T>, opened: readonly OpenDocument[]) {
  return whenLoaded(view, opened)
    .then(() => question.run(view))
    .catch((error): typeof LATE => {
      if (error instanceof ToolError && error.code === 'timeout') return LATE;
      throw error;
    });
}

function recall(documents: Documents, key: string | undefined): { seen: Set<string>; needed: Set<string> } {
  const known = key === undefined ? undefined : lookedAt.get(documents)?.get(key);
  const seen = known?.revision === documents.revision ? known?.seen : undefined;
  return { seen: new Set(seen), needed: new Set(known?.needed) };
}

function keep(
  documents: Documents,
  key: string | undefined,
  { seen, needed }: { seen: ReadonlySet<string>; needed: ReadonlySet<string> },
): void {
  if (key === undefined || seen.size === 0) return;
  const kept = lookedAt.get(documents) ?? new Map<string, LookedAt>();
  lookedAt.set(documents, kept);
  kept.delete(key);
  kept.set(key, { revision: documents.revision, seen: new Set(seen), needed: [...needed] });
  for (const oldest of [...kept.keys()].slice(0, -MAX_KEPT)) kept.delete(oldest);
}

const LATE = Symbol('late');

async function whenLoaded({ client, diagnoser, deadline }: ServerView, opened: readonly OpenDocument[]): Promise<void> {
  const share = deadline.within(deadline.left / 2);
  await client.readiness.wait(share);
  // A server that knows only open files reads them next to its other work: what is wrong with one is said when it is read.
  if (client.server.wants) await Promise.all(opened.map((document) => diagnoser.diagnose(document, share)));
}

function countOf({ word }: MentionedWord, count: number): string | undefined {
  const files = count === 1 ? '1 file mentions' : `${count} files mention`;
  const were = count === 1 ? 'was' : 'were';
  return count === 0 ? undefined : `${files} ${word} and ${were} not looked at. Pass a longer timeout to look at more`;
}

/**
 * One file of each project and one of its tests: with these, a server finds most others. The asked file's own project
 * is loaded.
 */
function sampleProjects(files: readonly string[], asked: string, { hasAny }: Pick<SourceFiles, 'hasAny'>): string[] {
  const projects = new Map<string, string>();
  const projectOf = (directory: string): string => {
    const known = projects.get(directory);
    if (known !== undefined) return known;
    const isOne = directory === '.' || hasAny(directory, PROJECT);
    const project = isOne ? directory : projectOf(path.posix.dirname(directory));
    projects.set(directory, project);
    return project;
  };
  const kindOf = (file: string) => `${TEST.test(file)} ${projectOf(path.posix.dirname(file))}`;
  const known = new Set([kindOf(asked)]);
  return files.filter((file) => {
    const kind = kindOf(file);
    return !known.has(kind) && known.add(kind);
  });
}
