import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { onTestFinished } from 'vitest';
import { makeTempDirectory } from './temp-directory.ts';

const VERSIONS = '/usr/lib/postgresql';

/** Returns the programs of the newest PostgreSQL of the system; undefined if there is none. */
export function findPostgres(): string | undefined {
  if (!fs.existsSync(VERSIONS)) return undefined;
  const found = fs.readdirSync(VERSIONS).toSorted((a, b) => Number(b) - Number(a));
  return found.map((version) => `${VERSIONS}/${version}/bin`).find((bin) => fs.existsSync(`${bin}/initdb`));
}

/** Starts a server of PostgreSQL for this test alone, on a Unix socket. */
export function startPostgres(bin: string) {
  const place = makeTempDirectory();
  fs.chmodSync(place, 0o777);
  const run = (program: string, ...args: string[]) => {
    const command = [`${bin}/${program}`, ...args];
    // It does not run as root.
    const [first = '', ...rest] = process.getuid?.() === 0 ? ['runuser', '-u', 'postgres', '--', ...command] : command;
    const { status, stderr } = spawnSync(first, rest, {
      cwd: place,
      encoding: 'utf8',
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    if (status !== 0) throw new Error(`${program}: ${stderr}`);
  };
  const data = `${place}/data`;
  run('initdb', '--auth=trust', '--username=postgres', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync', '-D', data);
  const options = `-c listen_addresses='' -c unix_socket_directories='${place}' -c fsync=off`;
  const start = () => run('pg_ctl', '-D', data, '-w', '-o', options, '-l', `${place}/log`, 'start');
  const stop = () => run('pg_ctl', '-D', data, '-m', 'immediate', 'stop');
  start();
  onTestFinished(() => {
    if (fs.existsSync(`${data}/postmaster.pid`)) stop();
  });
  return { url: `postgres://postgres@localhost/postgres?host=${encodeURIComponent(place)}`, start, stop };
}
