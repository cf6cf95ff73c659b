// Starts a server of PostgreSQL for a test or a measurement alone, of the programs that Debian installs.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';

const VERSIONS = '/usr/lib/postgresql';

/** Returns the programs of the newest PostgreSQL of the system; undefined if there is none. */
export function findPostgres() {
  if (!fs.existsSync(VERSIONS)) return undefined;
  const found = fs.readdirSync(VERSIONS).toSorted((a, b) => Number(b) - Number(a));
  return found.map((version) => `${VERSIONS}/${version}/bin`).find((bin) => fs.existsSync(`${bin}/initdb`));
}

/** Starts a server with its data and its Unix socket in a directory that all users may enter. `settings` are more flags for it. */
export function startCluster(bin, place, settings = '') {
  fs.chmodSync(place, 0o777);
  const run = (program, ...args) => {
    const command = [`${bin}/${program}`, ...args];
    // It does not run as root.
    const [first, ...rest] = process.getuid() === 0 ? ['runuser', '-u', 'postgres', '--', ...command] : command;
    // What the server inherits must not be a pipe: nobody would see its end.
    const stdout = program === 'psql' ? 'pipe' : 'ignore';
    const { status, stderr, ...ran } = spawnSync(first, rest, {
      cwd: place,
      encoding: 'utf8',
      stdio: ['ignore', stdout, 'pipe'],
    });
    if (status !== 0) throw new Error(`${program}: ${stderr}`);
    return ran.stdout;
  };
  const data = `${place}/data`;
  run('initdb', '--auth=trust', '--username=postgres', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync', '-D', data);
  const options = `-c listen_addresses='' -c unix_socket_directories='${place}' ${settings}`;
  const start = () => void run('pg_ctl', '-D', data, '-w', '-o', options, '-l', `${place}/log`, 'start');
  const stop = () => void run('pg_ctl', '-D', data, '-m', 'immediate', 'stop');
  const urlOf = (name) => `postgres://postgres@localhost/${name}?host=${encodeURIComponent(place)}`;
  const url = urlOf('postgres');
  start();
  return {
    url,
    urlOf,
    start,
    stop,
    /** Runs a statement as an operator would. */
    execute: (text) => run('psql', '--no-psqlrc', '--tuples-only', '--no-align', '-d', url, '-c', text),
    /** Stops it if it runs. */
    end: () => {
      if (fs.existsSync(`${data}/postmaster.pid`)) stop();
    },
  };
}
