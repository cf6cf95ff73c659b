import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { beforeAll, onTestFinished } from 'vitest';
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
  const cluster = startCluster(bin, makeTempDirectory());
  onTestFinished(cluster.end);
  return cluster;
}

/** Starts a server for all tests of a `describe`. Returns what makes a database of its own for each, and returns the URL. */
export function sharePostgres(bin: string | undefined): () => string {
  let cluster: ReturnType<typeof startCluster> | undefined;
  let count = 0;
  beforeAll(() => {
    const place = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'jinn-test-')));
    cluster = startCluster(bin as string, place);
    return () => {
      cluster?.end();
      fs.rmSync(place, { recursive: true, force: true });
    };
  });
  return () => {
    const name = `test${++count}`;
    cluster?.execute(`CREATE DATABASE ${name}`);
    return cluster?.urlOf(name) as string;
  };
}

function startCluster(bin: string, place: string) {
  fs.chmodSync(place, 0o777);
  const run = (program: string, ...args: string[]) => {
    const command = [`${bin}/${program}`, ...args];
    // It does not run as root.
    const [first = '', ...rest] = process.getuid?.() === 0 ? ['runuser', '-u', 'postgres', '--', ...command] : command;
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
  const options = `-c listen_addresses='' -c unix_socket_directories='${place}' -c fsync=off`;
  const start = () => run('pg_ctl', '-D', data, '-w', '-o', options, '-l', `${place}/log`, 'start');
  const stop = () => run('pg_ctl', '-D', data, '-m', 'immediate', 'stop');
  const urlOf = (name: string) => `postgres://postgres@localhost/${name}?host=${encodeURIComponent(place)}`;
  const url = urlOf('postgres');
  /** Runs a statement as an operator would. */
  const execute = (text: string) => run('psql', '--no-psqlrc', '--tuples-only', '--no-align', '-d', url, '-c', text);
  /** Returns the rows of a query. */
  const query = (text: string): readonly Record<string, unknown>[] =>
    JSON.parse(execute(`SELECT coalesce(json_agg(found), '[]') FROM (${text}) AS found`));
  const end = () => {
    if (fs.existsSync(`${data}/postmaster.pid`)) stop();
  };
  start();
  return { url, urlOf, start, stop, execute, query, end };
}
