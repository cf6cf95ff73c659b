import { ToolError } from '@jinn/core/errors';
import type pg from 'pg';

const OLDEST = 15;
const PER_VERSION = 10_000;

const FAULTS: readonly [RegExp, string][] = [
  [/^28/, 'does not let this server in: its role, its password or pg_hba.conf is not right'],
  [/^3D000$/, 'does not exist: create it first'],
  [/^42501$/, 'refuses the role of this server a right that it needs'],
  [/^25006$/, 'can only be read: it follows another one, or is set so'],
  [/^ERR_INVALID_URL$/, 'has a URL that cannot be read'],
  [/^(open E\w+|EISDIR)$/, 'has a URL that names a file which this server cannot read'],
  [
    /CERT|^UNABLE_TO_|^ERR_(TLS|SSL|OSSL)_|^The server does not support SSL/,
    'has no certificate that this server trusts for its name',
  ],
];

/** Returns the code of the database or the system, or the text of an error of the driver. `open` precedes that of a file. */
export function codeOf(error: unknown): string {
  const { code, message, syscall } = error as NodeJS.ErrnoException;
  if (code === undefined) return message;
  return syscall === 'open' ? `open ${code}` : code;
}

/** Explains an error that lasts until the operator fixes its cause. Undefined for any other. */
export function explainFault(cause: unknown): ToolError | undefined {
  const known = FAULTS.find(([pattern]) => pattern.test(codeOf(cause)));
  return known && unusable(`the team's database ${known[1]}`, cause);
}

/** Refuses a database that is older than `oldest`, or that would not keep every text. */
export async function checkServer(client: pg.ClientBase, oldest = OLDEST): Promise<void> {
  const { rows } = await client.query(
    "SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding",
  );
  const [{ version, encoding }] = rows as [{ version: number; encoding: string }];
  const major = Math.floor(version / PER_VERSION);
  if (major < oldest) throw unusable(`the team's database is PostgreSQL ${major}: it must be ${oldest} or newer`);
  if (encoding !== 'UTF8') throw unusable(`the team's database has the encoding ${encoding}: it must be UTF8`);
}

function unusable(message: string, cause?: unknown): ToolError {
  return new ToolError('unavailable', message, {
    suggestion: 'tell the operator: it does not help to send it again',
    cause,
  });
}
