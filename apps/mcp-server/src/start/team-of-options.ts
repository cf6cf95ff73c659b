import fs from 'node:fs';
import { type Audit, createAudit } from '@jinn/team/audit/audit';
import { type OperatorLog, openLogFile } from '@jinn/team/audit/operator-log';
import type { SharedDatabase } from '@jinn/team/database/shared-state';
import { readSecretFile } from '@jinn/team/named-file';
import { openAuditLog, openShared } from '@jinn/team/open-team';
import { ownFilesOf } from '@jinn/team/own-files';
import { type Identity, openIdentity } from '@jinn/team/people/identity';
import { parseTeamSettings, type TeamSettings } from '@jinn/team/people/team-settings';
import type { McpServeOptions } from '../options.ts';
import {
  asUsageError,
  databaseReasonOf,
  describeError,
  findRoot,
  findState,
  ownTokenFile,
  TOKEN,
  warn,
} from './this-program.ts';

/** What a server for several people, or one with a log or a key of its own, has in addition. */
export interface Team {
  readonly settings: TeamSettings;
  readonly log: OperatorLog;
  readonly shared: SharedDatabase | undefined;
  readonly audit: Audit | undefined;
  /** Undefined on standard input and output. */
  readonly identity: Identity | undefined;
  readonly approvalKey: string | undefined;
  readonly ownFiles: readonly string[];
}

/** Reads the settings of a team. Throws UsageError if they cannot be read, or are wrong. */
export async function readTeamSettings(file: string | undefined): Promise<TeamSettings> {
  if (file === undefined) return {};
  return asUsageError('--team', () => parseTeamSettings(fs.readFileSync(file, 'utf8')));
}

/** Opens what the options name. `stderrLog` is the log without a file. Throws UsageError for what the operator must fix. */
export async function openTeam(options: McpServeOptions, stderrLog: OperatorLog): Promise<Team> {
  const { http, logFile, tokenFile, approvalKeyFile } = options;
  const file =
    logFile === undefined ? undefined : await asUsageError('--log-file', () => openLogFile(logFile, describeError));
  const log = file ?? stderrLog;
  process.on('uncaughtException', log.failure);
  process.on('unhandledRejection', log.failure);
  const settings = await readTeamSettings(options.team);
  const shared = await openShared(settings);
  const roots = options.root.map(findRoot);
  const auditLog = openAuditLog(settings, { file, shared, root: roots[0] ?? '.', onFailure: log.failure });
  const audit = auditLog && createAudit(auditLog, options.logArgs, options.dangerous);
  shared?.tokens.list().catch((error: Error) => log.line(`${error.message}${databaseReasonOf(error)}`));
  const onToken: Audit['token'] = (change, token) => audit?.token(change, token);
  const given = { tokenFile, tokens: process.env[TOKEN], ownTokenFile: ownTokenFile() };
  const identity =
    http &&
    (await asUsageError('', () =>
      openIdentity({ settings, shared: shared?.tokens, ...given, onFailure: log.failure, onToken, warn }),
    ));
  file?.rotate(identity?.hasNamedPeople);
  const passwordFile = process.env['PGPASSFILE'];
  const named = { ...options, isHttp: http !== undefined, database: settings.database, passwordFile };
  const ownFiles = await asUsageError('', () => ownFilesOf(named, { roots, home: findState().home }));
  const approvalKey =
    approvalKeyFile === undefined
      ? undefined
      : await asUsageError('', () => readSecretFile(approvalKeyFile, '--approval-key-file', warn));
  return { settings, log, shared, audit, identity, approvalKey, ownFiles };
}
