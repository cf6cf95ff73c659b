import type { SharedDatabase } from '@jinn/store/postgres';
import type { Log } from '../log.ts';
import type { TeamSettings } from '../people/team-settings.ts';
import { type AuditLog, auditInAll, auditInFile } from './audit-log.ts';

/**
 * Opens the logs that the operator reads: a file, and the database of a team; undefined if there is neither. `root` is
 * the workspace of events that name none.
 */
export async function openAuditLog(
  log: Log,
  { database }: TeamSettings,
  { shared, root }: { shared: SharedDatabase | undefined; root: string },
): Promise<AuditLog | undefined> {
  const logs = log.isFile ? [auditInFile(log, database?.workspace ?? root)] : [];
  if (shared !== undefined && database?.audit) {
    const { auditInDatabase } = await import('./audit-in-database.ts');
    logs.push(auditInDatabase(shared.audit, log.failure));
  }
  return auditInAll(logs);
}
