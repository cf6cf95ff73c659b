import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { findPostgres, startCluster } from '../../scripts/postgres-cluster.mjs';
import { ROOT } from '../../scripts/setup.mjs';
import { ENV, scratch } from '../measure.mjs';

const JINN_MCP = path.join(ROOT, 'apps/mcp-server/dist/jinn-mcp.cjs');
/** Linux counts processor time in hundredths of a second. */
const MS_PER_TICK = 10;

/** Makes a git repository with these files. */
export function makeWorkspace(files) {
  const root = scratch('workspace');
  fs.mkdirSync(`${root}/src`);
  fs.mkdirSync(`${root}/own`);
  for (const [file, text] of files) fs.writeFileSync(`${root}/${file}`, text);
  const git = (...args) =>
    execFileSync('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@example.org', ...args], { cwd: root });
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '--message', 'all');
  return root;
}

/** Starts jinn-mcp for these people over HTTP, as an operator would. `shared` keeps tokens and the audit log in the database. */
export async function startJinn({ root, people, database, shared = false }) {
  const place = scratch('operator');
  const settings = database ? { database: { url: database, workspace: 'bench', audit: shared } } : {};
  fs.writeFileSync(`${place}/team.json`, JSON.stringify(settings));
  const team = ['--team', `${place}/team.json`];
  const tokens = new Map(people.map((name) => [name, shared ? createToken(name, team) : `the-token-of-${name}`]));
  const lines = [...tokens].map(([name, token]) => `${name}:${token}\n`);
  if (!shared) fs.writeFileSync(`${place}/tokens`, lines.join(''), { mode: 0o600 });
  const args = [
    '--http',
    '127.0.0.1:0',
    '--root',
    root,
    ...team,
    ...(shared ? [] : ['--token-file', `${place}/tokens`]),
  ];
  const env = { ...ENV, JINN_MCP_APPROVAL_KEY: 'a-key-of-the-measurement' };
  const child = spawn(process.execPath, [JINN_MCP, ...args, '--log-file', `${place}/log`], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const url = await new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
    child.stderr.on('data', (text) => {
      const [, found] = /listens on (\S+)/.exec(text) ?? [];
      if (found) resolve(found);
      else if (!/kept apart/.test(text)) process.stderr.write(text);
    });
  });
  return {
    url,
    tokens,
    use: () => useOf(child.pid),
    logBytes: () => fs.statSync(`${place}/log`).size,
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', resolve);
        child.kill('SIGTERM');
      }),
  };
}

/** Makes a token in the database. */
function createToken(person, team) {
  const args = [JINN_MCP, 'tokens', 'create', '--name', person, ...team];
  return execFileSync(process.execPath, args, {
    env: ENV,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}

/** The memory of a process in MB, and the processor time that it and what it has started have taken, in ms; Linux only. */
function useOf(pid) {
  const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
  const mb = (name) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024);
  const [own] = timesOf(pid);
  return { rss: mb('VmRSS'), peak: mb('VmHWM'), cpu: own, started: sum(timesBelow(pid)) - own };
}

/** Returns the processor time of a process, and of its children that have ended. */
function timesOf(pid) {
  const times = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ').slice(11, 15).map(Number);
  return [sum(times.slice(0, 2)) * MS_PER_TICK, sum(times.slice(2)) * MS_PER_TICK];
}

/** Returns such times of a process and of all below it; what ends while we look is counted with its parent the next time. */
function timesBelow(pid) {
  try {
    const children = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return [...timesOf(pid), ...children.split(' ').filter(Boolean).flatMap(timesBelow)];
  } catch {
    return [];
  }
}

function sum(numbers) {
  return numbers.reduce((a, b) => a + b, 0);
}

/** Starts PostgreSQL for this run alone; undefined where Debian's is not installed. */
export async function startPostgres() {
  const bin = findPostgres();
  if (bin === undefined) return undefined;
  const place = scratch('postgres');
  fs.chmodSync(path.dirname(place), 0o777);
  const cluster = startCluster(bin, place);
  const pg = createRequire(path.join(ROOT, 'packages/team/package.json'))('pg');
  const client = new pg.Client(cluster.url);
  await client.connect();
  return {
    url: cluster.url,
    counts: () => countsOf(client),
    stop: async () => {
      await client.end();
      cluster.end();
    },
  };
}

/** What the database has done so far. */
async function countsOf(client) {
  await client.query('SELECT pg_stat_clear_snapshot()');
  const { rows } = await client.query(
    `SELECT xact_commit + xact_rollback AS transactions, tup_inserted + tup_updated + tup_deleted AS written, pg_database_size(datname) AS bytes, sessions AS opened,
       (SELECT count(*) FROM pg_stat_activity WHERE application_name = 'jinn-mcp') AS connections
     FROM pg_stat_database WHERE datname = current_database()`,
  );
  return Object.fromEntries(Object.entries(rows[0]).map(([name, value]) => [name, Number(value)]));
}
