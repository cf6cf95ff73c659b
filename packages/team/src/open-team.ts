import type { AuditLog, LogFile } from './audit/operator-log.ts';
import type { SharedDatabase } from './database/shared-state.ts';
import type { TeamSettings } from './people/team-settings.ts';

/** Opens the database that several servers of a team share, or undefined without one. Only then is its driver loaded. */
export async function openShared({ database }: TeamSettings): Promise<SharedDatabase | undefined> {
  if (database === undefined) return undefined;
  const { openSharedState } = await import('./database/shared-state.ts');
  return openSharedState(database);
}

/** Makes the tables of the database of a team. Returns the text to print. Throws an Error for the user. */
export async function migrateTeam(settings: TeamSettings): Promise<string> {
  const shared = await openShared(settings);
  if (shared === undefined) throw new Error('the file of --team has no database');
  return `the database has the schema ${await shared.migrate()}\n`;
}

interface AuditPlaces {
  readonly file?: LogFile | undefined;
  readonly shared: SharedDatabase | undefined;
  readonly root: string;
  onFailure(error: unknown): void;
}

export interface CountedAuditLog extends AuditLog {
  /** How many events of each name there were. Answers have one each, such as `answer once`. */
  readonly counts: ReadonlyMap<string, number>;
}

/** Opens the audit logs of the operator, in a file and in the database of a team, as one, which counts. */
export function openAuditLog({ database }: TeamSettings, { file, shared, root, onFailure }: AuditPlaces) {
  const logs = file ? [file.audit(database?.workspace ?? root)] : [];
  if (shared !== undefined && database?.audit) logs.push(shared.audit(onFailure));
  return inAll(logs);
}

function inAll(logs: readonly AuditLog[]): CountedAuditLog {
  const counts = new Map<string, number>();
  const count = (name: string, facts: object) => {
    const full = 'answer' in facts ? `${name} ${facts.answer}` : name;
    counts.set(full, (counts.get(full) ?? 0) + 1);
  };
  const sum = (what: 'waiting' | 'lost') => logs.reduce((all, log) => all + log.backlog()[what], 0);
  return {
    counts,
    backlog: () => ({ waiting: sum('waiting'), lost: sum('lost') }),
    event: (name, facts) => {
      count(name, facts);
      for (const log of logs) log.event(name, facts);
    },
    assure: async (name, facts) => {
      count(name, facts);
      for (const log of logs) await log.assure(name, facts);
    },
    close: async () => {
      for (const log of logs) await log.close();
    },
  };
}

/** Opens, for a command, what a team shares, and a function that records what the command does. */
export async function openTeamLog(settings: TeamSettings, root: string) {
  const shared = await openShared(settings);
  const onFailure = (error: unknown) => void process.stderr.write(`${(error as Error).message}\n`);
  const log = openAuditLog(settings, { shared, root, onFailure });
  const by = process.getuid?.();
  /** Records an event. Throws `unavailable` if that fails: then it must not be done. */
  const record = async (event: string, facts: object) => log.assure(event, { ...facts, by });
  return { shared, record };
}
