import { setTimeout as sleep } from 'node:timers/promises';
import type { SharedDatabase } from '@jinn/store/postgres';
import { toLine } from '../log.ts';
import { type AuditLog, cannotBeWritten } from './audit-log.ts';

type AuditTable = SharedDatabase['audit'];
type AuditRow = Parameters<AuditTable['add']>[0][number];

/** Events beyond these are lost while the database is away; their number is written later. */
const MAX_WAITING = 10_000;
/** Security: anybody who reaches the port can cause refusals; these leave room for the events of people with a name. */
const MAX_OF_STRANGERS = 5_000;
const MAX_BATCH = 100;
const RETRY_MS = 1_000;
/** Stands in front of the ids of rows, so that no two processes have the same ones. */
const PROCESS = crypto.randomUUID();
/** How long the end of the process waits for the database. */
const CLOSE_MS = 3_000;

/**
 * Writes to the database of a team. A call that changes or executes something is written before it runs; its end is
 * written soon after, and waits while the database is away.
 */
export function auditInDatabase(table: AuditTable, onFailure: (error: unknown) => void): AuditLog {
  const waiting: AuditRow[] = [];
  const closing = new AbortController();
  let lost = 0;
  /** Formats the row that says how many events were lost. It stays the same row until it is written. */
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
        await table.add(notice ? [notice.row, ...batch] : batch);
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
    event: (name, facts) => {
      const row = toRow(name, facts);
      if (waiting.length >= (row.person === '' ? MAX_OF_STRANGERS : MAX_WAITING)) lost += 1;
      else waiting.push(row);
      begin();
    },
    assure: async (name, facts) => {
      try {
        await table.add([toRow(name, facts)]);
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
  return { id: `${PROCESS}-${++count}`, time: new Date(), event, person, facts: toLine(facts) };
}
