import type { OperatorLog } from '@jinn/team/audit/operator-log';
import type { SharedDatabase } from '@jinn/team/database/shared-state';
import { openLimits } from '@jinn/team/limits/person-limits';
import type { Identity } from '@jinn/team/people/identity';
import type { TeamSettings } from '@jinn/team/people/team-settings';
import { findIsolation } from '@jinn/toolsets/machine/isolation';
import { createServerFactory, type ServerContext } from '../create-server.ts';
import { type Address, isEverywhere, isLoopback } from '../http/http-address.ts';
import { describeLack } from '../http/probes.ts';
import { serveHttp } from '../http/serve-http.ts';
import type { McpServeOptions } from '../options.ts';
import { openObservers } from '../telemetry/metrics.ts';
import { untilStopped } from '../until-stopped.ts';
import { TOKEN, UsageError, VERSION, warn } from './this-program.ts';

interface WebOptions extends Pick<McpServeOptions, 'allowHost' | 'allowOrigin'> {
  readonly address: Address;
  readonly identity: Identity;
  readonly settings: TeamSettings;
  readonly shared: SharedDatabase | undefined;
  readonly log: OperatorLog;
}

/** Serves over HTTP until it is told to stop. Throws UsageError if it cannot listen, or must not. */
export async function serveWeb(context: ServerContext, options: WebOptions): Promise<void> {
  const { address, identity, settings, shared, allowOrigin, log } = options;
  const limits = settings.limits && (await openLimits(settings.limits, warn));
  if (!identity.isNeeded && !isLoopback(address.host)) {
    throw new UsageError(
      `to listen beyond this machine, a bearer token is needed: jinn-mcp tokens create makes one, or set ${TOKEN}, or give --token-file`,
    );
  }
  const allowHost = [...options.allowHost, ...(settings.openid ? [new URL(settings.openid.resource).hostname] : [])];
  const { reached: stop, again: stopNow } = untilStopped({ signals: ['SIGTERM', 'SIGINT'], withParent: false });
  const isolation = () => findIsolation(context.roots.machine);
  const onListen = (url: string) => {
    process.stderr.write(`jinn-mcp listens on ${url}\njinn-mcp: ${identity.describe()}\n`);
    void isolation().then((found) => {
      const lack = describeLack(found, identity.hasNamedPeople({ reload: true }));
      if (lack !== undefined) warn(lack);
    });
    if (!isEverywhere(address.host) || allowHost.length > 0) return;
    process.stderr.write('clients are refused until --allow-host has the names by which they ask for this machine\n');
  };
  const { observer, metrics, close } = await openObservers(process.env, VERSION);
  try {
    await serveHttp(createServerFactory({ ...context, limits, observer }), {
      ...{ audit: context.audit, log, observer, metrics, sessionsEach: limits?.sessions ?? Infinity },
      ...{ address, identity, allowHost, allowOrigin, stop, stopNow, onListen },
      readiness: { isolation, hasDatabase: shared?.answers },
    });
    await close();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw code?.startsWith('E') ? new UsageError(`--http: ${message}`) : error;
  }
}
