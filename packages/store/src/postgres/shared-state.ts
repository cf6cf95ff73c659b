import type { Grants } from '@jinn/tool';
import { grantsOver } from '../open-grants.ts';
import { ownedBy } from '../owned-by.ts';
import { openPostgres } from './open-postgres.ts';

interface SharedStateOptions {
  /** The database, as `postgres://user@host/name`. */
  readonly url: string;
  /** What all servers of a workspace call it. Its path and its directory differ from machine to machine. */
  readonly workspace: string;
}

/** What several servers of a workspace share. */
interface SharedState {
  /** The remembered approvals of a person in a root, and the answers that were used in all of them. */
  grantsOf(root: string, person: string): Promise<Grants>;
}

/** Opens what several servers share; connects when something of it is first needed. */
export function openSharedState({ url, workspace }: SharedStateOptions): SharedState {
  const statements = openPostgres(url);
  return {
    grantsOf: async (root, person) =>
      grantsOver({
        open: async () => statements,
        exists: () => true,
        place: () => ownedBy(person, `/${workspace}${root}`),
        takeWarnings: () => [],
      }),
  };
}
