import type { Classification } from '@jinn/bash';
import { type DangerPolicy, type Question, type RefusalReason, ToolError } from '@jinn/core';
import { whyRisky } from './report.ts';

/** What the answer "always" permits: this very command. */
export function permissionFor(command: string) {
  return { type: 'dangerous_command', key: command };
}

/** Says what makes a command risky, and where: `dangerous — removes files — irreversible (in: rm a)`. */
export function describeRisk(command: string, { risk, reason, part }: Classification): string {
  const where = part === undefined || part === command.trim() ? '' : ` (in: ${part})`;
  return `${risk} — ${reason}${where}`;
}

/**
 * Decides what becomes of a command before it runs: it runs, a person is asked, or it is refused. `isForced` is true if
 * the agent asked to run it all the same.
 */
export function decide(
  { risk }: Classification,
  { dangerous = 'force', isForced }: { dangerous: DangerPolicy | undefined; isForced: boolean },
): 'run' | 'ask' | 'refuse' {
  if (risk !== 'dangerous' || dangerous === 'allow' || (dangerous === 'force' && isForced)) return 'run';
  return dangerous === 'deny' ? 'refuse' : 'ask';
}

/** Makes the question whether a dangerous command may run. `canForce` is true if the agent may override the refusal. */
export function askToRun(command: string, verdict: Classification, { canForce }: { canForce: boolean }): Question {
  return {
    message: `Run this command? It ${verdict.reason}.\n\n${command}`,
    permission: permissionFor(command),
    refusal: (cause) => refuse(command, verdict, cause === 'nobody' && canForce ? FORCE : REFUSALS[cause]),
  };
}

/** Makes the refusal of a dangerous command where the operator has switched all of them off. */
export function refuseDangerous(command: string, verdict: Classification): ToolError {
  return refuse(command, verdict, DENIED);
}

type Words = readonly [message: string, suggestion: string];

function refuse(command: string, verdict: Classification, [message, suggestion]: Words): ToolError {
  const details = { risk: verdict.risk, meta: whyRisky(verdict) };
  return new ToolError('command_blocked', `${message}: ${describeRisk(command, verdict)}`, { suggestion, details });
}

const REFUSALS: Readonly<Record<RefusalReason, Words>> = {
  denied: ['declined by the user', 'do not try it another way; ask the user what to do instead'],
  unanswered: ['not approved: the user did not answer', 'ask the user what to do'],
  nobody: ['blocked: a person must approve it, and nobody can be asked here', 'use a less destructive command'],
};
const FORCE: Words = [
  'blocked by risk classifier',
  'pass force:true in args to override, or use a less-destructive command',
];
const DENIED: Words = ['blocked: dangerous commands are switched off here', 'use a less destructive command'];
