import { findIsolation } from '@jinn/toolsets/machine/isolation';
import { createServerFactory, type Door } from '../create-server.ts';
import { type Address, isEverywhere, isLoopback } from '../http/http-address.ts';
import { describeLack } from '../isolation/describe-isolation.ts';
import type { Log } from '../log.ts';
import type { ServeOptions } from '../options.ts';
import type { Identity } from '../people/identity.ts';
import { untilStopped } from '../until-stopped.ts';
import type { Team } from './open-door.ts';
import { TOKEN } from './read-secrets.ts';
import { UsageError } from './usage-error.ts';
import { VERSION } from './version.ts';
import { warn } from './write.ts';

type WebOptions = Pick<ServeOptions, 'allowHost' | 'allowOrigin'> &
  Omit<Team, 'audit'> & { readonly address: Address; readonly identity: Identity };

/** Serves over HTTP until it is told to stop. Throws UsageError if it cannot listen, or must not. */
export async function serveWeb(door: Door, log: Log, options: WebOptions): Promise<void> {
  const { address, identity, settings, shared } = options;
  const { serveHttp } = await import('../http/serve-http.ts');
  const limits =
    settings.limits && (await (await import('../limits/open-limits.ts')).openLimits(settings.limits, warn));
  if (!identity.isNeeded && !isLoopback(address.host)) {
    throw new UsageError(
      `to listen beyond this machine, a bearer token is needed: jinn-mcp tokens create makes one, or set ${TOKEN}, or give --token-file`,
    );
  }
  const { allowOrigin } = options;
  const allowHost = [...options.allowHost, ...(settings.openid ? [new URL(settings.openid.resource).hostname] : [])];
  const { reached: stop, again: stopNow } = untilStopped({ signals: ['SIGTERM', 'SIGINT'], withParent: false });
  const isolation = () => findIsolation(door.roots.machine);
  const warnOfLack = async () => {
    const lack = describeLack(await isolation(), identity.hasNames());
    if (lack !== undefined) warn(lack);
  };
  const onListen = (url: string) => {
    process.stderr.write(`jinn-mcp listens on ${url}\njinn-mcp: ${identity.describe()}\n`);
    void warnOfLack();
    if (!isEverywhere(address.host) || allowHost.length > 0) return;
    process.stderr.write('clients are refused until --allow-host has the names by which they ask for this machine\n');
  };
  try {
    const { audit } = door;
    const { openObservers } = await import('../telemetry/open-observers.ts');
    const { observer, metrics, close } = await openObservers(process.env, VERSION);
    const readiness = { isolation, hasDatabase: shared?.answers };
    const seen = { audit, log, observer, metrics, sessionsEach: limits?.sessions ?? Infinity };
    const { Turns } = await import('../limits/turns.ts');
    const given = { ...seen, address, identity, readiness, allowHost, allowOrigin, stop, stopNow, onListen };
    await serveHttp(createServerFactory({ ...door, limits, observer, turns: new Turns() }), given);
    await close();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw code?.startsWith('E') ? new UsageError(`--http: ${message}`) : error;
  }
}
