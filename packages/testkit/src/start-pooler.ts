import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { expect, onTestFinished } from 'vitest';
import { makeTempDirectory } from './temp-directory.ts';

const POOLER = '/usr/sbin/pgbouncer';

/** Reports whether PgBouncer is installed. */
export function hasPooler(): boolean {
  return fs.existsSync(POOLER);
}

/** Starts PgBouncer in transaction mode in front of a database, with fewer connections to it than a server of ours opens. */
export async function startPooler(url: string) {
  const place = makeTempDirectory();
  fs.chmodSync(place, 0o777);
  const database = new URL(url).searchParams.get('host') as string;
  fs.writeFileSync(`${place}/users`, '"postgres" ""\n');
  const settings = `[databases]
    * = host=${database}
    [pgbouncer]
    pool_mode = transaction
    default_pool_size = 2
    auth_type = trust
    auth_file = ${place}/users
    unix_socket_dir = ${place}
    listen_port = 5432`;
  fs.writeFileSync(`${place}/settings.ini`, settings.replaceAll(/^ +/gm, ''));
  // It does not run as root.
  const { uid, gid } = fs.statSync(`${database}/data`);
  let end = async () => {};
  const start = async () => {
    const log = fs.openSync(`${place}/log`, 'w');
    const child = spawn(POOLER, [`${place}/settings.ini`], { uid, gid, stdio: ['ignore', log, log] });
    fs.closeSync(log);
    const hasEnded = new Promise((resolve) => child.once('exit', resolve));
    end = async () => {
      child.kill('SIGKILL');
      await hasEnded;
    };
    await expect.poll(() => fs.readFileSync(`${place}/log`, 'utf8')).toContain('process up');
  };
  onTestFinished(() => end());
  await start();
  return {
    url: `postgres://postgres@localhost/postgres?host=${encodeURIComponent(place)}`,
    start,
    stop: () => end(),
  };
}
