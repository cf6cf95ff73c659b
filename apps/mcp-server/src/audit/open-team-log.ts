import { openShared } from '../people/open-shared.ts';
import type { TeamSettings } from '../people/team-settings.ts';
import { openAuditLog } from './open-audit-log.ts';
import { openLog } from './open-log.ts';

/** Opens, for a command, the state that a team shares, and the audit log, if there is one, that gets who did what. */
export async function openTeamLog(settings: TeamSettings, root: string) {
  const shared = await openShared(settings);
  const log = await openAuditLog(openLog(undefined), settings, { shared, root });
  const by = process.getuid?.();
  /** Records an event. Throws `unavailable` if it cannot be written: then it must not be done. */
  const record = async (event: string, facts: object) => log?.assure(event, { ...facts, by });
  return { shared, record };
}
