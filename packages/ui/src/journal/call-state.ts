import type { CallHead } from './journal-record.ts';

/** How far a call is, or how it ended. `died`: its process is gone. */
export type CallState = 'ok' | 'failed' | 'refused' | 'stopped' | 'died' | 'running';

const REFUSALS = new Set(['approval_required', 'command_blocked', 'permission_denied', 'path_outside_sandbox']);

/** Returns how far a call is. A command with another exit status than 0 has failed, though its call went well. */
export function callStateOf({ k, ok, code = '', exit = 0 }: CallHead): CallState {
  if (k === 'start') return 'running';
  if (ok) return exit === 0 ? 'ok' : 'failed';
  if (code === 'died') return 'died';
  if (code === 'canceled') return 'stopped';
  return REFUSALS.has(code) ? 'refused' : 'failed';
}

/** Reports whether a call is in a state or of a kind. One that was stopped or died has failed too. */
export function isOfKind(head: CallHead, kind: string): boolean {
  if (kind === 'changes') return head.operation !== undefined;
  if (kind === 'commands') return /^run_(shell|command)$/.test(head.tool) || head.exit !== undefined;
  const state = callStateOf(head);
  return state === kind || (kind === 'failed' && (state === 'stopped' || state === 'died'));
}
