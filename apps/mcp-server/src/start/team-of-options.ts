import fs from 'node:fs';
import os from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import { type Audit, createAudit } from '@jinn/team/audit/audit';
import { type LogFile, type OperatorLog, openLogFile } from '@jinn/team/audit/operator-log';
import type { SharedDatabase } from '@jinn/team/database/shared-state';
import { openLimits, type PersonLimits } from '@jinn/team/limits/person-limits';
import { readSecretFile } from '@jinn/team/named-file';
import { openAuditLog, openShared } from '@jinn/team/open-team';
import { ownFilesOf } from '@jinn/team/own-files';
import { type ChangingIdentity, openIdentity } from '@jinn/team/people/identity';
import { parseTeamSettings, type TeamSettings } from '@jinn/team/people/team-settings';
import type { McpServeOptions } from '../options.ts';
import {
  asUsageError,
  databaseReasonOf,
  describeError,
  findRoots,
  findState,
  ownTokenFile,
  TOKEN,
  warn,
} from './this-program.ts';

/** The additional parts of a server for several users, or of one with a log or a key. */
export type Team = Awaited<ReturnType<typeof openTeam>>;

/** Reads the settings of a team. Throws UsageError if they cannot be read, or are wrong. */
export async function readTeamSettings(file: string | undefined): Promise<TeamSettings> {
  if (file === undefined) return {};
  return asUsageError('--team', () => parseTeamSettings(fs.readFileSync(file, 'utf8')));
}

/** Opens what the options name. `stderrLog` is the log without a file. Throws UsageError for what the operator must fix. */
export async function openTeam(options: McpServeOptions, stderrLog: OperatorLog) {
  const { http, logFile, approvalKeyFile } = options;
  const file =
    logFile === undefined ? undefined : await asUsageError('--log-file', () => openLogFile(logFile, describeError));
  const log = file ?? stderrLog;
  process.on('uncaughtException', log.failure);
  process.on('unhandledRejection', log.failure);
  const settings = await readTeamSettings(options.team);
  const shared = await openShared(settings);
  const { allowed: roots } = findRoots(options.root);
  const auditLog = openAuditLog(settings, { file, shared, root: roots[0] ?? '.', onFailure: log.failure });
  const audit = createAudit(auditLog, options.logArgs, options.dangerous);
  shared?.tokens.list().catch((error: Error) => log.line(`${error.message}${databaseReasonOf(error)}`));
  const people = http && (await openPeople(options, { settings, shared, audit, log }));
  if (people) onHangUp(options, { ...people, settings, log, file });
  file?.rotate(people?.identity.hasNamedPeople);
  const passwordFile = process.env['PGPASSFILE'];
  const named = { ...options, isHttp: http !== undefined, database: settings.database, passwordFile };
  const ownFiles = await asUsageError('', () => ownFilesOf(named, { roots, home: findState().home }));
  const approvalKey =
    approvalKeyFile === undefined
      ? undefined
      : await asUsageError('', () => readSecretFile(approvalKeyFile, '--approval-key-file', warn));
  const createWorkspace = settings.create_workspace;
  return { log, shared, audit, auditLog, people, approvalKey, ownFiles, createWorkspace };
}

interface Opened {
  readonly settings: TeamSettings;
  readonly shared: SharedDatabase | undefined;
  readonly audit: Audit;
  readonly log: OperatorLog;
}

async function openPeople({ tokenFile, http }: McpServeOptions, { settings, shared, audit, log }: Opened) {
  const onToken: Audit['token'] = (change, token) => audit.token(change, token);
  const given = { tokenFile, tokens: process.env[TOKEN], ownTokenFile: ownTokenFile(), shared: shared?.tokens };
  const identity = await asUsageError('', () =>
    openIdentity({ settings, ...given, onFailure: log.failure, onToken, warn }),
  );
  const server = `${os.hostname()}:${http?.port || process.pid}`;
  const limits = await openLimits(settings.limits ?? {}, { server, share: shared?.useAt(server), warn });
  return { identity, limits };
}

interface HangUp {
  readonly settings: TeamSettings;
  readonly log: OperatorLog;
  readonly file: LogFile | undefined;
  readonly identity: ChangingIdentity;
  readonly limits: PersonLimits;
}

// At SIGHUP a new log file starts, and the settings are read again. A server with neither ends, as if it did not listen.
function onHangUp({ team }: McpServeOptions, { settings, log, file, identity, limits }: HangUp): void {
  if (team === undefined && file === undefined) return;
  let current = settings;
  const reload = async () => {
    try {
      file?.reopen();
    } catch (error) {
      log.failure(error);
    }
    if (team === undefined) return;
    try {
      const next = await readTeamSettings(team);
      if (!isDeepStrictEqual(fixedPartOf(next), fixedPartOf(current)))
        throw new Error('the database, create_workspace, memory_mb, cpus and processes can change only at a start');
      await identity.change(next);
      limits.change(next.limits ?? {});
      current = next;
      log.line('the settings were read again');
    } catch (error) {
      log.line(`the settings stay as they were: ${(error as Error).message}`);
    }
  };
  let last = Promise.resolve();
  const listener = () => {
    if (team !== undefined || identity.hasNamedPeople({ reload: true })) {
      last = last.then(reload);
      return;
    }
    process.off('SIGHUP', listener);
    process.kill(process.pid, 'SIGHUP');
  };
  process.on('SIGHUP', listener);
}

function fixedPartOf({ database, create_workspace, limits: { memory_mb, cpus, processes } = {} }: TeamSettings) {
  return { database, create_workspace, memory_mb, cpus, processes };
}
