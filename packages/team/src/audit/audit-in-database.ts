import { setTimeout as sleep } from 'node:timers/promises';
import type { Statements } from '@jinn/store/statements';
import { type AuditLog, cannotBeWritten, toLogLine } from './operator-log.ts';

interface AuditRow {
  readonly id: string;
  readonly time: Date;
  readonly event: string;
  readonly person: string;
  readonly facts: string;
}

/** Events beyond these are lost while the database is away. Their number is written later. */
const MAX_WAITING = 10_000;
/** Security: anyone who reaches the port can cause refusals. These leave room for the events of users with a name. */
const MAX_OF_STRANGERS = 5_000;
const MAX_BATCH = 100;
const RETRY_MS = 1_000;
/** Begins the ids of rows, so that no two processes have the same ones. */
const PROCESS = crypto.randomUUID();
const CLOSE_MS = 3_000;

const FORGET_AFTER_MS = 60_000;
const FORGET_EVERY_MS = 3_600_000;
const FORGET = `DELETE FROM audit WHERE id IN (
  SELECT id FROM audit WHERE workspace = ? AND time < now() - make_interval(days => ?::int) ORDER BY time LIMIT 10000)`;

export interface AuditOwner {
  readonly workspace: string;
  /** How long events are kept. For ever if undefined. */
  readonly days?: number | undefined;
  onFailure(error: unknown): void;
}

/** Removes events that are older, in parts, and returns how many. */
export async function forgetOldEvents(statements: Statements, workspace: string, days: number): Promise<number> {
  let all = 0;
  for (let count = -1; count !== 0; all += count) count = await statements.write(FORGET, workspace, days);
  return all;
}

/** Keeps the audit log in the database of a team. Events wait while it is away. Those of `assure` do not. */
export function auditInDatabase(statements: Statements, { workspace, days, onFailure }: AuditOwner): AuditLog {
  const waiting: AuditRow[] = [];
  const closing = new AbortController();
  const forget = async (after: number, kept: number): Promise<void> => {
    await sleep(after, undefined, { ref: false, signal: closing.signal });
    await forgetOldEvents(statements, workspace, kept).catch(onFailure);
    return forget(FORGET_EVERY_MS, kept);
  };
  if (days !== undefined) forget(FORGET_AFTER_MS, days).catch(() => undefined);
  let lost = 0;
  let lostInAll = 0;
  /** The row that says how many events were lost. It stays the same until it is written. */
  let notice: { readonly row: AuditRow; readonly events: number } | undefined;
  let writing: Promise<void> | undefined;
  const begin = () => {
    writing ??= drain().finally(() => {
      writing = undefined;
      if (waiting.length > 0 && !closing.signal.aborted) begin();
    });
  };
  async function drain(): Promise<void> {
    for (let isTold = false; waiting.length > 0; ) {
      const batch = waiting.slice(0, MAX_BATCH);
      try {
        if (lost > 0) notice ??= { row: toRow('lost', { events: lost }), events: lost };
        await add(statements, workspace, notice ? [notice.row, ...batch] : batch);
        waiting.splice(0, batch.length);
        lost -= notice?.events ?? 0;
        notice = undefined;
      } catch (error) {
        if (!isTold) onFailure(error);
        isTold = true;
        if (closing.signal.aborted) return;
        await sleep(RETRY_MS, undefined, { ref: false, signal: closing.signal }).catch(() => undefined);
      }
    }
  }
  return {
    backlog: () => ({ waiting: waiting.length, lost: lostInAll }),
    event: (name, facts) => {
      const row = toRow(name, facts);
      if (waiting.length >= (row.person === '' ? MAX_OF_STRANGERS : MAX_WAITING)) {
        lost += 1;
        lostInAll += 1;
      } else waiting.push(row);
      begin();
    },
    assure: async (name, facts) => {
      try {
        await add(statements, workspace, [toRow(name, facts)]);
      } catch (error) {
        throw cannotBeWritten(error);
      }
    },
    close: async () => {
      closing.abort();
      await Promise.race([writing, sleep(CLOSE_MS)]);
      const left = waiting.length + lost;
      if (left > 0) onFailure(new Error(`${left} events of the audit log were not written`));
    },
  };
}

let count = 0;

function toRow(event: string, facts: object): AuditRow {
  const { person = '' } = facts as { person?: string | undefined };
  return { id: `${PROCESS}-${++count}`, time: new Date(), event, person, facts: toLogLine(facts) };
}

async function add(statements: Statements, workspace: string, rows: readonly AuditRow[]): Promise<void> {
  const places = rows.map(() => '(?, ?, ?, ?, ?, ?)').join();
  const values = rows.flatMap(({ id, time, event, person, facts }) => [
    workspace,
    id,
    time.toISOString(),
    event,
    person,
    facts,
  ]);
  const insert = `INSERT INTO audit (workspace, row_id, time, event, person, facts) VALUES ${places}`;
  await statements.write(`${insert} ON CONFLICT DO NOTHING`, ...values);
}
