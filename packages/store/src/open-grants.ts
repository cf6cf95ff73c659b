import fs from 'node:fs';
import { type Grant, type GrantFilter, type GrantSubject, type Grants, lazy } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { loadSqlite } from './sqlite.ts';
import { StateDatabase, stateExists, statementsOf, sumOf } from './state-database.ts';
import { toStateError } from './state-fault.ts';
import { ownedBy } from './state-owner.ts';
import type { Statements } from './statements.ts';

const MAX_CHARACTERS = 4096;

interface Row {
  readonly workspace: string;
  readonly tool: string;
  readonly type: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly created: number;
  readonly checksum: string;
}

/** Opens the grants of the user in the workspace with this real path, in `state.db` of the state directory. Lazily. */
export function openGrants(directory: string | undefined, root: string, person = ''): Grants {
  const opened: StateDatabase[] = [];
  return grantsOver({
    open: lazy(async () => {
      const database = new StateDatabase(directory, await loadSqlite());
      opened.push(database);
      return statementsOf(database);
    }),
    exists: () => stateExists(directory),
    person,
    place: () => identify(root),
    takeWarnings: () => opened.flatMap((database) => database.takeWarnings()),
  });
}

interface GrantStore extends Pick<Grants, 'takeWarnings'> {
  open(): Promise<Statements>;
  exists(): boolean;
  readonly person: string;
  place(): string;
}

/** The owner of what counts for everybody. No person has this name. */
const EVERYBODY = '*';
const COLUMNS = 'workspace, tool, type, key, fingerprint, created, checksum';

/** Makes the grants of the user in a workspace over their store. */
export function grantsOver({ open, exists, person, place, takeWarnings }: GrantStore): Grants {
  const readAll = async <T>(work: (statements: Statements) => Promise<T>): Promise<T | undefined> =>
    exists() ? work(await open()) : undefined;
  const owners = (): Owners => {
    const name = place();
    return { own: ownedBy(person, name), all: ownedBy(EVERYBODY, name) };
  };

  return {
    person,
    find: async (subject) => {
      try {
        return await readAll((statements) => find(statements, owners(), subject));
      } catch {
        return undefined; // The user is asked: that is safe, no matter what is wrong.
      }
    },
    add: async (subject, { forAll = false } = {}) => {
      rejectUnfit(subject);
      const owner = forAll ? EVERYBODY : person;
      await changing('the approval cannot be remembered', async () =>
        add(await open(), ownedBy(owner, place()), subject),
      );
    },
    list: () =>
      changing(
        'the approvals cannot be read',
        async () => (await readAll((statements) => list(statements, owners()))) ?? [],
      ),
    revoke: (filter) =>
      changing('the approvals cannot be revoked', async () => {
        const { own, all } = owners();
        const { forAll } = filter;
        // Security: a named user cannot revoke what counts for everybody.
        const revoked = [...(forAll === true ? [] : [own]), ...(forAll === false || person !== '' ? [] : [all])];
        return (await readAll((statements) => revoke(statements, revoked, filter))) ?? 0;
      }),
    spend: (answer, until) =>
      changing('the use of the answer cannot be remembered', async () => spend(await open(), answer, until.getTime())),
    takeWarnings,
  };
}

async function changing<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw toStateError(what, cause);
  }
}

// The path of a workspace, and what tells its directory from a later one there. The number of an inode is used again, so that the birth
// time counts too. That of the device may differ after each mount, and does not count.
function identify(root: string): string {
  const stat = fs.statSync(root, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? root : `${root}#${stat.ino}-${stat.birthtimeNs}`;
}

interface Owners {
  readonly own: string;
  readonly all: string;
}

async function find(statements: Statements, owners: Owners, subject: GrantSubject): Promise<Grant | undefined> {
  const { tool, type, key, fingerprint } = subject;
  const rows = (await statements.read(
    `SELECT ${COLUMNS} FROM grants WHERE workspace IN (?, ?) AND tool = ? AND type = ? AND key = ?`,
    ...[owners.own, owners.all, tool, type, key],
  )) as readonly Row[];
  // Security: compares what a row says, not what the index found it by.
  const fits = (row: Row) => row.tool === tool && row.type === type && row.key === key && isOf(owners, row);
  const row = rows.find((each) => fits(each) && each.fingerprint === fingerprint && isIntact(each));
  return row && toGrant(owners, row);
}

function isOf({ own, all }: Owners, { workspace }: Row): boolean {
  return workspace === own || workspace === all;
}

async function add(statements: Statements, workspace: string, subject: GrantSubject): Promise<void> {
  const { tool, type, key, fingerprint } = subject;
  const created = Date.now();
  const checksum = checksumOf({ workspace, tool, type, key, fingerprint, created });
  await statements.write(
    `INSERT INTO grants (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (workspace, tool, type, key)
     DO UPDATE SET fingerprint = excluded.fingerprint, created = excluded.created, checksum = excluded.checksum`,
    ...[workspace, tool, type, key, fingerprint, created, checksum],
  );
}

async function list(statements: Statements, owners: Owners): Promise<Grant[]> {
  const rows = (await statements.read(
    `SELECT ${COLUMNS} FROM grants WHERE workspace IN (?, ?) ORDER BY tool, type, key, workspace`,
    ...[owners.own, owners.all],
  )) as readonly Row[];
  return rows.filter((row) => isOf(owners, row) && isIntact(row)).map((row) => toGrant(owners, row));
}

async function revoke(
  statements: Statements,
  names: readonly string[],
  { tool, type, key }: GrantFilter,
): Promise<number> {
  if (names.length === 0) return 0;
  return statements.write(
    `DELETE FROM grants WHERE workspace IN (${names.map(() => '?').join()})
     AND tool = coalesce(?, tool) AND type = coalesce(?, type) AND key = coalesce(?, key)`,
    ...[...names, tool ?? null, type ?? null, key ?? null],
  );
}

async function spend(statements: Statements, answer: string, until: number): Promise<boolean> {
  await statements.write('DELETE FROM spent WHERE until < ?', Date.now());
  const insert = 'INSERT INTO spent (answer, until) VALUES (?, ?) ON CONFLICT (answer) DO NOTHING';
  return (await statements.write(insert, answer, until)) === 1;
}

function toGrant({ all }: Owners, { workspace, tool, type, key, fingerprint, created }: Row): Grant {
  return { tool, type, key, fingerprint, created: new Date(created), forAll: workspace === all };
}

// A damaged row must not approve what no one approved.
function isIntact(row: Row): boolean {
  return row.checksum === checksumOf(row);
}

function checksumOf({ workspace, tool, type, key, fingerprint, created }: Omit<Row, 'checksum'>): string {
  return sumOf([workspace, tool, type, key, fingerprint, created]);
}

// Security: half a surrogate pair is stored as U+FFFD, so that two different keys would become one.
function rejectUnfit(subject: GrantSubject): void {
  for (const field of ['tool', 'type', 'key', 'fingerprint'] as const) {
    const text = subject[field];
    if (text !== '' && text.length <= MAX_CHARACTERS && text.isWellFormed()) continue;
    throw new ToolError('invalid_args', `an approval for this ${field} cannot be remembered`, {
      suggestion: `${field} must be text of 1 to ${MAX_CHARACTERS} characters: approve it once instead`,
    });
  }
}
