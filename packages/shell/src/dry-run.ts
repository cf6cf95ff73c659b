import type { Classification } from '@jinn/bash';
import type { ToolContext, ToolOutput } from '@jinn/core';
import { decide, describeRisk, permissionFor } from './approval.ts';
import { resolveDirectory } from './launch.ts';
import { whyRisky } from './report.ts';

interface Asked {
  readonly command: string;
  readonly verdict: Classification;
  readonly force: boolean;
  readonly cwd: string | undefined;
}

/** How a dangerous command can still run, by how the operator treats dangerous commands. */
const WAYS = {
  force: '; it runs with force:true, or when the user approves it',
  ask: '; it runs when the user approves it',
  deny: '; dangerous commands are switched off here',
  allow: '',
} as const;

/** Says what a call would do, and whether it would be refused. Throws what the call would throw about its directory. */
export async function dryRun(asked: Asked, ctx: ToolContext): Promise<ToolOutput> {
  const { command, verdict, cwd } = asked;
  await resolveDirectory(cwd, ctx);
  const { dangerous = 'force' } = ctx;
  const wouldRun = await isAllowed(asked, ctx);
  const lines = [`[dry-run] would execute: ${command}`];
  if (!wouldRun) {
    const why = describeRisk(command, verdict);
    lines.push(`[dry-run] would be refused: ${why}${WAYS[dangerous]}`);
  }
  return {
    text: lines.join('\n'),
    risk: verdict.risk,
    classification: 'success',
    meta: { would_run: wouldRun, ...whyRisky(verdict) },
  };
}

async function isAllowed({ command, verdict, force }: Asked, ctx: ToolContext): Promise<boolean> {
  const decision = decide(verdict, { dangerous: ctx.dangerous, isForced: force });
  if (decision !== 'ask') return decision === 'run';
  const grants = await ctx.grants();
  return (await grants.find({ tool: 'run_shell', ...permissionFor(command), fingerprint: command })) !== undefined;
}
