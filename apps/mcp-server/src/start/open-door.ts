import type { SandboxMode } from '@jinn/core';
import type { SharedDatabase } from '@jinn/store/postgres';
import { openRegistry } from '@jinn/toolsets';
import { openMachine } from '@jinn/toolsets/machine';
import { recordCalls } from '@jinn/ui/record-calls';
import type { Audit } from '../audit/audit.ts';
import type { Door } from '../create-server.ts';
import { ownFilesOf } from '../isolation/own-files.ts';
import type { Log } from '../log.ts';
import type { ServeOptions } from '../options.ts';
import { askerOf } from '../people/asker.ts';
import type { Identity } from '../people/identity.ts';
import type { TeamSettings } from '../people/team-settings.ts';
import { createResults } from '../results/results.ts';
import { openRoots } from '../roots.ts';
import { findRoot, findState, realDirectory } from './find-places.ts';
import { APPROVAL_KEY, findApprovalKey, TOKEN } from './read-secrets.ts';
import { asUsageError } from './usage-error.ts';
import { VERSION } from './version.ts';

/** What a team shares, and the description of it. */
export interface Team {
  readonly settings: TeamSettings;
  readonly shared: SharedDatabase | undefined;
  readonly audit: Audit;
}

/** Opens what all connections share: the workspaces, the tools, and what the operator has set. */
export async function openDoor(
  options: ServeOptions,
  { settings, shared, audit, identity }: Team & { readonly identity: Identity | undefined },
  log: Log,
): Promise<Door> {
  const { [TOKEN]: _, [APPROVAL_KEY]: __, ...environment } = process.env;
  const { home, directories } = findState();
  const sandbox = {
    mode: options.sandbox,
    // A file of tokens may get names while the server runs.
    get fallback(): SandboxMode {
      return identity?.hasNames() ? 'require' : 'auto';
    },
  };
  const allowed = [...new Set(options.root.map(findRoot))];
  const kept = { ...options, database: settings.database, passwordFile: process.env['PGPASSFILE'] };
  const ownFiles = await asUsageError('', () => ownFilesOf(kept, { roots: allowed, home }));
  const roots = openRoots({
    allowed,
    worktrees: options.worktrees,
    realDirectory,
    open: (root) =>
      openMachine({
        root,
        outputsOf: allowed[0],
        home,
        directories,
        ownFiles,
        servesSeveral: options.http !== undefined,
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
  const approvalKey = findApprovalKey(options.approvalKeyFile);
  const isOneOfSeveral = shared !== undefined || approvalKey !== undefined;
  return {
    name: options.toolset.join() === 'jinni' ? 'jinni' : 'jinn',
    version: VERSION,
    registry,
    call: recordCalls(registry.call, {
      directories,
      program: options.http === undefined ? 'jinn-mcp' : 'jinn-mcp --http',
    }),
    results: createResults((ctx) => roots.machineOf(undefined, askerOf(ctx).person).spill),
    server:
      options.http && isOneOfSeveral
        ? `${process.getBuiltinModule('node:os').hostname()}:${options.http.port}`
        : undefined,
    audit,
    limits: undefined,
    turns: undefined,
    observer: undefined,
    roots,
    dangerous: options.dangerous,
    maxResult: options.maxResult && options.maxResult * 1024,
    remembers: options.http === undefined,
    approvalKey,
    showsVisualizations: options.visualize,
    servesViews: options.views,
    client: process.env['JINN_CLIENT'],
  };
}
