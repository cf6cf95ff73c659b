import type { SharedDatabase } from '@jinn/store/postgres';
import type { TeamSettings } from './team-settings.ts';

/** Opens what several servers of a team share; undefined if they share nothing. Only then is the driver of the database loaded. */
export async function openShared({ database }: TeamSettings): Promise<SharedDatabase | undefined> {
  if (database === undefined) return undefined;
  const { openSharedState } = await import('@jinn/store/postgres');
  return openSharedState(database);
}
