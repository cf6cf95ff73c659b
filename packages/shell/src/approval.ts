import type { Classification } from '@jinn/bash';
import { type Question, type RefusalReason, ToolError } from '@jinn/core';
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

/** The question whether a dangerous command may run. Where nobody can be asked, the refusal is that of the tool's page. */
export function askToRun(command: string, verdict: Classification): Question {
  const details = { risk: verdict.risk, meta: whyRisky(verdict) };
  return {
    message: `Run this command? It ${verdict.reason}.\n\n${command}`,
    permission: permissionFor(command),
    refusal: (cause) => {
      const [message, suggestion] = REFUSALS[cause];
      return new ToolError('command_blocked', `${message}: ${describeRisk(command, verdict)}`, { suggestion, details });
    },
  };
}

const REFUSALS: Readonly<Record<RefusalReason, readonly [message: string, suggestion: string]>> = {
  denied: ['declined by the user', 'do not try it another way; ask the user what to do instead'],
  unanswered: ['not approved: the user did not answer', 'ask the user what to do'],
  nobody: ['blocked by risk classifier', 'pass force:true in args to override, or use a less-destructive command'],
};
