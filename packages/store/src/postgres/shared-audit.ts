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
  const insert = 'INSERT INTO audit (workspace, time, event, person, facts) VALUES (?, ?, ?, ?, ?)';
  return {
    add: async (rows) => {
      await statements.writeAll(
        rows.map(({ time, event, person, facts }) => [insert, workspace, time.toISOString(), event, person, facts]),
      );
    },
  };
}
