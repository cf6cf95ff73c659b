// Measures one `jinn-mcp --http` under a team beside one person alone; --write puts the table into docs/team-size.md.
// node bench/team.mjs [--people 50] [--sessions 4] [--rate 200] [--seconds 60] [--shared] [--write]
// With --shared, tokens and the audit log are in PostgreSQL too.
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT, setUp } from '../scripts/setup.mjs';
import { openSession } from './team/client.mjs';
import { callOf, filesFor } from './team/mix.mjs';
import { makeWorkspace, startJinn, startPostgres } from './team/servers.mjs';

const PAGE = path.join(ROOT, 'docs/team-size.md');
const TABLE = /(<!-- team:begin -->\n)[\s\S]*(<!-- team:end -->)/;
const SHARED = /(<!-- shared:begin -->\n)[\s\S]*(<!-- shared:end -->)/;
const MODEL = /(<!-- model:begin -->\n)[\s\S]*(<!-- model:end -->)/;
/** The model: how many people share a workspace, and what each of them does. */
const TEAMS = [50, 500, 5_000];
const PEOPLE_EACH = 5;
const SESSIONS_EACH = 4;
const CALLS_A_SECOND_EACH = 4;
const HOURS_A_DAY = 8;
const ALONE_CALLS = 500;
const WARM_UP_SECONDS = 5;
const SETTLE_MS = 1_500;
/** A connection that is idle for longer is not used again: the server closes it after ten seconds. */
const IDLE_MS = 8_000;
const SECOND = 1_000;
const MAX_SHOWN = 5;

/** The calls that were made, and what became of them. */
function createTally() {
  const times = [];
  const errors = [];
  const byTool = new Map();
  return {
    times,
    errors,
    byTool,
    add: (name, ms) => {
      times.push(ms);
      const known = byTool.get(name) ?? [];
      known.push(ms);
      byTool.set(name, known);
    },
  };
}

/** Makes the nth call of a session. `due` is when an agent would have sent it: what waits for a place in the line counts too. */
async function makeCall(session, tally, due = performance.now()) {
  const { name, args } = callOf(session, session.n++);
  try {
    await session.call(name, args);
    tally.add(name, performance.now() - due);
  } catch (error) {
    tally.errors.push(`${name}: ${error.message}`);
  }
}

/** One person in one session: each call follows the answer to the one before. */
async function workAlone(session) {
  for (let i = 0; i < ALONE_CALLS / 10; i++) await makeCall(session, createTally());
  const tally = createTally();
  for (let i = 0; i < ALONE_CALLS; i++) await makeCall(session, tally);
  return tally;
}

/** All sessions together: so many calls a second, each session in its turn, whether the server keeps up or not. */
async function workTogether(sessions, { rate, seconds }) {
  const tally = createTally();
  const begin = performance.now();
  const inLine = sessions.map(() => Promise.resolve());
  for (let i = 0; i < rate * seconds; i++) {
    const due = begin + (i * SECOND) / rate;
    const wait = due - performance.now();
    if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait));
    const at = i % sessions.length;
    inLine[at] = inLine[at].then(() => makeCall(sessions[at], tally, due));
  }
  await Promise.all(inLine);
  return { ...tally, rate: (rate * seconds * SECOND) / (performance.now() - begin) };
}

function percentile(times, share) {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? Number.NaN;
}

async function measure({ people, sessions: each, rate, seconds, shared }, postgres) {
  const names = Array.from({ length: people }, (_, i) => `person-${i}`);
  const sessions = names.flatMap((person, i) =>
    Array.from({ length: each }, (_, j) => ({
      person,
      own: `own/${person}-${j}.ts`,
      isStateless: j % 2 === 1,
      offset: (i * each + j) * 37,
      n: 1,
    })),
  );
  const root = makeWorkspace(filesFor(sessions));
  const jinn = await startJinn({ root, people: names, database: postgres?.url, shared });
  const agent = new http.Agent({ keepAlive: true, timeout: IDLE_MS });
  const open = async (session) => {
    const name = `session-of-${session.own}`;
    session.call = await openSession({
      url: jinn.url,
      token: jinn.tokens.get(session.person),
      name,
      isStateless: session.isStateless,
      agent,
    });
  };
  await open(sessions[0]);
  const alone = await workAlone(sessions[0]);
  const rest = jinn.use();
  for (const session of sessions.slice(1)) await open(session);
  await workTogether(sessions, { rate, seconds: WARM_UP_SECONDS });
  const [before, database] = [jinn.use(), await postgres?.counts()];
  const logBefore = jinn.logBytes();
  const cores = os.cpus().map(({ times }) => times);
  const together = await workTogether(sessions, { rate, seconds });
  const busy = busyShare(cores);
  const after = jinn.use();
  const log = jinn.logBytes() - logBefore;
  // PostgreSQL tells what it has counted once a second.
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const changed = database && difference(await postgres.counts(), database);
  agent.destroy();
  await jinn.stop();
  return { alone, together, rest, before, after, log, busy, changed };
}

function difference(after, before) {
  return {
    ...Object.fromEntries(Object.keys(after).map((name) => [name, after[name] - before[name]])),
    connections: after.connections,
  };
}

/** Returns how busy all cores were since then, whoever used them, in percent. */
function busyShare(before) {
  const sum = (times) => Object.values(times).reduce((a, b) => a + b);
  const all = os.cpus().map(({ times }, i) => [times.idle - before[i].idle, sum(times) - sum(before[i])]);
  const [idle, total] = all.reduce(([a, b], [c, d]) => [a + c, b + d]);
  return Math.round(100 * (1 - idle / total));
}

function toRows({ people, sessions, seconds }, { alone, together, rest, before, after, log, busy, changed }) {
  const calls = together.times.length + together.errors.length;
  const ms = (value) => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
  const each = (value, digits = 2) => (value / calls).toFixed(digits);
  const row = (what, one, all) => `| ${what} | ${one} | ${all} |`;
  const rows = [
    row('', 'one person', `${people} people, ${sessions} sessions each`),
    '|---|---|---|',
    row('calls a second', '', together.rate.toFixed(0)),
    row('p50', ms(percentile(alone.times, 0.5)), ms(percentile(together.times, 0.5))),
    row('p99', ms(percentile(alone.times, 0.99)), ms(percentile(together.times, 0.99))),
    row(
      'calls, errors',
      `${alone.times.length}, ${alone.errors.length}`,
      `${calls.toLocaleString('en')}, ${together.errors.length}`,
    ),
    row('memory of the server', `${rest.rss} MB`, `${after.rss} MB, at most ${after.peak} MB`),
    row(
      'processor of the server a call',
      '',
      `${each(after.cpu - before.cpu)} ms, and ${each(after.started - before.started)} ms of what it started`,
    ),
    row('log a call', '', `${each(log, 0)} bytes`),
    row('how busy the machine was', '', `${busy} %, over ${seconds} seconds`),
  ];
  if (changed) {
    const { transactions, written, bytes, connections, opened } = changed;
    rows.push(
      row(
        'PostgreSQL a call',
        '',
        `${each(transactions)} transactions, ${each(written)} rows written, ${each(bytes, 0)} bytes; ${connections} connections, ${opened} more opened in that time`,
      ),
    );
  }
  return rows;
}

async function main() {
  const { values } = parseArgs({
    options: {
      people: { type: 'string', default: '50' },
      sessions: { type: 'string', default: '4' },
      rate: { type: 'string', default: '200' },
      seconds: { type: 'string', default: '60' },
      shared: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
    },
  });
  const numbers = ['people', 'sessions', 'rate', 'seconds'].map((name) => [name, Number(values[name])]);
  const given = { ...Object.fromEntries(numbers), shared: values.shared };
  setUp();
  const postgres = await startPostgres();
  if (postgres === undefined) console.error('PostgreSQL is not installed: it is left out');
  const measured = await measure(given, postgres);
  await postgres?.stop();
  console.log([...toRows(given, measured), '', ...toModel(given, measured)].join('\n'));
  const { alone, together } = measured;
  for (const [tool, times] of together.byTool) {
    const [one, all] = [alone.byTool.get(tool) ?? [], times].map((of) =>
      [0.5, 0.99].map((share) => percentile(of, share).toFixed(1)).join(' / '),
    );
    console.error(`${tool}: ${times.length} calls, p50 / p99 ${all} ms, alone ${one} ms`);
  }
  for (const error of [...alone.errors, ...together.errors].slice(0, MAX_SHOWN)) console.error(error);
  if (alone.errors.length + together.errors.length > 0) process.exitCode = 1;
  if (values.write) writePage(given, measured);
}

/** What so many people would take, by what a call and a session took here. */
function toModel({ people, sessions, seconds }, { together, rest, before, after, log, changed }) {
  const calls = together.times.length + together.errors.length;
  const inPod = rest.rss + (PEOPLE_EACH * SESSIONS_EACH * Math.max(0, after.rss - rest.rss)) / (people * sessions);
  const row = (what, amountFor) => `| ${what} | ${TEAMS.map((team) => show(amountFor(team))).join(' | ')} |`;
  const rate = (team) => team * CALLS_A_SECOND_EACH;
  const processors = (ms) => (team) => (rate(team) * ms) / calls / SECOND;
  const each = (value) => (team) => (rate(team) * value) / calls;
  const withExchange = (value) => (team) => each(value - seconds)(team) + team / PEOPLE_EACH;
  return [
    `| people | ${TEAMS.map((team) => team.toLocaleString('en')).join(' | ')} |`,
    `|---|${TEAMS.map(() => '---').join('|')}|`,
    row('workspaces, and pods', (team) => team / PEOPLE_EACH),
    row('calls a second', rate),
    row('processors for the servers', processors(after.cpu - before.cpu)),
    row('processors for ripgrep, git and small commands', processors(after.started - before.started)),
    row('memory of the servers, GB', (team) => ((team / PEOPLE_EACH) * inPod) / 1024),
    row('log a day, GB', (team) => (each(log)(team) * HOURS_A_DAY * 3_600) / 1e9),
    ...(changed
      ? [
          // Each server that is used exchanges what its users use, once a second, in one transaction and at least one row.
          row('transactions of PostgreSQL a second', withExchange(changed.transactions)),
          row('rows written in PostgreSQL a second', withExchange(changed.written)),
          row('connections to PostgreSQL, at least', (team) => team / PEOPLE_EACH),
        ]
      : []),
  ];
}

function show(value) {
  return value < 10 ? String(Number(value.toFixed(1))) : Math.round(value).toLocaleString('en');
}

function writePage(given, measured) {
  const machine = `${os.cpus().length} cores (${os.cpus()[0]?.model.trim()}), ${os.type()}, Node ${process.version}`;
  const command = `node bench/team.mjs${given.shared ? ' --shared' : ''}`;
  const source = `Measured by \`${command}\` on ${machine}; the clients, PostgreSQL and other work ran on the same cores.`;
  const table = `${source}\n\n${toRows(given, measured).join('\n')}\n`;
  const put = (text, place, content) => text.replace(place, (_, begin, end) => begin + content + end);
  const page = put(fs.readFileSync(PAGE, 'utf8'), given.shared ? SHARED : TABLE, table);
  // A team on Kubernetes keeps all of its state in the database.
  const model = `${toModel(given, measured).join('\n')}\n`;
  fs.writeFileSync(PAGE, given.shared ? put(page, MODEL, model) : page);
}

await main();
