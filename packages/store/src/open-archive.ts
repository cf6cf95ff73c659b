import { inflateRawSync } from 'node:zlib';
import { type Archive, type HistoryEntry, ToolError } from '@jinn/core';
import { and, type Column, count, desc, eq, type SQL, sql } from 'drizzle-orm';
import { entries } from './entries.ts';
import { OPERATION_PREFIX } from './entry-id.ts';
import type { Sqlite } from './load-sqlite.ts';
import { recorded } from './recorded.ts';
import { toDrizzle } from './to-drizzle.ts';

const SHOWN = {
  id: entries.id,
  operationId: entries.operationId,
  tool: entries.tool,
  path: entries.path,
  created: entries.created,
  size: entries.size,
  beforeVersion: entries.beforeVersion,
  afterVersion: entries.afterVersion,
};

type Row = { [K in keyof typeof SHOWN]: (typeof entries.$inferSelect)[K] };

/** The committed entries of a workspace. Kept apart from what every change needs, which must not load drizzle. */
export function openArchive(sqlite: Sqlite, workspace: string): Archive {
  const db = toDrizzle(sqlite);
  const committed = and(eq(entries.workspace, workspace), eq(entries.state, 'committed'));
  const select = (where: SQL | undefined) => db.select(SHOWN).from(entries).where(where);
  return {
    list: (limit = -1) => select(committed).orderBy(desc(entries.seq)).limit(limit).all().map(toEntry),
    count: () => db.select({ n: count() }).from(entries).where(committed).get()?.n ?? 0,
    find: (idOrPrefix) => {
      const isOperation = idOrPrefix.startsWith(OPERATION_PREFIX);
      const matches = startsWith(isOperation ? entries.operationId : entries.id, idOrPrefix);
      const found = select(and(committed, matches)).orderBy(entries.seq).all().map(toEntry);
      const nameOf = ({ id, operationId }: HistoryEntry) => (isOperation ? operationId : id);
      const exact = found.filter((entry) => nameOf(entry) === idOrPrefix);
      if (exact.length > 0) return exact;
      const names = new Set(found.map(nameOf));
      if (names.size > 1) throw ambiguous(idOrPrefix, names);
      if (names.size === 0) throw unknown(idOrPrefix);
      return found;
    },
    snapshot: (id) => {
      const { content, mode, size } = entries;
      const row = db
        .select({ content, mode, size })
        .from(entries)
        .where(and(committed, eq(entries.id, id)))
        .get();
      if (!row?.content || row.mode === null) return undefined;
      const isPacked = row.content.length !== row.size;
      return { content: isPacked ? inflateRawSync(row.content) : row.content, mode: row.mode };
    },
    clear: () =>
      recorded(() => {
        const { changes } = db.delete(entries).where(committed).run();
        sqlite.pragma('incremental_vacuum');
        return changes;
      }),
  };
}

/** Compared whole, so that no character of the prefix counts as a pattern. */
function startsWith(column: Column, prefix: string): SQL {
  return sql`substr(${column}, 1, ${prefix.length}) = ${prefix}`;
}

function toEntry({ size, beforeVersion, afterVersion, ...row }: Row): HistoryEntry {
  return {
    ...row,
    size: size ?? undefined,
    beforeVersion: beforeVersion ?? undefined,
    afterVersion: afterVersion ?? undefined,
  };
}

function ambiguous(prefix: string, names: ReadonlySet<string>): ToolError {
  const shown = [...names].slice(0, 5).join(', ');
  return new ToolError('invalid_args', `id ${prefix} is ambiguous: ${names.size} ids begin with it (${shown})`, {
    suggestion: 'give more characters of the id',
  });
}

function unknown(id: string): ToolError {
  return new ToolError('not_found', `no snapshot with id ${id.slice(0, 60)}`, {
    suggestion: 'use {"action":"list"} to see the ids',
  });
}
