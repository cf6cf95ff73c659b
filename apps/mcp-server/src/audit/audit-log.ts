import { ToolError } from '@jinn/errors';
import type { Log } from '../log.ts';

/** Where the operator reads what happened. */
export interface AuditLog {
  /** Writes that something happened. What goes wrong is told by `assure`. */
  event(name: string, facts: object): void;
  /** Sees to it that what follows from a call can be written. Throws `unavailable`: then the call must not run. */
  assure(facts: object): Promise<void>;
  /** Writes what waits to be written. */
  close(): Promise<void>;
}

/** Writes to a file. A line that cannot be written refuses what comes later, until one can be. */
export function auditInFile(log: Log): AuditLog {
  let failure: unknown;
  const write = (name: string, facts: object) => {
    try {
      log.event(name, facts);
      failure = undefined;
    } catch (error) {
      failure = error;
    }
  };
  return {
    event: write,
    assure: async () => {
      if (failure !== undefined) write('resumed', {});
      if (failure !== undefined) throw cannotBeWritten(failure);
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
    assure: async (facts) => {
      for (const log of logs) await log.assure(facts);
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
