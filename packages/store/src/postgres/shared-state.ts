import { setTimeout as sleep } from 'node:timers/promises';
import type { Grants, Memory } from '@jinn/core';
import type { History } from '@jinn/workspace';
import type { HistoryLimits } from '../history/open-history.ts';
import { GLOBAL_SCOPE, scopeFinder } from '../memory/find-scope.ts';
import { memoryOver, toKeys } from '../memory/memory-over.ts';
import { grantsOver } from '../open-grants.ts';
import { ownedBy, placeOf } from '../owned-by.ts';
import type { Statements } from '../statements.ts';
import { openPostgres } from './open-postgres.ts';
import { type AuditTable, auditIn } from './shared-audit.ts';
import { type TokenTable, tokensIn } from './shared-tokens.ts';

/** Whoever asks whether the server is ready waits a second, as a rule. */
const PROBE_MS = 500;

interface SharedStateOptions {
  /** The database, as `postgres://user@host/name`. */
  readonly url: string;
  /** What all servers of a workspace call it. Its path and its directory differ from machine to machine. */
  readonly workspace: string;
}

/** Whose state, and where. */
export interface StateOwner {
  /** The real path of the workspace root. */
  readonly root: string;
  /** The name of the person; empty for one without a name. */
  readonly person: string;
  /** The state directory of this server; undefined if there is none. */
  readonly directory: string | undefined;
  /** What the undo history keeps; the usual if absent. */
  readonly limits?: HistoryLimits;
}

/** Opens what several servers share of a person's state. */
export interface SharedState {
  grants(): Promise<Grants>;
  memory(): Promise<Memory>;
  history(): Promise<History>;
}

/** What several servers of a workspace share. */
export interface SharedDatabase {
  stateOf(owner: StateOwner): SharedState;
  readonly tokens: TokenTable;
  readonly audit: AuditTable;
  /** Reports whether the database answers, within half a second. */
  answers(): Promise<boolean>;
}

/** Opens what several servers of a workspace share; connects when something of it is first needed. */
export function openSharedState({ url, workspace }: SharedStateOptions): SharedDatabase {
  const statements = openPostgres(url);
  return {
    stateOf: (owner) => ({
      grants: async () => grantsIn(statements, workspace, owner),
      memory: async () => memoryIn(statements, workspace, owner),
      history: async () => {
        const { openSharedHistory } = await import('./shared-history.ts');
        return openSharedHistory(statements, { ...owner, workspace: `/${workspace}${owner.root}` });
      },
    }),
    tokens: tokensIn(statements, workspace),
    audit: auditIn(statements, workspace),
    answers: probe(statements),
  };
}

/** Makes what asks the database whether it answers. Who asks meanwhile shares the question. */
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

/** Makes the memory of a person. A scope is kept as its path behind the name of the workspace; "global" holds for all projects of the workspace. */
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
