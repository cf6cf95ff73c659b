import { ToolError } from '@jinn/core/errors';
import type { Log } from '../log.ts';

/** Where the operator reads what happened. */
export interface AuditLog {
  /** Writes that something happened. */
  event(name: string, facts: object): void;
  /** Writes an event before it is done. Throws `unavailable` if that fails: then it must not be done. */
  assure(name: string, facts: object): Promise<void>;
  /** Writes the events that wait, and closes the log. */
  close(): Promise<void>;
}

/** Writes to a file. `workspace` is where this happens. */
export function auditInFile(log: Log, workspace: string): AuditLog {
  return {
    event: (name, facts) => {
      try {
        log.event(name, { workspace, ...facts });
      } catch {
        // The event stands; the next call that must be on record fails.
      }
    },
    assure: async (name, facts) => {
      try {
        log.event(name, { workspace, ...facts });
      } catch (error) {
        throw cannotBeWritten(error);
      }
    },
    close: async () => {},
  };
}

/** Writes to several logs. */
export function auditInAll(logs: readonly AuditLog[]): AuditLog | undefined {
  if (logs.length === 0) return undefined;
  return {
    event: (name, facts) => {
      for (const log of logs) log.event(name, facts);
    },
    assure: async (name, facts) => {
      for (const log of logs) await log.assure(name, facts);
    },
    close: async () => {
      for (const log of logs) await log.close();
    },
  };
}

export function cannotBeWritten(cause: unknown): ToolError {
  return new ToolError('unavailable', 'the audit log cannot be written, so the call was not run', {
    suggestion: 'send it again in a moment; if it stays so, tell the operator',
    cause,
  });
}
