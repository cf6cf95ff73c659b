import type { Outcome, Question, Settlement } from '@jinn/core';
import { redactSecrets } from '@jinn/workspace/secrets/content';
import { SECRET_NAME } from '@jinn/workspace/secrets/names';
import type { Asker } from '../people/asker.ts';
import type { AuditLog } from './operator-log.ts';

/** How much of the arguments of a call the log has. */
export type ArgsInLog = 'none' | 'paths' | 'full';

interface StartedCall extends Pick<Asker, 'person' | 'address'> {
  readonly session: string;
  readonly client: string | undefined;
  readonly request: unknown;
  readonly tool: string;
  readonly effect?: string;
}

interface PlannedCall {
  readonly args: object;
  readonly root: unknown;
}

interface EndedCall extends PlannedCall {
  readonly outcome: Outcome;
  readonly bytes: number;
  readonly ms: number;
}

export interface CallRecord {
  /** Records the call before it changes or executes anything. Throws `unavailable` if that fails: then it must not run. */
  start(call: PlannedCall): Promise<void>;
  question(question: Question): void;
  settled(settlement: Settlement, question: Question): void;
  end(call: EndedCall): void;
  unknown(): void;
}

interface RefusedHttpRequest {
  readonly status: number;
  readonly method: string | undefined;
  readonly address: string | undefined;
  readonly person: string | undefined;
}

/** Records who asked for what, what the user approved, and what was refused. */
export interface Audit {
  begin(call: StartedCall): CallRecord;
  /** Records that a request was refused before it became a call of a tool. */
  refusal(refused: RefusedHttpRequest): void;
  /** Records that a session starts, and returns a function that records its end. */
  beginSession(session: string, person: string): () => void;
  /** Records that a token counts from now on, or no longer. */
  token(change: 'added' | 'removed', token: { readonly person: string; readonly token: string }): void;
  close(): Promise<void>;
}

/** Makes the audit of a process. `dangerous` is the operator's policy on dangerous commands. */
export function createAudit(log: AuditLog, shows: ArgsInLog, dangerous: string): Audit {
  return {
    close: () => log.close(),
    refusal: ({ status, method, address, person }) =>
      log.event('refusal', { status, method, address, person: person || undefined }),
    beginSession: (session, person) => {
      const who = { session, person: person || undefined };
      log.event('session', { ...who, change: 'begin' });
      return () => log.event('session', { ...who, change: 'end' });
    },
    token: (change, { person, token }) => log.event('token', { person: person || undefined, token, change }),
    begin: ({ session, client, person, request, tool, ...call }) => {
      const who = {
        session,
        client: showName(client),
        person: person || undefined,
        request: showName(request),
        tool: showName(tool),
        ...call,
      };
      let approved: Settlement | undefined;
      const { effect } = who;
      const changes = effect !== undefined && effect !== 'read';
      let shown: ShownArgs | undefined;
      const show = ({ args, root }: PlannedCall) =>
        (shown ??= showCall({ ...args, ...(typeof root === 'string' && { root }) }, { shows, effect }));
      return {
        start: async (planned) => {
          if (changes) await log.assure('start', { ...who, ...factsOf(show(planned)) });
        },
        unknown: () => log.event('refusal', { ...who, reason: 'unknown tool' }),
        question: (question) => log.event('question', { ...who, ...showPermission(question, shows) }),
        settled: (settlement, question) => {
          if (settlement === 'nobody') log.event('refusal', { ...who, reason: 'no user can be asked' });
          else if (settlement !== 'grant') {
            log.event('answer', { ...who, ...showPermission(question, shows), answer: settlement });
          }
          approved = settlement;
        },
        end: ({ outcome, bytes, ms, ...planned }) => {
          const risk = outcome.ok ? outcome.risk : outcome.error.details?.risk;
          log.event('call', {
            ...who,
            ...factsOf(show(planned), shows !== 'none' && outcome.ok ? outcome.meta : undefined),
            risk,
            approved:
              approved ?? (outcome.ok && risk === 'dangerous' && dangerous === 'allow' ? 'operator' : undefined),
            ms: Math.round(ms * 10) / 10,
            bytes,
            ok: outcome.ok,
            code: outcome.ok ? undefined : outcome.error.code,
          });
        },
      };
    },
  };
}

function showPermission({ permission: { type, key } }: Question, shows: ArgsInLog): object {
  return { permission: type, ...(shows === 'full' ? { key: showText(key) } : { key_sha256: hash(key) }) };
}

interface ShownArgs {
  readonly bound: object | undefined;
  readonly paths: readonly string[];
  readonly args: object | undefined;
}

function showCall(args: object, { shows, effect }: { shows: ArgsInLog; effect: string | undefined }): ShownArgs {
  const { command } = args as { readonly command?: unknown };
  // A log of paths does not show what runs.
  const bound = () =>
    typeof command === 'string' ? { command_sha256: hash(command) } : { args_sha256: hash(JSON.stringify(args)) };
  return {
    bound: effect === 'execute' ? bound() : undefined,
    paths: shows === 'none' ? [] : pathsIn(args),
    args: shows === 'full' ? { args: showArgs(args) } : undefined,
  };
}

function factsOf({ bound, paths, args }: ShownArgs, meta?: object): object {
  const all = pathsIn(meta, paths);
  return { ...bound, ...(all.length > 0 && { paths: all }), ...args };
}

function hash(text: string): string {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex');
}

const PATH_NAME = /^(?:(?:project_)?root|paths?|path_[ab]|file_path|files?|cwd|targets)$/;
const MAX_PATHS = 20;
const MAX_TEXT = 1_000;
const MAX_NAME = 100;
const MAX_SCANNED = 4 * MAX_TEXT;
const MAX_ITEMS = 50;
const MAX_DEPTH = 6;

/** Adds to known paths the values under the names that tools have for paths, in arguments or in the changes of a call. */
export function pathsIn(source: unknown, known: readonly string[] = []): string[] {
  const found = new Set(known);
  const collect = (value: unknown, isPath: boolean, depth: number): void => {
    if (found.size >= MAX_PATHS || depth > MAX_DEPTH) return;
    if (typeof value === 'string') {
      if (isPath) found.add(showText(value));
    } else if (Array.isArray(value)) for (const item of value.slice(0, MAX_ITEMS)) collect(item, isPath, depth + 1);
    else if (typeof value === 'object' && value !== null) {
      for (const [name, member] of membersOf(value)) collect(member, PATH_NAME.test(name), depth + 1);
    }
  };
  collect(source, false, 0);
  return [...found];
}

/** Makes a copy of arguments for the log: bounded, and without secrets. */
export function showArgs(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return showText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '…';
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => showArgs(item, depth + 1));
  return Object.fromEntries(
    membersOf(value).map(([name, member]) => [
      showText(name),
      typeof member === 'string' && SECRET_NAME.test(name) ? '[a secret]' : showArgs(member, depth + 1),
    ]),
  );
}

/** Bounds a text and removes its secrets. A secret that the bound would cut is removed whole. */
export function showText(text: string): string {
  const isLong = text.length > MAX_SCANNED;
  const shown = redactSecrets(isLong ? text.slice(0, MAX_SCANNED).replace(/\S*$/, '') : text);
  return shown.length <= MAX_TEXT ? shown : `${shown.slice(0, MAX_TEXT).toWellFormed()}… (${text.length} characters)`;
}

/** Bounds a name that a client gave, and removes its secrets. A value that is not a text stays as it is. */
export function showName<T>(name: T): T | string {
  return typeof name === 'string' ? showText(name.slice(0, MAX_NAME)) : name;
}

function membersOf(value: object): [string, unknown][] {
  return Object.entries(value).slice(0, MAX_ITEMS);
}
