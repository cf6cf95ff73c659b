import { beginWork, type SandboxMode } from '@jinn/core';
import { UsageError } from '@jinn/core/errors';
import { openRegistry } from '@jinn/toolsets';
import { openMachine } from '@jinn/toolsets/machine';
import { recordCalls } from '@jinn/ui/record-calls';
import type { ServerContext } from '../create-server.ts';
import type { McpServeOptions } from '../options.ts';
import { askerOf } from '../request-facts.ts';
import { createResults } from '../results/results.ts';
import { openRoots } from '../roots.ts';
import { serveStdio } from '../stdio/serve-stdio.ts';
import type { RequestObserver } from '../telemetry/request-observer.ts';
import type { Team } from './team-of-options.ts';
import {
  claimStandardOutput,
  findRoots,
  findState,
  logToStandardError,
  realDirectory,
  TOKEN,
  VERSION,
} from './this-program.ts';

const APPROVAL_KEY = 'JINN_MCP_APPROVAL_KEY';

/** Only the log is there for one person on standard input and output. */
type PartOfTeam = Partial<Team> & Pick<Team, 'log'>;

/** Serves until it is asked to stop. Throws UsageError for what the operator must fix. */
export async function runServer(options: McpServeOptions): Promise<void> {
  const { http, logFile, approvalKeyFile } = options;
  const stderrLog = logToStandardError();
  if (http === undefined && logFile === undefined && approvalKeyFile === undefined) {
    process.on('uncaughtException', stderrLog.failure);
    process.on('unhandledRejection', stderrLog.failure);
    return serve(options, { log: stderrLog });
  }
  const { openTeam } = await import('./team-of-options.ts');
  const team = await openTeam(options, stderrLog);
  await serve(options, team);
  await Promise.all([team.audit?.close(), team.people?.limits.close()]);
}

async function serve(options: McpServeOptions, team: PartOfTeam): Promise<void> {
  const { http: address } = options;
  const { log, people } = team;
  const observers = address && (await (await import('../telemetry/metrics.ts')).openObservers(process.env, VERSION));
  const context = await openServerContext(options, team, observers?.observer);
  beginWork();
  if (address && observers && people && team.auditLog) {
    const { shared, auditLog: audit } = team;
    observers.metrics.show({ running: people.limits.running, audit, database: shared?.figures });
    const { serveWeb } = await import('../http/serve-http.ts');
    await serveWeb(context, { ...options, address, observers, people, probe: shared?.probe, log });
  } else await serveStdio(context, log, { input: process.stdin, write: claimStandardOutput() });
}

/** Opens what all connections share: the workspaces, the tools, and what the operator has set. */
export async function openServerContext(
  options: McpServeOptions,
  { log, shared, audit, people, approvalKey: fromFile, ownFiles, createWorkspace }: PartOfTeam,
  observer: RequestObserver | undefined,
): Promise<ServerContext> {
  const { http } = options;
  const { [TOKEN]: _, [APPROVAL_KEY]: keyInVariable, ...environment } = process.env;
  const { home, directories } = findState();
  const sandbox = {
    mode: options.sandbox,
    // A file of tokens may get names while the server runs.
    get fallback(): SandboxMode {
      return people?.identity.hasNamedPeople({ reload: true }) ? 'require' : 'auto';
    },
  };
  const { allowed, apart } = findRoots(options.root);
  if (apart !== undefined && (options.worktrees || people?.identity.isNeeded !== true))
    throw new UsageError('--root: {person} needs --http, a way to sign in, and no --worktrees');
  const making = { create: createWorkspace, realDirectory, onFailure: log.failure };
  const rootOf =
    apart === undefined ? undefined : (await import('@jinn/team/people/own-roots')).openOwnRoots(apart, making);
  const roots = openRoots({
    allowed,
    rootOf,
    worktrees: options.worktrees,
    realDirectory,
    open: (root) =>
      openMachine({
        root,
        outputsOf: allowed[0],
        home,
        directories,
        ...(ownFiles && { ownFiles }),
        apart,
        servesSeveral: http !== undefined,
        environment,
        sandbox,
        log: log.line,
        sharedState: shared?.stateOf,
      }),
  });
  const registry = await openRegistry({ ...options, toolsets: options.toolset }, roots.machine, {
    version: VERSION,
    hides: ['overrides', 'forPrograms'],
    onInternalError: log.failure,
  });
  const approvalKey = fromFile ?? keyInVariable;
  checkApprovalKey(approvalKey, fromFile === undefined ? APPROVAL_KEY : '--approval-key-file');
  const isOneOfSeveral = shared !== undefined || approvalKey !== undefined;
  const program = http === undefined ? 'jinn-mcp' : 'jinn-mcp --http';
  const host = () => process.getBuiltinModule('node:os').hostname();
  return {
    name: options.toolset.join() === 'jinni' ? 'jinni' : 'jinn',
    version: VERSION,
    registry,
    call: recordCalls(registry.call, { directories, program }),
    results: createResults((ctx) => roots.machineOf(undefined, askerOf(ctx).person).spill),
    onInternalError: log.failure,
    server: http && isOneOfSeveral ? `${host()}:${http.port}` : undefined,
    audit,
    limits: people?.limits,
    observer,
    roots,
    dangerous: options.dangerous,
    maxResult: options.maxResult && options.maxResult * 1024,
    remembers: http === undefined,
    approvalKey,
    showsVisualizations: options.visualize,
    servesViews: options.views,
    client: process.env['JINN_CLIENT'],
  };
}

function checkApprovalKey(key: string | undefined, source: string): void {
  if (key !== undefined && !/^[\w.~+/=-]{16,}$/.test(key))
    throw new UsageError(`${source}: the key must have 16 or more letters, digits and ._~+/=-`);
}
