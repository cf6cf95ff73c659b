import { ToolError } from '@jinn/errors';
import { once } from '@jinn/tool';
import pg from 'pg';
import type { Query, Statements } from '../statements.ts';
import { explainFault } from './explain-fault.ts';
import { inTransaction } from './in-transaction.ts';
import { migratePostgres } from './migrate-postgres.ts';

const MAX_CONNECTIONS = 4;
const CONNECT_MS = 2_000;
const STATEMENT_MS = 5_000;
const INT8 = 20;
/** The server ends, starts, or cannot be reached; or two transactions were in each other's way. Nothing was done. */
const NOTHING_DONE = /^(57P0[123]|40001|40P01|23505|ECONNREFUSED|ENOENT)$/;
/** The connection was lost. A statement that writes by itself may have been done; no transaction was, before its end. */
const LOST = /^(08\w{3}|ECONN\w+|EPIPE)$/;
const TOO_LONG = '54000';
const NO_TEXT = '22021';

/**
 * Opens a database of PostgreSQL, where several servers keep what they share; connects when something is first read or written. Its
 * statements throw ToolError.
 */
export function openPostgres(url: string): Statements {
  const pool = new pg.Pool({
    connectionString: url,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    query_timeout: STATEMENT_MS,
    application_name: 'jinn-mcp',
    allowExitOnIdle: true,
    types: { getTypeParser: (oid, format) => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) as never },
  });
  // A connection that is lost while nobody uses it is replaced when one is needed.
  pool.on('error', () => undefined);
  const ready = once(() => migratePostgres(pool));
  /** Runs work, and once more what has failed in passing. What writes by itself is not repeated if it may have been done. */
  const run = async <T>(work: () => Promise<T>, { writesAlone = false } = {}): Promise<T> => {
    try {
      await ready();
      return await work();
    } catch (error) {
      const code = codeOf(error);
      if (!NOTHING_DONE.test(code) && (writesAlone || !LOST.test(code))) throw explained(error);
    }
    try {
      await ready();
      return await work();
    } catch (error) {
      throw explained(error);
    }
  };
  return {
    read: (...query) => run(async () => (await pool.query(toConfig(query))).rows),
    write: (...query) => run(async () => (await pool.query(toConfig(query))).rowCount ?? 0, { writesAlone: true }),
    writeAll: (queries) =>
      run(() =>
        inTransaction(pool, async (client) => {
          const counts: number[] = [];
          for (const query of queries) counts.push((await client.query(toConfig(query))).rowCount ?? 0);
          return counts;
        }),
      ),
  };
}

function toConfig([text, ...values]: Query): pg.QueryConfig {
  return { text: toNumbered(text), values };
}

/** Writes `$1`, `$2`… for each `?`. No statement of ours has one in a text. */
function toNumbered(text: string): string {
  let count = 0;
  return text.replace(/\?/g, () => `$${++count}`);
}

function codeOf(error: unknown): string {
  return (error as { code?: string }).code ?? '';
}

function explained(cause: unknown): ToolError {
  if (cause instanceof ToolError) return cause;
  if (codeOf(cause) === TOO_LONG) {
    const suggestion = 'use a shorter one; an approval can be given once instead';
    return new ToolError('write_failed', 'this is too long to be remembered', { suggestion, cause });
  }
  if (codeOf(cause) === NO_TEXT) {
    const suggestion = 'leave that character out';
    return new ToolError('invalid_args', "the team's database keeps no text with U+0000", { suggestion, cause });
  }
  const passing = "the team's database does not answer";
  const suggestion = 'send it again in a moment; if it stays so, tell the operator';
  return explainFault(cause) ?? new ToolError('unavailable', passing, { suggestion, cause });
}
