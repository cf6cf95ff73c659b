import { setTimeout as sleep } from 'node:timers/promises';
import type { Grants, Memory } from '@jinn/core';
import { GLOBAL_SCOPE, scopeFinder } from '@jinn/store/memory/find-scope';
import { memoryOver, toKeys } from '@jinn/store/memory/memory-over';
import { grantsOver } from '@jinn/store/open-grants';
import { ownedBy, placeOf } from '@jinn/store/owned-by';
import type { StateOfPerson, StateOwner } from '@jinn/store/state-owner';
import type { Statements } from '@jinn/store/statements';
import { auditInDatabase } from '../audit/audit-in-database.ts';
import type { AuditLog } from '../audit/operator-log.ts';
import { type DatabaseTokens, tokensInDatabase } from '../people/database-tokens.ts';
import { openPostgres } from './open-postgres.ts';

/** Probes of a server usually wait a second. */
const PROBE_MS = 500;

export interface SharedDatabase {
  stateOf(owner: StateOwner): StateOfPerson;
  readonly tokens: DatabaseTokens;
  audit(onFailure: (error: unknown) => void): AuditLog;
  /** Reports whether the database answers, within half a second. */
  answers(): Promise<boolean>;
}

/**
 * Opens the database at a URL such as `postgres://user@host/name`; connects when it is first needed. `workspace` is its name on all
 * servers: its path differs from machine to machine.
 */
export function openSharedState({
  url,
  workspace,
}: {
  readonly url: string;
  readonly workspace: string;
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
    audit: (onFailure) => auditInDatabase(statements, { workspace, onFailure }),
    answers: probe(statements),
  };
}

/** Returns a health probe. Concurrent callers share one query. */
function probe(statements: Statements): () => Promise<boolean> {
  let asked: Promise<boolean> | undefined;
  const ask = async () => {
    try {
      await statements.read('SELECT 1');
      return true;
    } catch {
      return false;
    } finally {
      asked = undefined;
    }
  };
  return () => {
    asked ??= ask();
    return Promise.race([asked, sleep(PROBE_MS, false, { ref: false })]);
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

// A scope is kept as its path after the name of the workspace; "global" is for all projects of the workspace.
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
    explain: (cause) => cause as Error,
  });
}
