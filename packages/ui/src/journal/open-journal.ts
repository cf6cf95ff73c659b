import { isUtf8 } from 'node:buffer';
import type {
  CallHooks,
  CallPicture,
  JobPrompt,
  Outcome,
  Registry,
  Request,
  Session,
  Settlement,
  Surroundings,
} from '@jinn/core';
import { type Config, readConfig } from '@jinn/core/read-config';
import { differingRegion } from '@jinn/core/text/differing-region';
import type { Visualization } from '@jinn/core/visualization';
import type { ChangedFile, StateFiles } from '@jinn/workspace';
import { holdsKey, redactMembers } from '@jinn/workspace/secrets/content';
import type { AskedPage, AskingCall } from './ask-person.ts';
import { type CallDetail, type CallHead, type KeptChange, RECORD_VERSION } from './journal-record.ts';
import type { showRunning } from './live-call.ts';
import { whatOf } from './what-of-call.ts';
import { journalDirectory, type LivePage, readLivePage, writeCall } from './write-journal.ts';

const CONTEXT_LINES = 3;

/** The most that is kept of all files of a call: half the limit for JSON, in which a line end takes two characters. */
const MAX_BYTES = 262_144;
const NEWLINE = 10;
const NOTHING = Buffer.alloc(0);
const WHOLE = { start: 0, tail: 0 };

/** The most characters that are kept of a text, and of the JSON of arguments and of a picture. */
const MAX_TEXT = 65_536;
const MAX_JSON = 524_288;
const MAX_NAME = 300;
/** No secret of a known kind is longer. */
const MAX_SECRET = 1_000;
/** How long the user has to answer at the page, in seconds, if config.json does not say. */
const WAIT = 120;
const MAX_WAIT = 300;
/** After how long the page shows that a call runs, in milliseconds. */
const LONG_MS = 300;
export interface JournalOptions {
  /** The cache directory of jinn. */
  readonly cache: string;
  /** The program that is called, and the way in which. */
  readonly program: string;
}

/** Who calls, as far as the surroundings of the call do not say it. */
export interface RecordedCaller {
  /** The name of the user whose call it is. Absent if users have no names. */
  readonly person?: string | undefined;
  /** The name by which the host calls itself. */
  readonly host?: string | undefined;
}

/** Records calls. */
export interface Journal {
  /**
   * Runs a call by `run`, and records how it starts and ends, if the user asked for that. The surroundings that `run` gets
   * may have more ways to ask. It rejects only if `run` does.
   */
  record(run: Registry['call'], request: Request, at: Surroundings, by: RecordedCaller): Promise<Outcome>;
}

interface JournalState {
  readonly page: LivePage | undefined;
  readonly waitMs: number;
}

/**
 * Opens the journal of the calls of a process. Nothing is written before a call, or if the user has not turned it on.
 */
export function openJournal(options: JournalOptions): Journal {
  const { cache, program } = options;
  const directory = journalDirectory(cache);
  const sessions = new WeakMap<Session, string>();
  let hasFailed = false;
  const write = (at: Surroundings, head: CallHead, detail: CallDetail) => {
    try {
      writeCall(directory, head, detail);
    } catch (error) {
      // The call continues: the journal has a hole.
      if (!hasFailed) at.log(`the journal cannot be written: ${(error as Error).message}`);
      hasFailed = true;
    }
  };
  const sessionOf = (session: Session): string => {
    const known = sessions.get(session) ?? makeId();
    sessions.set(session, known);
    return known;
  };
  return {
    record: async (run, request, at, by) => {
      const state = look(directory, at.user.state);
      if (!state) return run(request, at);
      const start = process.uptime();
      const id = makeId();
      const args = keepJson(request.args ?? {}, 'the arguments');
      const head = {
        ...describe(request, at, { ...by, program }),
        id,
        session: sessionOf(at.session),
        what: whatOf(request.tool, args.kept),
      };
      write(at, { ...head, k: 'start' }, { args: args.kept, leftOut: args.leftOut });
      let settled: Settlement | undefined;
      const live = state.page?.socket === undefined ? undefined : followCall(state.page.socket, id, at);
      const outcome = await run(request, {
        ...at,
        ...live?.hooks,
        settled: (settlement, question) => {
          settled = settlement;
          at.settled?.(settlement, question);
        },
        ...(state.page?.socket !== undefined &&
          state.waitMs > 0 && {
            ask: asking(
              { id, session: head.session, request, at, program, host: by.host },
              { socket: state.page.socket, waitMs: state.waitMs },
            ),
          }),
      });
      // The call is over, and its hooks with it.
      const after = { ...at, signal: undefined, progress: undefined, watchOutput: undefined, ask: undefined };
      void live?.end(outcome, (args) => run({ tool: request.tool, args }, after));
      const ms = Math.round((process.uptime() - start) * 10_000) / 10;
      const { length, detail } = keepOutcome(outcome, {
        args,
        picture: await keepPicture(outcome.ok ? outcome.picture : undefined),
      });
      const lengths = [args.length, length] as const;
      write(at, { ...head, k: 'end', ms, lengths, settled, ...factsOf(outcome) }, detail);
      return outcome;
    },
  };
}

function look(directory: string, state: StateFiles): JournalState | undefined {
  const { journal, approval_wait: wait } = readSettings(state);
  const page = journal === 'off' ? undefined : readLivePage(directory);
  if (page === undefined && journal !== 'always') return undefined;
  const seconds = typeof wait === 'number' && wait >= 0 ? Math.min(wait, MAX_WAIT) : WAIT;
  return { page, waitMs: seconds * 1000 };
}

function readSettings(state: StateFiles): Config {
  try {
    return readConfig(state);
  } catch {
    return {};
  }
}

function describe(
  { tool, client, args }: Request,
  at: Surroundings,
  { program, person = '', host }: RecordedCaller & Pick<JournalOptions, 'program'>,
) {
  const name = host ?? client ?? at.client;
  return {
    v: RECORD_VERSION,
    pid: process.pid,
    time: Date.now(),
    door: program,
    workspace: at.workspace.root,
    tool: tool.slice(0, MAX_NAME),
    ...(name !== undefined && { client: name.slice(0, MAX_NAME) }),
    ...(person !== '' && { person }),
    ...(Object(args).dry_run === true && { dryRun: true }),
  };
}

/** Lets the page see a call that runs for long, or its job, and stop it. node:net is loaded only for such a call. */
function followCall(page: string, id: string, { signal, progress }: Surroundings) {
  const stop = new AbortController();
  let said = '';
  let read = () => said;
  let prompt: JobPrompt | undefined;
  let shown: Promise<ReturnType<typeof showRunning>> | undefined;
  const show = () => {
    const running = { id, read: () => read(), prompt: () => prompt, stop: () => stop.abort() };
    shown ??= import('./live-call.ts').then(({ showRunning }) => showRunning(page, running));
    return shown;
  };
  const timer = setTimeout(show, LONG_MS);
  const hooks: Pick<Surroundings, 'signal' | 'progress' | 'watchOutput'> = {
    signal: signal ? AbortSignal.any([signal, stop.signal]) : stop.signal,
    progress: (message, done, total) => {
      said = message;
      progress?.(message, done, total);
    },
    watchOutput: (readOutput, jobPrompt) => {
      read = readOutput;
      prompt = jobPrompt;
    },
  };
  const end = async (outcome: Outcome, callTool: (args: object) => Promise<Outcome>) => {
    clearTimeout(timer);
    const job = outcome.ok ? Object(outcome.meta).job : undefined;
    if (typeof job === 'string' && !stop.signal.aborted) (await show()).followJob(job, callTool);
    else (await shown)?.close();
  };
  return { hooks, end };
}

function factsOf(outcome: Outcome): Pick<CallHead, 'ok' | 'code' | 'operation' | 'risk' | 'exit'> {
  const { meta, risk } = outcome.ok ? outcome : (outcome.error.details ?? {});
  const { operation_id: operation, exit_code: exit } = Object(meta);
  return {
    ...(outcome.ok ? { ok: true } : { ok: false, code: outcome.error.code }),
    risk,
    ...(typeof operation === 'string' && { operation }),
    ...(typeof exit === 'number' && { exit }),
  };
}

interface KeptValue {
  readonly kept: unknown;
  /** The length of its JSON before. */
  readonly length: number;
  readonly leftOut?: readonly string[];
}

type KeptPicture = Pick<CallDetail, 'visualization' | 'changes' | 'facts' | 'dryRun' | 'leftOut'>;

async function keepPicture(picture: CallPicture | undefined): Promise<KeptPicture> {
  const { changes = [], planned = [] } = picture ?? {};
  const dryRun = changes.length === 0;
  const files = dryRun ? planned : changes;
  const parts = keepChanges(files);
  // Security: a drawing has lines of the key without its head, which are not recognized.
  if (!parts && files.some(isOfKey)) return { leftOut: ['the picture, which may hold a private key'] };
  const shown = parts ? { changes: parts, facts: picture?.facts } : await picture?.draw();
  const { kept, leftOut } = keepJson(shown, 'the picture');
  if (!parts) return { leftOut, visualization: kept as Visualization | undefined };
  return { leftOut, ...(kept as Pick<CallDetail, 'changes' | 'facts'> | undefined), ...(dryRun && { dryRun }) };
}

function keepOutcome(outcome: Outcome, { args, picture }: { args: KeptValue; picture: KeptPicture }) {
  const whole = outcome.ok ? (outcome.text ?? '') : outcome.error.message;
  const beside = outcome.ok ? { warnings: outcome.warnings } : { suggestion: outcome.error.suggestion };
  const images = outcome.ok ? (outcome.content?.length ?? 0) : 0;
  const leftOut = [
    ...(args.leftOut ?? []),
    ...(whole.length > MAX_TEXT ? [`all but the first ${MAX_TEXT} characters of the answer`] : []),
    ...(images > 0 ? [`${images} ${images === 1 ? 'image' : 'images'}`] : []),
    ...(picture.leftOut ?? []),
  ];
  const kept = redactMembers({ args: {}, text: cutText(whole), ...beside }) as CallDetail;
  const detail = { ...kept, args: args.kept, ...picture, leftOut: leftOut.length > 0 ? leftOut : undefined };
  return { length: whole.length, detail };
}

/** Cuts a long text at a blank. Security: a secret that is cut would not be recognized. */
function cutText(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  const blank = text.slice(MAX_TEXT - MAX_SECRET, MAX_TEXT).search(/\s\S*$/);
  return text.slice(0, MAX_TEXT - MAX_SECRET + Math.max(blank, 0));
}

function keepJson(value: unknown, what: string): KeptValue {
  try {
    const json = JSON.stringify(value) ?? '';
    const { length } = json;
    if (length <= MAX_JSON) return { kept: redactMembers(value, json), length };
    return { kept: undefined, length, leftOut: [`${what}, too large to be kept`] };
  } catch {
    return { kept: undefined, length: 0, leftOut: [`${what}, which cannot be written as JSON`] };
  }
}

/** Makes an id that no other call has. It need not be secret, and node:crypto would take a millisecond to load. */
function makeId(): string {
  const random = () => Math.random().toString(36).slice(2, 10);
  return `${random()}${random()}`;
}

/** Makes the function that asks the user at the page, and at the host. node:net is loaded only for a question. */
function asking(asked: AskingCall, page: AskedPage): NonNullable<CallHooks['ask']> {
  return async (question) => (await import('./ask-person.ts')).askPerson(asked, page, question);
}

/**
 * Returns the parts of changed files that differ, of which a reader makes a diff: making it here would take as long as
 * all other work of a call. Returns undefined if there are none, or if they are not UTF-8, or too large.
 */
function keepChanges(files: readonly ChangedFile[]): readonly KeptChange[] | undefined {
  let size = 0;
  const kept: KeptChange[] = [];
  for (const changed of files) {
    const { file, after } = changed;
    const [old, now] = [file.content ?? NOTHING, after ?? NOTHING];
    // A part that is equal on both sides lost its change when a secret was removed.
    if (file.content && after && old.equals(now)) continue;
    if (old.includes(0) || now.includes(0)) return undefined;
    // Security: the remaining lines of a private key would not be recognized.
    const { start, tail } = isOfKey(changed) ? WHOLE : differingRegion(old, now, CONTEXT_LINES);
    size += old.length + now.length - 2 * (start + tail);
    if (size > MAX_BYTES) return undefined;
    const cut = (content: Buffer) => content.subarray(start, content.length - tail);
    if (!isUtf8(cut(old)) || !isUtf8(cut(now))) return undefined;
    kept.push({
      path: file.path,
      line: lineAt(old, start),
      ...(file.content && { before: cut(old).toString() }),
      ...(after && { after: cut(now).toString() }),
    });
  }
  return kept.length > 0 ? kept : undefined;
}

function isOfKey({ file, after }: ChangedFile): boolean {
  return holdsKey(file.content ?? NOTHING) || holdsKey(after ?? NOTHING);
}

function lineAt(content: Buffer, offset: number): number {
  let line = 1;
  for (let at = content.indexOf(NEWLINE); at >= 0 && at < offset; at = content.indexOf(NEWLINE, at + 1)) line++;
  return line;
}
