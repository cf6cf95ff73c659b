import fs from 'node:fs';
import { ToolError } from '@jinn/errors';
import { type Grant, type GrantFilter, type GrantSubject, type Grants, once } from '@jinn/tool';
import { ownedBy } from './owned-by.ts';
import { loadSqlite } from './sqlite.ts';
import { StateDatabase, stateExists, sumOf } from './state-database.ts';
import { toStateError } from './state-fault.ts';

/** The most characters of a tool, type, key or fingerprint. */
const MAX_CHARACTERS = 4096;

interface Row {
  readonly tool: string;
  readonly type: string;
  readonly key: string;
  readonly fingerprint: string;
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly checksum: string;
}

/** Opens the grants of a person in the workspace with this real path, in `state.db` of the state directory; lazily. */
export function openGrants(directory: string | undefined, root: string, person = ''): Grants {
  const opened: StateDatabase[] = [];
  const place = () => ownedBy(person, identify(root));
  const open = once(async () => {
    const database = new StateDatabase(directory, await loadSqlite());
    opened.push(database);
    return database;
  });
  /** Runs work on the grants; undefined if nothing was ever kept. */
  const readAll = async <T>(work: (database: StateDatabase) => T): Promise<T | undefined> =>
    stateExists(directory) ? work(await open()) : undefined;

  return {
    find: async (subject) => {
      try {
        return await readAll((database) => find(database, place(), subject));
      } catch {
        return undefined; // A person is asked: that is safe, whatever is wrong.
      }
    },
    add: async (subject) => {
      rejectUnfit(subject);
      await changing('the approval cannot be remembered', async () => add(await open(), place(), subject));
    },
    list: () =>
      changing(
        'the approvals cannot be read',
        async () => (await readAll((database) => list(database, place()))) ?? [],
      ),
    revoke: (filter) =>
      changing(
        'the approvals cannot be revoked',
        async () => (await readAll((database) => revoke(database, place(), filter))) ?? 0,
      ),
    spend: (answer, until) =>
      changing('the use of the answer cannot be remembered', async () => spend(await open(), answer, until.getTime())),
    takeWarnings: () => opened.flatMap((database) => database.takeWarnings()),
  };
}

async function changing<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw toStateError(what, cause);
  }
}

/**
 * Returns what stands for a workspace: its path, and what tells the directory from a later one there. The number of an
 * inode is given again, so that the birth time counts too. That of the device may differ after each mount, and does not count.
 */
function identify(root: string): string {
  const stat = fs.statSync(root, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? root : `${root}#${stat.ino}-${stat.birthtimeNs}`;
}

function find(database: StateDatabase, workspace: string, subject: GrantSubject): Grant | undefined {
  const { tool, type, key } = subject;
  const row = database.read((connection) =>
    connection
      .sql(
        `SELECT tool, type, key, fingerprint, created, checksum FROM grants
         WHERE workspace = ? AND tool = ? AND type = ? AND key = ?`,
      )
      .get(workspace, tool, type, key),
  ) as Row | undefined;
  // Security: compares what the row says, not what the index found it by.
  if (!row || row.tool !== tool || row.type !== type || row.key !== key) return undefined;
  return row.fingerprint === subject.fingerprint && isIntact(workspace, row) ? toGrant(row) : undefined;
}

function add(database: StateDatabase, workspace: string, { tool, type, key, fingerprint }: GrantSubject): void {
  const created = Date.now();
  const checksum = checksumOf(workspace, { tool, type, key, fingerprint, created });
  database.writeSynced((connection) =>
    connection
      .sql(
        `INSERT OR REPLACE INTO grants (workspace, tool, type, key, fingerprint, created, checksum)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(workspace, tool, type, key, fingerprint, created, checksum),
  );
}

function list(database: StateDatabase, workspace: string): Grant[] {
  const rows = database.read((connection) =>
    connection
      .sql(
        `SELECT tool, type, key, fingerprint, created, checksum FROM grants
         WHERE workspace = ? ORDER BY tool, type, key`,
      )
      .all(workspace),
  ) as Row[];
  return rows.filter((row) => isIntact(workspace, row)).map(toGrant);
}

function revoke(database: StateDatabase, workspace: string, { tool, type, key }: GrantFilter): number {
  return database.writeSynced(
    (connection) =>
      connection
        .sql(
          `DELETE FROM grants WHERE workspace = ?
           AND tool = coalesce(?, tool) AND type = coalesce(?, type) AND key = coalesce(?, key)`,
        )
        .run(workspace, tool ?? null, type ?? null, key ?? null).changes,
  );
}

function spend(database: StateDatabase, answer: string, until: number): boolean {
  return database.writeSynced((connection) => {
    connection.sql('DELETE FROM spent WHERE until < ?').run(Date.now());
    return connection.sql('INSERT OR IGNORE INTO spent (answer, until) VALUES (?, ?)').run(answer, until).changes === 1;
  });
}

function toGrant({ tool, type, key, fingerprint, created }: Row): Grant {
  return { tool, type, key, fingerprint, created: new Date(created) };
}

/** Reports whether a row is undamaged: a damaged one must not approve what nobody approved. */
function isIntact(workspace: string, row: Row): boolean {
  return row.checksum === checksumOf(workspace, row);
}

function checksumOf(workspace: string, { tool, type, key, fingerprint, created }: Omit<Row, 'checksum'>): string {
  return sumOf([workspace, tool, type, key, fingerprint, created]);
}

/**
 * Refuses a subject with a text that is empty, too long or not well-formed. Security: half a surrogate pair is stored
 * as U+FFFD, so that two different keys would become one.
 */
function rejectUnfit(subject: GrantSubject): void {
  for (const field of ['tool', 'type', 'key', 'fingerprint'] as const) {
    const text = subject[field];
    if (text !== '' && text.length <= MAX_CHARACTERS && text.isWellFormed()) continue;
    throw new ToolError('invalid_args', `an approval for this ${field} cannot be remembered`, {
      suggestion: `${field} must be text of 1 to ${MAX_CHARACTERS} characters; approve it once instead`,
    });
  }
}
