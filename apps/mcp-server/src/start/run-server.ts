import { beginWork } from '@jinn/core';
import { createAudit } from '../audit/audit.ts';
import { openAuditLog } from '../audit/open-audit-log.ts';
import { openLog } from '../audit/open-log.ts';
import type { Log } from '../log.ts';
import type { ServeOptions } from '../options.ts';
import type { Identity } from '../people/identity.ts';
import { openShared } from '../people/open-shared.ts';
import { serveStdio } from '../stdio/serve-stdio.ts';
import { findRoot, ownTokenFile } from './find-places.ts';
import { openDoor, type Team } from './open-door.ts';
import { TOKEN } from './read-secrets.ts';
import { readTeamSettings } from './read-team-settings.ts';
import { serveWeb } from './serve-web.ts';
import { asUsageError, reasonOf } from './usage-error.ts';
import { claimStandardOutput, warn } from './write.ts';

/** Serves until it is told to stop. Throws UsageError for what the operator must mend. */
export async function runServer(options: ServeOptions): Promise<void> {
  const log = await asUsageError('--log-file', () => openLog(options.logFile));
  process.on('uncaughtException', log.failure);
  process.on('unhandledRejection', log.failure);
  const settings = await readTeamSettings(options.team);
  const shared = await openShared(settings);
  const auditLog = await openAuditLog(log, settings, { shared, root: findRoot(options.root[0] ?? '.') });
  const audit = createAudit(auditLog, options.logArgs, options.dangerous);
  shared?.tokens.list().catch((error: Error) => log.line(`${error.message}${reasonOf(error)}`));
  const { http: address } = options;
  const identity = address && (await openPeople(options, { settings, shared, audit }, log));
  if (identity) log.keepWhile(identity.hasNames, identity.hadNames);
  else log.rotate();
  const door = await openDoor(options, { settings, shared, audit, identity }, log);
  beginWork();
  if (address && identity) await serveWeb(door, log, { ...options, address, identity, settings, shared });
  else await serveStdio(door, log, { input: process.stdin, write: claimStandardOutput() });
  await audit.close();
  log.flush();
}

async function openPeople({ tokenFile }: ServeOptions, { audit, ...team }: Team, log: Log): Promise<Identity> {
  const { openIdentity } = await import('../people/open-identity.ts');
  const tokens = process.env[TOKEN];
  const given = { tokenFile, tokens, ownTokenFile: ownTokenFile() };
  return asUsageError('', () =>
    openIdentity({ ...team, ...given, onFailure: log.failure, onToken: audit.token, warn }),
  );
}
