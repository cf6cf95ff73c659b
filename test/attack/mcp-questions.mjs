// Questions over HTTP, beside what else a client and a server ask each other: roots, resources, and states of the stateless revision.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { within } from './bounds.mjs';
import { newRow, note, openByHandshake, openStateless } from './doors.mjs';

const WAIT_MS = 30_000;
const YES = { action: 'accept', content: { decision: 'Allow once' } };
const ALWAYS = { action: 'accept', content: { decision: 'Always allow…' } };
const BOTH = { elicitation: { form: {} }, roots: { listChanged: true } };
let count = 0;

function toUrl(file) {
  return pathToFileURL(file).href;
}

/** Makes a directory that a command is to remove in each of these, and returns its name. */
function makeHarm(directories) {
  const name = `harm-${++count}`;
  for (const directory of directories) fs.mkdirSync(path.join(directory, name));
  return name;
}

const listRoots = (directory) => ({ roots: [{ uri: toUrl(directory) }] });

/** What a client says when it is asked for its roots, and when it is asked about a command; only a yes to the latter may count. */
const mixedAnswers = ({ cwd, outside }) => [
  [YES, { action: 'decline' }],
  [{ ...listRoots(cwd), ...YES }, { action: 'cancel' }],
  [listRoots(cwd), { ...listRoots(cwd), action: 'decline' }],
  [listRoots(outside), listRoots(outside)],
  [listRoots(cwd), { ...YES, action: undefined, roots: [] }],
  [undefined, { action: 'decline', ...listRoots('/') }],
];

/** Answers one question of the server as if it were another one, and changes the roots while a question is open. */
export async function mixQuestions(place, { newSession, quick }) {
  const row = newRow('questions beside roots: one answered as the other, roots that change while a question is open');
  for (const [ofRoots, ofCommand] of mixedAnswers(place)) {
    const name = makeHarm([place.cwd]);
    const answer = ({ id, method }, send) =>
      void send({ id, result: method === 'roots/list' ? ofRoots : ofCommand }).catch(() => {});
    const door = await openByHandshake(newSession(place), BOTH);
    await within(
      2_000,
      door.call('run_shell', { command: `rm -rf ${name}` }, 'deny', { hold: answer }).catch(() => {}),
    );
    const said = JSON.stringify([ofRoots, ofCommand]);
    note(row, fs.existsSync(path.join(place.cwd, name)), `ran by the answers ${said}`);
  }
  for (let i = 0; i < (quick ? 1 : 10); i++) await changeRoots(row, place, newSession);
  return row;
}

/** Names another directory while a question is open. What was shown is what runs, and a yes for always holds there alone. */
async function changeRoots(row, place, newSession) {
  const below = path.join(place.cwd, 'below');
  const name = makeHarm([place.cwd, below]);
  const exists = (directory) => fs.existsSync(path.join(directory, name));
  const door = await openByHandshake(newSession(place), BOTH);
  const asked = [];
  let root = place.cwd;
  const hold = async ({ id, method, params }, send) => {
    if (method === 'roots/list') return send({ id, result: listRoots(root) });
    asked.push(params.message);
    if (asked.length > 1) return send({ id, result: { action: 'decline' } });
    root = below;
    await send({ method: 'notifications/roots/list_changed' });
    await within(WAIT_MS, newSession(place).send({ id, result: listRoots(below) })).catch(() => {});
    return send({ id, result: ALWAYS });
  };
  const call = () => within(WAIT_MS, door.call('run_shell', { command: `rm -rf ${name}` }, 'deny', { hold }));
  await call();
  note(row, !exists(place.cwd) && exists(below), 'what was approved for one root ran in another, or not at all');
  await call();
  note(
    row,
    exists(below) && asked.length === 2,
    `a yes for always in one root counted in another: ${asked.length} asked`,
  );
}

/** Addresses that lead to no result: what belongs to a question is none. */
const addressesOf = (state) => [
  ...[state, state.slice(0, 60), `${state}?offset=0`, 'approval', '../approvals', 'questions/0'].map(
    (name) => `jinn://results/${name}`,
  ),
  ...['jinn://approvals/0', 'jinn://questions/0', 'elicitation://0'],
];

/** Forges, shares, repeats and spends twice the state by which a stateless client answers; reads it as a resource. */
export async function forgeStates(place, { newSession, makeResult, quick }) {
  const row = newRow('questions of the stateless revision: states of others, bent, spent twice, read as resources');
  const open = (person) => openStateless(newSession(place, person));
  const { result } = (await readResource(await open('alice'), await makeResult(place))) ?? {};
  note(row, result?.contents !== undefined, 'the person cannot read the own result');
  for (let i = 0; i < (quick ? 1 : 5); i++) {
    const mine = await open('alice');
    const [hers, bob] = [await open('alice'), await open('bob')];
    await bend(row, place, mine);
    await share(row, place, { mine, others: [hers, bob] });
    await spendTwice(row, place, mine);
  }
  return row;
}

/** Puts a dangerous command and returns its arguments and the state of its question. */
async function ask(place, door) {
  const name = makeHarm([place.cwd, place.other]);
  const args = { command: `rm -rf ${name}; echo x >> ran-${name}` };
  const { result } = await door.put('run_shell', args);
  const ran = path.join(place.cwd, `ran-${name}`);
  return {
    args,
    state: result?.requestState ?? '',
    exists: () => fs.existsSync(path.join(place.cwd, name)) && fs.existsSync(path.join(place.other, name)),
    times: () => (fs.existsSync(ran) ? fs.readFileSync(ran, 'utf8').length / 2 : 0),
  };
}

const answered = (requestState, approval = YES) => ({ requestState, inputResponses: { approval } });
const put = (door, args, more) => within(WAIT_MS, door.put('run_shell', args, more)).catch(() => undefined);

async function bend(row, place, door) {
  const { args, state, exists } = await ask(place, door);
  const places = [0, 0.2, 0.5, 0.8, 0.99].map((at) => Math.floor(at * state.length));
  const bent = [
    ...places.map((at) => state.slice(0, at) + (state[at] === 'A' ? 'B' : 'A') + state.slice(at + 1)),
    ...places.map((at) => state.slice(0, at)),
    ...[`${state}A`, ` ${state}`, state.toUpperCase(), `${state}.${state}`, [state], { state }, 5, null],
  ];
  for (const one of bent) {
    await put(door, args, answered(one));
    note(row, exists(), `ran by the state ${JSON.stringify(one).slice(0, 100)}`);
  }
  const responses = [{}, [], { APPROVAL: YES }, { other: YES }, { approval: [YES] }, { approval: 'run' }, YES, null];
  for (const inputResponses of responses) {
    await put(door, args, { requestState: state, inputResponses });
    note(row, exists(), `ran by the responses ${JSON.stringify(inputResponses)}`);
  }
  for (const uri of addressesOf(state)) {
    const { result } = (await readResource(door, uri)) ?? {};
    note(row, result?.contents === undefined && exists(), `${uri} can be read`);
  }
}

/** Reads a resource as a stateless client does. */
function readResource(door, uri) {
  const params = { uri, _meta: door.meta };
  const request = door.transport.request({ id: `resource-${++count}`, method: 'resources/read', params });
  return within(WAIT_MS, request).catch(() => undefined);
}

/** Answers what somebody else was asked, or what was asked for another root; then the one who was asked does. */
async function share(row, place, { mine, others }) {
  const { args, state, exists, times } = await ask(place, mine);
  for (const other of others) {
    await put(other, args, answered(state));
    note(row, exists(), 'another session ran it');
  }
  await put(mine, { ...args, root: place.other }, answered(state));
  note(row, exists(), 'it ran in another root');
  const own = await ask(place, mine);
  await put(mine, own.args, answered(own.state));
  note(
    row,
    own.times() === 1 && times() === 0,
    `the own yes ran it ${own.times()} times, and another ${times()} times`,
  );
}

/** Sends the same yes many times at once: it counts once. */
async function spendTwice(row, place, door) {
  const { args, state, times } = await ask(place, door);
  await Promise.all(Array.from({ length: 10 }, () => put(door, args, answered(state))));
  note(row, times() === 1, `ten answers at once ran it ${times()} times`);
  // An end of Base64 may be written in more than one way, which makes no other state.
  for (const late of [state, `${state}=`]) {
    await put(door, args, answered(late));
    note(row, times() === 1, `a late answer ran it again: ${times()} times`);
  }
}
