import type { OperatorLog } from '@jinn/team/audit/operator-log';
import { findIsolation } from '@jinn/toolsets/machine/isolation';
import { createServerFactory, type ServerContext } from '../create-server.ts';
import { type Address, isEverywhere, isLoopback } from '../http/http-access.ts';
import { describeLack, type ServerReadiness } from '../http/probes.ts';
import { serveHttp } from '../http/serve-http.ts';
import type { McpServeOptions } from '../options.ts';
import type { openObservers } from '../telemetry/metrics.ts';
import type { Team } from './team-of-options.ts';
import { TOKEN, UsageError, untilStopped, warn } from './this-program.ts';

interface WebOptions extends Pick<McpServeOptions, 'allowHost' | 'allowOrigin'> {
  readonly address: Address;
  readonly log: OperatorLog;
  readonly observers: Awaited<ReturnType<typeof openObservers>>;
  readonly probe: ServerReadiness['database'];
  readonly people: NonNullable<Team['people']>;
}

/** Serves over HTTP until it is asked to stop. Throws UsageError if it cannot listen, or must not. */
export async function serveWeb(context: ServerContext, options: WebOptions): Promise<void> {
  const { address, allowHost, allowOrigin, log, probe } = options;
  const { identity, limits } = options.people;
  if (!identity.isNeeded && !isLoopback(address.host)) {
    throw new UsageError(
      `to listen beyond this machine, a bearer token is needed: jinn-mcp tokens create makes one, or set ${TOKEN}, or give --token-file`,
    );
  }
  const { reached: stop, again: stopNow } = untilStopped({ signals: ['SIGTERM', 'SIGINT'], withParent: false });
  const isolation = () => findIsolation(context.roots.machine);
  const onListen = (url: string) => {
    process.stderr.write(`jinn-mcp listens on ${url}\njinn-mcp: ${identity.describe()}\n`);
    void isolation().then((found) => {
      const lack = describeLack(found, identity.hasNamedPeople({ reload: true }));
      if (lack !== undefined) warn(lack);
    });
    if (!isEverywhere(address.host) || allowHost.length + identity.hosts.length > 0) return;
    process.stderr.write('clients are refused until --allow-host has the names by which they ask for this machine\n');
  };
  const { observer, metrics, close } = options.observers;
  try {
    await serveHttp(createServerFactory(context), {
      ...{ audit: context.audit, log, observer, metrics, limits },
      ...{ address, identity, allowHost, allowOrigin, stop, stopNow, onListen },
      readiness: { isolation, database: probe },
    });
    await close();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw code?.startsWith('E') ? new UsageError(`--http: ${message}`) : error;
  }
}
