import type { Statements } from '@jinn/store/statements';
import type { ShareUse, UseByServer } from '../limits/person-limits.ts';

const NOW = 'extract(epoch FROM now()) * 1000';
/** A server that said nothing for so long has ended. */
const PRESENT = "interval '10 seconds'";

/** Reports what people used at a server, and reads what they use at all servers, in one statement. */
const EXCHANGE = `
  WITH unsynced AS (
    -- A power loss may undo it: the next exchange comes in a second.
    SELECT set_config('synchronous_commit', 'off', true)
  ), given AS (
    SELECT * FROM json_to_recordset(?::json)
      AS given (owner text, calls float8, output float8, commands int, jobs int, sessions int)
    ORDER BY owner
  ), rated AS (
    INSERT INTO rates AS known (workspace, owner, calls, output)
    SELECT ?::text, owner, ${NOW} + calls, ${NOW} + output FROM given
    ON CONFLICT (workspace, owner) DO UPDATE SET
      calls = greatest(known.calls, ${NOW}) + excluded.calls - ${NOW},
      output = greatest(known.output, ${NOW}) + excluded.output - ${NOW}
    RETURNING owner, calls - ${NOW} AS calls, output - ${NOW} AS output
  ), present AS (
    INSERT INTO presence (workspace, server, owner, commands, jobs, sessions, seen)
    SELECT ?::text, ?::text, owner, commands, jobs, sessions, now() FROM given
    ON CONFLICT (workspace, server, owner) DO UPDATE SET
      commands = excluded.commands, jobs = excluded.jobs, sessions = excluded.sessions, seen = excluded.seen
  ), gone AS (
    DELETE FROM presence WHERE workspace = ?
      AND CASE WHEN server = ? THEN owner NOT IN (SELECT owner FROM given) ELSE seen < now() - interval '1 day' END
  )
  SELECT rated.owner, rated.calls, rated.output, coalesce(sum(others.commands), 0)::int AS commands,
    coalesce(sum(others.jobs), 0)::int AS jobs, coalesce(sum(others.sessions), 0)::int AS sessions
  FROM unsynced CROSS JOIN rated LEFT JOIN presence AS others ON others.workspace = ? AND others.owner = rated.owner
    AND others.server <> ? AND others.seen > now() - ${PRESENT}
  GROUP BY rated.owner, rated.calls, rated.output`;

const LIST = `
  SELECT server, owner, commands, jobs, sessions FROM presence
  WHERE workspace = ? AND seen > now() - ${PRESENT} ORDER BY owner, server`;

/** Shares what people use between the servers of a workspace. `server` names this one. */
export function useInDatabase(statements: Statements, workspace: string, server: string): ShareUse {
  return {
    exchange: async (mine) => {
      const both = [workspace, server];
      return (await statements.read(EXCHANGE, JSON.stringify(mine), workspace, ...both, ...both, ...both)) as never;
    },
    list: async () => (await statements.read(LIST, workspace)) as readonly UseByServer[],
  };
}
