import { type ToolContext, type ToolOutput, toSubject } from '@jinn/core';
import { type AskedCommand, askAboutCommand, decide, describeRisk } from './command-approval.ts';
import { resolveDirectory } from './launch-command.ts';
import { riskMeta } from './report.ts';

interface DryRunRequest extends AskedCommand {
  readonly force: boolean;
}

/** How a dangerous command can still run, by the operator's setting for dangerous commands. */
const WAYS = {
  force: '; it runs with force:true, or when the user approves it',
  ask: '; it runs when the user approves it',
  deny: '; dangerous commands are switched off here',
  allow: '',
} as const;

/**
 * Describes the effect of a call, and whether it would be refused. Throws the error of the call about its directory.
 */
export async function dryRun(asked: DryRunRequest, ctx: ToolContext): Promise<ToolOutput> {
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
    meta: { would_run: wouldRun, ...riskMeta(verdict) },
  };
}

async function isAllowed(asked: DryRunRequest, ctx: ToolContext): Promise<boolean> {
  const decision = decide(asked.verdict, { dangerous: ctx.dangerous, isForced: asked.force });
  if (decision !== 'ask') return decision === 'run';
  const question = await askAboutCommand(asked, ctx, { canForce: false });
  return (await (await ctx.grants()).find(toSubject('run_shell', question))) !== undefined;
}
