import type { Statements } from '../statements.ts';

/** Something that happened, for the operator. */
export interface AuditRow {
  /** No other row has it, so that one whose answer was lost can be added again. */
  readonly id: string;
  readonly time: Date;
  readonly event: string;
  /** Whose call it was; empty for a person without a name. */
  readonly person: string;
  /** What is known of it, as JSON. */
  readonly facts: string;
}

/** The audit log of a workspace. No call reads it. */
export interface AuditTable {
  /** Adds all of them or none; leaves out those that it has. */
  add(rows: readonly AuditRow[]): Promise<void>;
}

export function auditIn(statements: Statements, workspace: string): AuditTable {
  return {
    add: async (rows) => {
      const places = rows.map(() => '(?, ?, ?, ?, ?, ?)').join();
      const values = rows.flatMap(({ time, ...row }) => [
        workspace,
        row.id,
        time.toISOString(),
        row.event,
        row.person,
        row.facts,
      ]);
      const insert = `INSERT INTO audit (workspace, row_id, time, event, person, facts) VALUES ${places}`;
      await statements.write(`${insert} ON CONFLICT DO NOTHING`, ...values);
    },
  };
}
