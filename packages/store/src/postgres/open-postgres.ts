import { ToolError } from '@jinn/errors';
import { once } from '@jinn/tool';
import pg from 'pg';
import type { Statements } from '../statements.ts';
import { migratePostgres } from './migrate-postgres.ts';

const MAX_CONNECTIONS = 4;
const CONNECT_MS = 2_000;
const STATEMENT_MS = 5_000;
const INT8 = 20;
/** The server ends, starts, or has gone away; or two transactions were in each other's way. */
const PASSING = /^(57P0[123]|08\w{3}|40001|40P01|ECONN\w+|EPIPE|ENOENT)$/;
const TOO_LONG = '54000';

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
  const run = async (text: string, values: readonly unknown[]): Promise<pg.QueryResult> => {
    const query = { text: toNumbered(text), values: [...values] };
    try {
      await ready();
      return await pool.query(query);
    } catch (error) {
      if (!isPassing(error)) throw explained(error);
    }
    // Security: what was done before the connection was lost is found done by the second try, which approves nothing.
    try {
      await ready();
      return await pool.query(query);
    } catch (error) {
      throw explained(error);
    }
  };
  return {
    read: async (text, ...values) => (await run(text, values)).rows,
    write: async (text, ...values) => (await run(text, values)).rowCount ?? 0,
  };
}

/** Writes `$1`, `$2`… for each `?`. No statement of ours has one in a text. */
function toNumbered(text: string): string {
  let count = 0;
  return text.replace(/\?/g, () => `$${++count}`);
}

function isPassing(error: unknown): boolean {
  return PASSING.test(codeOf(error));
}

function codeOf(error: unknown): string {
  return (error as { code?: string }).code ?? '';
}

function explained(cause: unknown): ToolError {
  if (cause instanceof ToolError) return cause;
  if (codeOf(cause) === TOO_LONG) {
    return new ToolError('write_failed', 'this is too long to be remembered', {
      suggestion: 'approve it once instead',
      cause,
    });
  }
  return new ToolError('write_failed', "the team's database does not answer", {
    suggestion: 'send it again in a moment; if it stays so, tell the operator',
    cause,
  });
}
