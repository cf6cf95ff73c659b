import type { Statements } from '../statements.ts';

/** Something that happened, for the operator. */
export interface AuditRow {
  readonly time: Date;
  readonly event: string;
  /** Whose call it was; empty for a person without a name. */
  readonly person: string;
  /** What is known of it, as JSON. */
  readonly facts: string;
}

/** The audit log of a workspace. No call reads it. */
export interface AuditTable {
  /** Adds all of them or none. */
  add(rows: readonly AuditRow[]): Promise<void>;
}

export function auditIn(statements: Statements, workspace: string): AuditTable {
  return {
    add: async (rows) => {
      const places = rows.map(() => '(?, ?, ?, ?, ?)').join();
      const values = rows.flatMap(({ time, ...row }) => [
        workspace,
        time.toISOString(),
        row.event,
        row.person,
        row.facts,
      ]);
      await statements.write(`INSERT INTO audit (workspace, time, event, person, facts) VALUES ${places}`, ...values);
    },
  };
}
