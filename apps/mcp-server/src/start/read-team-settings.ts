import fs from 'node:fs';
import type { TeamSettings } from '../people/team-settings.ts';
import { asUsageError } from './usage-error.ts';

/** Reads the file that describes a team. Throws UsageError if it cannot be read, or is at fault. */
export async function readTeamSettings(file: string | undefined): Promise<TeamSettings> {
  if (file === undefined) return {};
  const { parseTeamSettings } = await import('../people/team-settings.ts');
  return asUsageError('--team', () => parseTeamSettings(fs.readFileSync(file, 'utf8')));
}
