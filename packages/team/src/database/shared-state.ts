import { setTimeout as sleep } from 'node:timers/promises';
import type { Grants, Memory } from '@jinn/core';
import { GLOBAL_SCOPE, scopeFinder } from '@jinn/store/memory/find-scope';
import { memoryOver } from '@jinn/store/memory/memory-over';
import { grantsOver } from '@jinn/store/open-grants';
import { ownedBy, placeOf, type StateOfPerson, type StateOwner } from '@jinn/store/state-owner';
import { type Statements, toKeys } from '@jinn/store/statements';
import { auditInDatabase } from '../audit/audit-in-database.ts';
import type { AuditLog } from '../audit/operator-log.ts';
import type { ShareUse } from '../limits/person-limits.ts';
import { type DatabaseTokens, tokensInDatabase } from '../people/database-tokens.ts';
import { type DatabaseFigures, openPostgres } from './open-postgres.ts';
import { useInDatabase } from './shared-use.ts';

/** Probes of a server usually wait a second. */
const PROBE_MS = 500;
const SILENT = 'does not answer';

export interface SharedDatabase {
  stateOf(owner: StateOwner): StateOfPerson;
  readonly tokens: DatabaseTokens;
  audit(onFailure: (error: unknown) => void): AuditLog;
  /** Shares use with other servers. `server` names this one. */
  useAt(server: string): ShareUse;
  /** Reports within half a second whether the database answers. It is ready once it has answered with the right schema. */
  probe(): Promise<{ readonly isReady: boolean; readonly text: string }>;
  figures(): DatabaseFigures;
  /** Makes the tables, and returns the version of the schema. Throws `unavailable` or `write_failed`. */
  migrate(): Promise<number>;
}

/** Opens a database at its first use. `workspace` is its name on all servers, whose paths differ. */
export function openSharedState({
  url,
  workspace,
  audit_days: days,
}: {
  readonly url: string;
  readonly workspace: string;
  readonly audit_days?: number | undefined;
}): SharedDatabase {
  const statements = openPostgres(url);
  return {
    stateOf: (owner) => ({
      grants: async () => grantsIn(statements, workspace, owner),
      memory: async () => memoryIn(statements, workspace, owner),
      history: async () => {
        const { openSharedHistory } = await import('./shared-history.ts');
        return openSharedHistory(statements, `/${workspace}${owner.root}`, owner);
      },
    }),
    tokens: tokensInDatabase(statements, workspace),
    useAt: (server) => useInDatabase(statements, workspace, server),
    audit: (onFailure) => auditInDatabase(statements, { workspace, days, onFailure }),
    probe: prober(statements),
    figures: statements.figures,
    migrate: async () =>
      ((await statements.read('SELECT version FROM jinn_schema')) as { version: number }[])[0]?.version ?? 0,
  };
}

// Probes that come at once share a query.
function prober(statements: Statements): SharedDatabase['probe'] {
  let asked: Promise<string> | undefined;
  let isReady = false;
  let fault = SILENT;
  const ask = async () => {
    try {
      await statements.read('SELECT 1');
      [isReady, fault] = [true, SILENT];
      return 'answers';
    } catch (error) {
      fault = (error as Error).message.replace(/^the team's database /, '');
      return fault;
    } finally {
      asked = undefined;
    }
  };
  return async () => {
    asked ??= ask();
    const text = await Promise.race([asked, sleep(PROBE_MS, undefined, { ref: false })]);
    return { isReady, text: text ?? fault };
  };
}

function grantsIn(statements: Statements, workspace: string, { root, person }: StateOwner): Grants {
  return grantsOver({
    open: async () => statements,
    exists: () => true,
    person,
    place: () => `/${workspace}${root}`,
    takeWarnings: () => [],
  });
}

// A scope is kept as its path after the name of the workspace. "global" is for all projects of the workspace.
function memoryIn(statements: Statements, workspace: string, { root, person, directory }: StateOwner): Memory {
  const { find, takeWarnings } = scopeFinder(directory, root);
  const global = `/${workspace}:${GLOBAL_SCOPE}`;
  const start = `/${workspace}/`;
  return memoryOver({
    statements,
    exists: () => true,
    findScope: find,
    takeWarnings,
    start: ownedBy(person, `/${workspace}`),
    nameOf: (scope) => ownedBy(person, scope === GLOBAL_SCOPE ? global : `/${workspace}${scope}`),
    scopeOf: (name) => {
      const place = placeOf(person, name);
      if (place === global) return GLOBAL_SCOPE;
      return place?.startsWith(start) ? place.slice(start.length - 1) : undefined;
    },
    search: async (name, words) => {
      const { toSharedSearch } = await import('./search-shared-memories.ts');
      return toKeys(await statements.read(...toSharedSearch(name, words)));
    },
  });
}
