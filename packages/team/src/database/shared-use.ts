import type { Statements } from '@jinn/store/statements';
import { NOTHING, type ShareUse, type Use, type UseByServer } from '../limits/person-limits.ts';

const NOW = 'extract(epoch FROM now()) * 1000';
/** The owner in the row of a server itself. A server that has not written its row for 10 seconds has ended. */
const SERVER = '';
const IS_THERE = `EXISTS (
  SELECT FROM presence AS server WHERE server.owner = '${SERVER}' AND server.seen > now() - interval '10 seconds'
    AND server.workspace = others.workspace AND server.server = others.server)`;

/** Reports use at a server, and reads use at all servers, in one statement. It writes the rows that change. */
const EXCHANGE = `
  WITH unsynced AS (
    SELECT set_config('synchronous_commit', 'off', true)
  ), given AS (
    SELECT * FROM json_to_recordset(?::json)
      AS given (owner text, calls float8, output float8, commands int, jobs int, sessions int)
    ORDER BY owner
  ), rated AS (
    INSERT INTO rates AS known (workspace, owner, calls, output)
    SELECT ?::text, owner, ${NOW} + calls, ${NOW} + output FROM given WHERE calls <> 0 OR output <> 0
    ON CONFLICT (workspace, owner) DO UPDATE SET
      calls = greatest(known.calls, ${NOW}) + excluded.calls - ${NOW},
      output = greatest(known.output, ${NOW}) + excluded.output - ${NOW}
    RETURNING owner, calls, output
  ), present AS (
    INSERT INTO presence AS known (workspace, server, owner, commands, jobs, sessions, seen)
    SELECT ?::text, ?::text, owner, commands, jobs, sessions, now() FROM given
    ON CONFLICT (workspace, server, owner) DO UPDATE SET
      commands = excluded.commands, jobs = excluded.jobs, sessions = excluded.sessions, seen = excluded.seen
    WHERE known.owner = '${SERVER}'
      OR (known.commands, known.jobs, known.sessions) <> (excluded.commands, excluded.jobs, excluded.sessions)
  ), gone AS (
    DELETE FROM presence AS others WHERE workspace = ?
      AND CASE WHEN server = ? THEN owner NOT IN (SELECT owner FROM given)
        ELSE seen < now() - interval '1 day' AND NOT ${IS_THERE} END
  )
  SELECT given.owner,
    greatest(0, coalesce(rated.calls, known.calls, 0) - ${NOW}) AS calls,
    greatest(0, coalesce(rated.output, known.output, 0) - ${NOW}) AS output,
    coalesce(sum(others.commands), 0)::int AS commands,
    coalesce(sum(others.jobs), 0)::int AS jobs, coalesce(sum(others.sessions), 0)::int AS sessions
  FROM unsynced CROSS JOIN given
    LEFT JOIN rated USING (owner)
    LEFT JOIN rates AS known ON known.workspace = ? AND known.owner = given.owner
    LEFT JOIN presence AS others ON others.workspace = ? AND others.owner = given.owner
      AND others.server <> ? AND ${IS_THERE}
  GROUP BY given.owner, 2, 3`;

const LIST = `
  SELECT server, owner, commands, jobs, sessions FROM presence AS others
  WHERE workspace = ? AND owner <> '${SERVER}' AND ${IS_THERE} ORDER BY owner, server`;

/** Shares use between the servers of a workspace. `server` names this one. */
export function useInDatabase(statements: Statements, workspace: string, server: string): ShareUse {
  return {
    exchange: async (mine) => {
      const here = mine.length === 0 ? [] : [{ ...NOTHING, owner: SERVER, calls: 0, output: 0 }];
      const both = [workspace, server];
      const values = [JSON.stringify([...here, ...mine]), workspace, ...both, ...both, workspace, ...both];
      return (await statements.read(EXCHANGE, ...values)) as readonly Use[];
    },
    list: async () => (await statements.read(LIST, workspace)) as readonly UseByServer[],
  };
}
