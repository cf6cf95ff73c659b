import { setTimeout as sleep } from 'node:timers/promises';
import type { Memory, MemoryEntry, MemoryScope } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { type Query, type Statements, toKeys } from '../statements.ts';
import type { QueryWord } from './query-words.ts';

interface Row {
  readonly key: string;
  readonly value: string;
  readonly updated: string;
  readonly expires: number | null;
  readonly pinned: number;
}

const LAST = '\u{10ffff}';
/** How often an edit starts again because another process was faster, and the longest pause before that. */
const MAX_TRIES = 100;
const MAX_PAUSE_MS = 10;

interface MemoryStore extends Pick<Memory, 'findScope' | 'takeWarnings'> {
  readonly statements: Statements;
  exists(): boolean;
  readonly start: string;
  nameOf(scope: string): string;
  scopeOf(name: string): string | undefined;
  /** Returns the keys that have one of these words, best first, in the scope that is kept under a name. */
  search(name: string, words: readonly QueryWord[]): Promise<readonly string[]>;
}

/** Makes the memory of the user over its store. Plain SQL: loading drizzle takes as long as the rest of a one-shot call. */
export function memoryOver(store: MemoryStore): Memory {
  const { statements, findScope, nameOf, scopeOf, takeWarnings } = store;
  const change = async (...query: Query): Promise<number> => {
    const expired: Query = ['DELETE FROM memory WHERE expires <= ?', Date.now()];
    const [, changed] = await statements.writeAll([expired, query]);
    return changed as number;
  };
  const recall = async (scope: string, key: string) => (await recallAll(statements, nameOf(scope), [key]))[0];
  return {
    findScope,
    takeWarnings,
    save: async (scope, entry) => void (await change(...toInsert(nameOf(scope), entry))),
    edit: async (scope, key, toValue) => {
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const before = (await recall(scope, key))?.value;
        const query = toEdit(nameOf(scope), key, { before, value: await toValue(before) });
        if ((await change(...query)) > 0) return;
        await sleep(Math.random() * MAX_PAUSE_MS);
      }
      throw new ToolError('conflict', `other processes keep changing ${key}`, { suggestion: 'try again in a moment' });
    },
    recall,
    recallAll: (scope, keys) => recallAll(statements, nameOf(scope), keys),
    // Creates no database to delete from.
    forget: async (scope, key) =>
      store.exists() && (await change('DELETE FROM memory WHERE scope = ? AND key = ?', nameOf(scope), key)) > 0,
    list: (scope, query) => (query?.trim() ? search(store, nameOf(scope), query) : listAll(statements, nameOf(scope))),
    search: async (texts, query) => (await import('./search-texts.ts')).searchOtherTexts(texts, query),
    scopes: async () =>
      (await listScopes(statements, store.start)).flatMap(({ scope: name, ...facts }) => {
        const scope = scopeOf(name);
        return scope === undefined ? [] : [{ scope, ...facts }];
      }),
    move: async (source, target) => {
      const [from, to] = [nameOf(source), nameOf(target)];
      if (from === to || !store.exists()) return { moved: 0, kept: [] };
      const moved = await change(
        `UPDATE memory SET scope = ? WHERE scope = ? AND key NOT IN (SELECT key FROM memory WHERE scope = ?)`,
        ...[to, from, to],
      );
      const kept = await statements.read('SELECT key FROM memory WHERE scope = ? ORDER BY key', from);
      return { moved, kept: toKeys(kept) };
    },
  };
}

const INSERT = 'INSERT INTO memory (scope, key, value, updated, expires, pinned) VALUES (?, ?, ?, ?, ?, ?)';

function toInsert(scope: string, { key, value, pinned, expires }: Omit<MemoryEntry, 'updated'>): Query {
  return [
    `${INSERT}
     ON CONFLICT (scope, key) DO UPDATE SET
       value = excluded.value, updated = excluded.updated, expires = excluded.expires, pinned = excluded.pinned`,
    ...[scope, key, value, now(), expires?.getTime() ?? null, Number(pinned)],
  ];
}

/** Makes a statement that changes no row if the text is not the one before any more. */
function toEdit(scope: string, key: string, { before, value }: { before: string | undefined; value: string }): Query {
  if (before === undefined) {
    return [`${INSERT} ON CONFLICT (scope, key) DO NOTHING`, scope, key, value, now(), null, 0];
  }
  return [
    'UPDATE memory SET value = ?, updated = ? WHERE scope = ? AND key = ? AND value = ?',
    ...[value, now(), scope, key, before],
  ];
}

function now(): string {
  return new Date().toISOString().replace(/\.\d+Z$/, 'Z');
}

async function recallAll(statements: Statements, scope: string, keys: readonly string[]): Promise<MemoryEntry[]> {
  if (keys.length === 0) return [];
  const rows = (await statements.read(
    `SELECT key, value, updated, expires, pinned FROM memory
     WHERE scope = ? AND key IN (${keys.map(() => '?').join()}) AND (expires IS NULL OR expires > ?)`,
    ...[scope, ...keys, Date.now()],
  )) as readonly Row[];
  const byKey = new Map(rows.map((row) => [row.key, toEntry(row)]));
  return keys.flatMap((key) => byKey.get(key) ?? []);
}

async function listAll(statements: Statements, scope: string): Promise<readonly string[]> {
  const rows = await statements.read(
    'SELECT key FROM memory WHERE scope = ? AND (expires IS NULL OR expires > ?) ORDER BY pinned DESC, key',
    ...[scope, Date.now()],
  );
  return toKeys(rows);
}

async function search(store: MemoryStore, name: string, query: string): Promise<readonly string[]> {
  const { searchTexts } = await import('./query-words.ts');
  return searchTexts(query, {
    search: (words) => store.search(name, words),
    texts: (most) => store.statements.read('SELECT key, value FROM memory WHERE scope = ? LIMIT ?', name, most),
  });
}

async function listScopes(statements: Statements, start: string): Promise<readonly MemoryScope[]> {
  const rows = await statements.read(
    `SELECT scope, count(*) AS count, max(updated) AS updated FROM memory
     WHERE scope >= ? AND scope < ? AND (expires IS NULL OR expires > ?) GROUP BY scope ORDER BY scope`,
    ...[start, `${start}${LAST}`, Date.now()],
  );
  return rows as readonly MemoryScope[];
}

function toEntry({ key, value, updated, expires, pinned }: Row): MemoryEntry {
  return { key, value, updated, pinned: pinned !== 0, expires: expires === null ? undefined : new Date(expires) };
}
