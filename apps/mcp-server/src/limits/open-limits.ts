import type { Limits } from '../people/team-settings.ts';
import { createPersonLimits, type PersonLimits } from './person-limits.ts';

/** Opens what each person may use, and says what of it this system cannot hold. */
export async function openLimits(limits: Limits, warn: (line: string) => void): Promise<PersonLimits> {
  const { memory_mb, cpus, processes } = limits;
  if (memory_mb === undefined && cpus === undefined && processes === undefined) {
    return createPersonLimits(limits, () => undefined);
  }
  const { openControlGroups } = await import('./control-groups.ts');
  const groups = openControlGroups(limits);
  if ('why' in groups) warn(`memory, cpus and processes of commands have no limits here: ${groups.why}`);
  return createPersonLimits(limits, 'why' in groups ? () => undefined : groups.groupOf);
}
