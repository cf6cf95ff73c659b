import pg from 'pg';

/** A transaction of which nobody knows whether it was committed: the connection was lost before the database said so. */
class CommitLost extends Error {
  constructor(cause: unknown) {
    super('the connection was lost while a transaction was committed', { cause });
  }
}

/** Runs work on a connection, in a transaction. Throws CommitLost, or what the database or the system says: then nothing was done. */
export async function inTransaction<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  // The statement that runs fails too when the connection is lost.
  client.on('error', ignore);
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT').catch((error: unknown) => {
      throw error instanceof pg.DatabaseError ? error : new CommitLost(error);
    });
    client.off('error', ignore);
    client.release();
    return result;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

function ignore(): void {}
