import { posix } from 'node:path';
import { isWithin } from '@jinn/workspace';
import { realPath } from '../index.ts';
import type { ServerConfinement } from './confinement.ts';
import { secretPlaces } from './view/sandbox-places.ts';

export interface HiddenPlace {
  readonly place: string;
  /** How the user makes it visible, or undefined if no setting shows it. */
  readonly cure: string | undefined;
}

/**
 * Returns the place that hides a path from servers, or undefined if they see it. Security: for a path in a secret place,
 * the result does not depend on whether it exists.
 */
export function findHiddenPlace(path: string, { root, policy }: ServerConfinement): HiddenPlace | undefined {
  const present = realPath(path);
  const real = present ?? posix.normalize(path);
  if (isWithin(real, root)) return undefined;
  if (process.platform === 'linux' && isWithin(real, '/tmp'))
    return present === undefined ? undefined : { place: '/tmp', cure: undefined };
  const place = secretPlaces(policy).find((secret) => isWithin(real, secret));
  if (place === undefined) return undefined;
  const { home, hidden, state, ownFiles = [] } = policy;
  const shown = home !== undefined && place.startsWith(`${home}/`) ? `~${place.slice(home.length)}` : place;
  const isAmong = (places: readonly string[]) => places.some((other) => realPath(other) === place);
  if (isAmong([...state, ...ownFiles])) return { place: shown, cure: undefined };
  const cure = isAmong(hidden)
    ? `take ${shown} out of sandbox.hidden in config.json`
    : `add ${JSON.stringify(shown)} to sandbox.shown in config.json`;
  return { place: shown, cure };
}
