import type { Outcome, Question, Session, Settlement } from '@jinn/tool';
import type { Log } from '../log.ts';
import type { Asker } from '../people/asker.ts';
import { labelOf } from './session-label.ts';
import { type ArgsInLog, pathsIn, showArgs, showText } from './shown-args.ts';

const MAX_NAME = 100;

/** A call that begins, and who sent it. */
export interface StartedCall extends Pick<Asker, 'person' | 'address'> {
  readonly session: Session;
  readonly client: string | undefined;
  /** The id of the request. */
  readonly request: unknown;
  readonly tool: string;
  readonly effect?: string;
}

/** A call that is answered. */
export interface EndedCall {
  readonly args: object;
  readonly root: unknown;
  readonly outcome: Outcome;
  /** Of the answer. */
  readonly bytes: number;
  readonly ms: number;
}

/** What is written of one call. */
export interface CallRecord {
  question(question: Question): void;
  settled(settlement: Settlement, question: Question): void;
  end(call: EndedCall): void;
  /** Writes that there is no such tool. */
  unknown(): void;
}

/** Writes for the operator who has asked for what, what a person approved, and what was refused. */
export interface Audit {
  begin(call: StartedCall): CallRecord;
  /** Writes that a request was refused before it became a call of a tool. */
  refusal(facts: object): void;
}

const NO_RECORD: CallRecord = { question: () => {}, settled: () => {}, end: () => {}, unknown: () => {} };
const NO_AUDIT: Audit = { begin: () => NO_RECORD, refusal: () => {} };

/** Makes the audit of a process. `dangerous` is what the operator has decided on dangerous commands. */
export function createAudit(log: Log, shows: ArgsInLog, dangerous: string): Audit {
  if (!log.isFile) return NO_AUDIT;
  return {
    begin: ({ session, client, person, ...call }) => {
      const who = {
        session: labelOf(session),
        client: client?.slice(0, MAX_NAME),
        person: person || undefined,
        ...call,
      };
      let approved: Settlement | undefined;
      return {
        unknown: () => log.event('refusal', { ...who, reason: 'unknown tool' }),
        question: (question) => log.event('question', { ...who, ...showPermission(question, shows) }),
        settled: (settlement, question) => {
          if (settlement === 'nobody') log.event('refusal', { ...who, reason: 'nobody can be asked' });
          else if (settlement !== 'grant') {
            log.event('answer', { ...who, ...showPermission(question, shows), answer: settlement });
          }
          approved = settlement;
        },
        end: ({ args, root, outcome, bytes, ms }) => {
          const risk = outcome.ok ? outcome.risk : outcome.error.details?.risk;
          log.event('call', {
            ...who,
            ...showCall({ ...args, ...(typeof root === 'string' && { root }) }, outcome, { shows, effect: who.effect }),
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
    refusal: (facts) => log.event('refusal', facts),
  };
}

function showPermission({ permission: { type, key } }: Question, shows: ArgsInLog): object {
  return { permission: type, ...(shows === 'full' ? { key: showText(key) } : { key_sha256: hash(key) }) };
}

/** Returns what the log says of a call. What a call executes stands there as a hash, since a log of paths does not show it. */
function showCall(args: object, outcome: Outcome, { shows, effect }: { shows: ArgsInLog; effect: string | undefined }) {
  const { command } = args as { command?: unknown };
  const bound =
    typeof command === 'string' ? { command_sha256: hash(command) } : { args_sha256: hash(JSON.stringify(args)) };
  const paths = shows === 'none' ? [] : pathsIn(args, outcome.ok ? outcome.meta : undefined);
  return {
    ...(effect === 'execute' && bound),
    ...(paths.length > 0 && { paths }),
    ...(shows === 'full' && { args: showArgs(args) }),
  };
}

function hash(text: string): string {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex');
}
