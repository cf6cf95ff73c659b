import type { Session } from '@jinn/core';

const labels = new WeakMap<Session, string>();

/** Returns a name of the session for the operator. It is not the id, by which the session could be used. */
export function labelOf(session: Session): string {
  const label = labels.get(session) ?? crypto.randomUUID().slice(0, 8);
  labels.set(session, label);
  return label;
}
