// What one person tries with the names, ids and answers of another over HTTP.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { newRow, note, openByHandshake, openHttp, openStateless, TOKENS, toPost } from './doors.mjs';
import { makeDirectory } from './jinn-process.mjs';

const SECRET = 'ONLY-ALICE-MAY-READ-THIS';
const YES = { action: 'accept', content: { decision: 'Always allow, for everybody…' } };
let ids = 0;

/** Serves to alice, who may do everything, and to bob, who may read, write and execute. */
async function openPlace(programs) {
  const [cwd, home] = [makeDirectory(), makeDirectory()];
  const hash = createHash('sha256').update(TOKENS.bob).digest('hex');
  const ofBob = `bob sha256:${hash} scopes=read,write,execute expires=never`;
  fs.writeFileSync(path.join(home, 'both'), `alice:${TOKENS.alice}\n${ofBob}\n`, { mode: 0o600 });
  const log = path.join(home, 'log');
  const flags = [
    '--token-file',
    path.join(home, 'both'),
    '--log-file',
    log,
    '--log-args',
    'full',
    '--dangerous',
    'ask',
  ];
  return { cwd, home, log, transport: await openHttp(programs, { cwd, home }, flags) };
}

/** Opens a door of a person; alice and bob call their sessions the same. */
async function enter({ transport }, person) {
  const door = await openStateless(transport.as(person));
  door.transport.headers = { ...door.transport.headers, 'jinn-session': 'a-session-of-both-people' };
  return door;
}

/** Lets bob use what alice has: her memory, changes, jobs, kept answers, and the question that is put to her. */
export async function crossPeople(programs) {
  const row = newRow('people: what is of another, by its ids, and headers that name another');
  const place = await openPlace(programs);
  const [alice, bob] = [await enter(place, 'alice'), await enter(place, 'bob')];
  const hers = await makeState(place, alice);
  for (const [name, args] of attempts(hers)) {
    const { ok, text } = await bob.call(name, args, { raw: YES });
    const isHeld = !text.includes(SECRET) && (!ok || isHarmless(args)) && hers.isIntact();
    note(row, isHeld, `${name} ${JSON.stringify(args).slice(0, 80)}: ${text.slice(0, 200)}`);
  }
  await useAnswers(row, place, bob, hers);
  await useSession(row, place);
  const known = await recallRaw(alice, { authorization: bearer('alice') });
  note(row, known.includes(SECRET), `alice herself is not answered: ${known.slice(0, 200)}`);
  for (const headers of forgedHeaders()) {
    const text = await recallRaw(bob, headers);
    note(row, !text.includes(SECRET), `${JSON.stringify(headers).slice(0, 120)}: ${text.slice(0, 200)}`);
  }
  const own = await alice.call('memory', { action: 'recall', key: 'hers' });
  note(row, own.text.includes(SECRET) && hers.isIntact(), 'what is of alice is gone');
  const jobs = await alice.call('run_shell', { action: 'list' });
  note(row, jobs.text.includes('running for'), 'the job of alice has ended');
  const log = fs.readFileSync(place.log, 'utf8');
  for (const token of Object.values(TOKENS)) note(row, !log.includes(token), 'a token is in the log');
  await place.transport.close();
  return row;
}

async function makeState({ cwd }, alice) {
  const file = path.join(cwd, 'hers');
  fs.writeFileSync(file, `${SECRET}\n`);
  await alice.call('memory', { action: 'save', key: 'hers', value: SECRET });
  await alice.call('write_file', { path: 'hers', content: 'changed\n' });
  const listed = await alice.call('undo', { action: 'list' });
  const [operation] = /op-\w+/.exec(listed.text) ?? [];
  await alice.call('run_shell', { command: 'sleep 300', background: true });
  const long = await alice.call('run_shell', { command: `seq 20000; echo ${SECRET}` });
  const [kept, directory] = /(\/[^"\\]+\/outputs\/[^/"\\]+)\/[\w.-]+\.log/.exec(long.text) ?? [];
  const command = { command: 'rm -rf harm' };
  fs.mkdirSync(path.join(cwd, 'harm'));
  const { result } = await alice.put('run_shell', command);
  const isIntact = () => fs.existsSync(path.join(cwd, 'harm')) && fs.readFileSync(file, 'utf8') === 'changed\n';
  if (!operation || !kept || !result?.requestState) throw new Error('alice has nothing');
  return { operation, kept, directory, command, requestState: result.requestState, isIntact };
}

/** What bob calls with the ids of alice. */
function attempts({ operation, kept, directory }) {
  const named = [operation, operation.slice(0, 5), operation.slice(0, 9), 'op-'];
  return [
    ...named.flatMap((id) =>
      ['preview', 'restore'].flatMap((action) =>
        [{}, { with_later: true }].map((more) => ['undo', { action, id, ...more }]),
      ),
    ),
    ...[1, 2, 99].map((last) => ['undo', { action: 'restore', last, with_later: true }]),
    ['undo', { action: 'clear' }],
    ...['recall', 'forget'].map((action) => ['memory', { action, key: 'hers' }]),
    ...['global', 'all', 'alice', 'alice:global', '*'].flatMap((scope) =>
      ['recall', 'list', 'export'].map((action) => ['memory', { action, key: 'hers', scope, include_values: true }]),
    ),
    ['memory', { action: 'list', query: 'ALICE' }],
    ['memory', { action: 'scopes' }],
    ...['output', 'kill'].map((action) => ['run_shell', { job: 'job-1', action }]),
    ['run_shell', { action: 'list' }],
    ...['read_file', 'stat_file', 'list_dir', 'checksum_tree'].map((tool) => [tool, { path: kept }]),
    ...['list_dir', 'find_files', 'checksum_tree'].map((tool) => [tool, { path: directory }]),
    ['search_files', { pattern: 'ALICE', path: kept }],
    ['search_files', { pattern: 'ALICE', path: directory }],
    ['multi_read', { paths: [kept] }],
    ['write_file', { path: kept, content: 'x' }],
    ['run_shell', { command: 'rm -rf harm' }],
  ];
}

/** Reports whether a call may be answered, as one about what is bob's own. */
function isHarmless({ action, scope, query }) {
  return ['clear', 'list', 'scopes', 'export', 'forget'].includes(action) || scope !== undefined || query !== undefined;
}

/** Answers the question of alice as bob, for good and for everybody. */
async function useAnswers(row, { transport }, bob, { command, requestState, isIntact }) {
  const more = { requestState, inputResponses: { approval: YES } };
  for (const session of ['a-session-of-both-people', 'another-session-of-bob']) {
    const through = transport.as('bob', { 'jinn-session': session });
    await bob.put('run_shell', command, more, through).catch(() => undefined);
    note(row, isIntact(), `bob answered the question of alice in ${session}`);
  }
}

/** Sends what a client sends in a session by handshake that is of alice. */
async function useSession(row, { transport }) {
  const { transport: opened } = await openByHandshake(transport.as('alice'));
  const stolen = opened.as('bob');
  const unknown = opened.as('bob', { 'mcp-session-id': crypto.randomUUID() });
  for (const init of [
    { method: 'GET' },
    { method: 'DELETE' },
    ...['tools/list', 'resources/list', 'ping'].map((method) => ({
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: ++ids, method }),
    })),
  ]) {
    const kinds = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const [one, other] = await Promise.all(
      [stolen, unknown].map(async ({ url, headers }) => {
        const response = await fetch(url, { ...init, headers: { ...kinds, ...headers } });
        return `${response.status} ${await response.text()}`;
      }),
    );
    note(
      row,
      one.startsWith('404 ') && one === other,
      `${init.method}: ${one.slice(0, 100)} and ${other.slice(0, 100)}`,
    );
  }
}

const bearer = (person) => `Bearer ${TOKENS[person]}`;

/** Headers that could name alice, beside the token of bob or without one. */
function forgedHeaders() {
  const names = ['user', 'remote-user', 'x-user', 'x-remote-user', 'x-forwarded-user', 'x-auth-request-user'];
  const more = [
    'x-authenticated-user',
    'x-forwarded-email',
    'x-forwarded-preferred-username',
    'x-webauth-user',
    'from',
  ];
  const tokens = [
    'proxy-authorization',
    'x-original-authorization',
    'x-forwarded-authorization',
    'x-access-token',
    'cookie',
  ];
  const all = [...names, ...more].flatMap((name) => [name, name.replaceAll('-', '_')]);
  const ofBob = { authorization: bearer('bob') };
  return [
    ...all.flatMap((name) => [{ ...ofBob, [name]: 'alice' }, { [name]: 'alice' }]),
    ...tokens.flatMap((name) => [{ ...ofBob, [name]: bearer('alice') }, { [name]: bearer('alice') }]),
    ...[
      [bearer('bob'), bearer('alice')],
      [bearer('alice'), bearer('bob')],
      `${bearer('bob')}, ${bearer('alice')}`,
      `${bearer('bob')} ${TOKENS.alice}`,
      `Bearer ${TOKENS.bob}\t${TOKENS.alice}`,
      `Basic ${Buffer.from(`alice:${TOKENS.alice}`).toString('base64')}`,
      `Bearer alice:${TOKENS.alice}`,
      `Bearer ${createHash('sha256').update(TOKENS.alice).digest('hex')}`,
      'Bearer alice',
    ].map((authorization) => ({ authorization })),
  ];
}

/** Asks for what alice remembers, with headers that may come several times. */
function recallRaw({ transport, meta }, headers) {
  const params = { name: 'memory', arguments: { action: 'recall', key: 'hers' }, _meta: meta };
  const { headers: fixed, body } = toPost({ id: ++ids, method: 'tools/call', params });
  return new Promise((resolve, reject) => {
    const request = http.request(transport.url, { method: 'POST', headers: { ...fixed, ...headers } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve(text));
    });
    request.on('error', reject).end(body);
  });
}
