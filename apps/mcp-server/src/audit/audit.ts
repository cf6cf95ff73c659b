import type { Outcome, Question, Session, Settlement } from '@jinn/core';
import { networkOf } from '../limits/network-of.ts';
import type { Asker } from '../people/asker.ts';
import type { AuditLog } from './audit-log.ts';
import { labelOf } from './session-label.ts';
import { type ArgsInLog, pathsIn, showArgs, showName, showText } from './shown-args.ts';
import { thinOut } from './thin-out.ts';

/** A call that begins, and who sent it. */
export interface StartedCall extends Pick<Asker, 'person' | 'address'> {
  readonly session: Session;
  readonly client: string | undefined;
  /** The id of the request. */
  readonly request: unknown;
  readonly tool: string;
  readonly effect?: string;
}

/** What a call is about to do. */
export interface PlannedCall {
  readonly args: object;
  readonly root: unknown;
}

/** A call that is answered. */
export interface EndedCall extends PlannedCall {
  readonly outcome: Outcome;
  /** The size of the answer. */
  readonly bytes: number;
  readonly ms: number;
}

/** The record of one call. */
export interface CallRecord {
  /**
   * Ensures that the call is on record before it changes or executes anything. Throws `unavailable` if it cannot be
   * written: then the call must not run.
   */
  start(call: PlannedCall): Promise<void>;
  question(question: Question): void;
  settled(settlement: Settlement, question: Question): void;
  end(call: EndedCall): void;
  /** Writes that there is no such tool. */
  unknown(): void;
}

/** A request that was refused, and the known facts about its sender. */
export interface RefusedRequest {
  readonly status: number;
  readonly method: string | undefined;
  readonly address: string | undefined;
  /** Empty for a person without a name; undefined for a stranger. */
  readonly person: string | undefined;
}

/** A token as the log names it. */
export interface NamedToken {
  readonly person: string;
  readonly token: string;
}

/** Writes the operator's log: who asked for what, what a person approved, what was refused. */
export interface Audit {
  begin(call: StartedCall): CallRecord;
  /** Writes that a request was refused before it became a call of a tool. */
  refusal(refused: RefusedRequest): void;
  /** Writes that a session begins, and returns what writes its end. */
  beginSession(session: Session, person: string): () => void;
  /** Writes that a token counts from now on, or does not count any more. */
  token(change: 'added' | 'removed', token: NamedToken): void;
  /** Writes the events that wait, and closes the log. */
  close(): Promise<void>;
}

const NO_RECORD: CallRecord = {
  start: async () => {},
  question: () => {},
  settled: () => {},
  end: () => {},
  unknown: () => {},
};
const NO_AUDIT: Audit = {
  begin: () => NO_RECORD,
  refusal: () => {},
  beginSession: () => () => {},
  token: () => {},
  close: async () => {},
};

/** Makes the audit of a process; without a log, one that writes nothing. `dangerous` is what the operator has decided on dangerous commands. */
export function createAudit(log: AuditLog | undefined, shows: ArgsInLog, dangerous: string): Audit {
  if (log === undefined) return NO_AUDIT;
  // Security: anybody who reaches the port can cause refusals. They must neither fill the log nor hide there what people do.
  const strangers = thinOut((facts) => log.event('refusal', facts));
  return {
    close: () => {
      strangers.flush();
      return log.close();
    },
    refusal: ({ status, method, address, person }) => {
      if (person !== undefined) log.event('refusal', { status, method, address, person: person || undefined });
      else
        strangers.add(
          `${status} ${networkOf(address ?? '')}`,
          { status, method, address },
          { kind: `${status}`, facts: { status } },
        );
    },
    beginSession: (session, person) => {
      const who = { session: labelOf(session), person: person || undefined };
      log.event('session', { ...who, change: 'begin' });
      return () => log.event('session', { ...who, change: 'end' });
    },
    token: (change, { person, token }) => log.event('token', { person: person || undefined, token, change }),
    begin: ({ session, client, person, request, tool, ...call }) => {
      const who = {
        session: labelOf(session),
        client: showName(client),
        person: person || undefined,
        request: showName(request),
        tool: showName(tool),
        ...call,
      };
      let approved: Settlement | undefined;
      const { effect } = who;
      const changes = effect !== undefined && effect !== 'read';
      // The arguments are the same at the start and at the end.
      let shown: ShownArgs | undefined;
      const show = ({ args, root }: PlannedCall) => (shown ??= showCall(withRoot(args, root), { shows, effect }));
      return {
        start: async (planned) => {
          if (changes) await log.assure('start', { ...who, ...factsOf(show(planned)) });
        },
        unknown: () => log.event('refusal', { ...who, reason: 'unknown tool' }),
        question: (question) => log.event('question', { ...who, ...showPermission(question, shows) }),
        settled: (settlement, question) => {
          if (settlement === 'nobody') log.event('refusal', { ...who, reason: 'nobody can be asked' });
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

/** What the log says of the arguments of a call. */
interface ShownArgs {
  readonly bound: object | undefined;
  readonly paths: readonly string[];
  readonly args: object | undefined;
}

/**
 * Shows the arguments of a call. A command or program is shown by its hash too, since a log of paths does not show it.
 */
function showCall(args: object, { shows, effect }: { shows: ArgsInLog; effect: string | undefined }): ShownArgs {
  return {
    bound: effect === 'execute' ? bind(args) : undefined,
    paths: shows === 'none' ? [] : pathsIn(args),
    args: shows === 'full' ? { args: showArgs(args) } : undefined,
  };
}

function bind(args: { command?: unknown }): object {
  const { command } = args;
  return typeof command === 'string' ? { command_sha256: hash(command) } : { args_sha256: hash(JSON.stringify(args)) };
}

/** Formats the shown arguments, with the paths that the call says it changed. */
function factsOf({ bound, paths, args }: ShownArgs, meta?: object): object {
  const all = pathsIn(meta, paths);
  return { ...bound, ...(all.length > 0 && { paths: all }), ...args };
}

function withRoot(args: object, root: unknown): object {
  return { ...args, ...(typeof root === 'string' && { root }) };
}

function hash(text: string): string {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex');
}
