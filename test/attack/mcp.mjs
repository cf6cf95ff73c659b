import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { within } from './bounds.mjs';
import { newRow, note, openByHandshake, openHttp, programsOf } from './doors.mjs';
import { makeDirectory } from './jinn-process.mjs';
import { crossPeople } from './mcp-people.mjs';
import { forgeStates, mixQuestions } from './mcp-questions.mjs';

const WAIT_MS = 30_000;
const RESULTS = 'jinn://results/';
const SECRET = 'KEPT-OUTSIDE-OF-THE-ROOTS';
const INSIDE = 'kept-in-a-long-answer';
let ids = 0;

export const suite = {
  name: 'mcp',
  title: 'resources, roots and questions over HTTP',
  async *run({ jinn, quick }) {
    const programs = programsOf(jinn);
    yield await readResources(programs);
    yield await nameRoots(programs, quick);
    yield await askMany(programs, quick);
    yield await forgeAnswers(programs, quick);
    yield await crossPeople(programs);
    for (const attack of [mixQuestions, forgeStates]) {
      const place = await openPlace(programs, ['--dangerous', 'ask']);
      yield await attack(place, { newSession, makeResult, quick });
      await place.transport.close();
    }
  },
};

/** Opens a server over HTTP on two roots, and beside them a directory that nothing may reach. */
async function openPlace(programs, flags = []) {
  const [top, home] = [makeDirectory(), makeDirectory()];
  const [cwd, other, outside] = ['one', 'two', 'outside'].map((name) => path.join(top, name));
  for (const directory of [cwd, other, outside]) fs.mkdirSync(path.join(directory, 'below'), { recursive: true });
  fs.mkdirSync(path.join(cwd, '.ssh'));
  for (const file of ['outside/secret', 'outside/below/secret', 'one/.ssh/secret', 'one/.env']) {
    fs.writeFileSync(path.join(top, file), SECRET);
  }
  for (const directory of [cwd, other])
    fs.writeFileSync(path.join(directory, 'a'), `a file of ${path.basename(directory)}\n`);
  fs.symlinkSync(outside, path.join(cwd, 'link'));
  const roots = ['--root', cwd, '--root', other];
  const transport = await openHttp(programs, { cwd, home }, [...roots, ...flags]);
  return { top, cwd, other, outside, transport };
}

/** What follows the name of the server in an address that is to lead elsewhere; `own` is the name of a real result. */
const bentNames = (own, { outside }) => [
  ...['', '.', '..', '../', '../..', '%2e%2e/outside/secret', '..%2f..%2foutside%2fsecret', '../outside/secret'],
  ...['/etc/passwd', '%00', `${own}%00`, `${own}/`, `${own}/..`, `${own}x`, own.slice(0, -1), own.toUpperCase()],
  ...[`./${own}`, '*', '?offset=0', 'state.db', 'memory.db', 'config.json', `${outside}/secret`, 'a'.repeat(100_000)],
  ...['\u202e', '%ff%fe', 'con', '~/.ssh/id_rsa'],
];
const otherAddresses = ({ cwd, outside }) => [
  ...[`${outside}/secret`, `${cwd}/.env`, '/etc/passwd'].map(toUrl),
  ...['http://127.0.0.1:1/', 'jinn:', 'jinn://', 'x', '', ' ', 'data:text/plain,x', '//etc/passwd'],
  'jinn://results@evil/x',
];
const RANGES = [
  ...['offset=-1', 'offset=1e99', 'limit=-1', 'limit=0', 'limit=1e99', 'limit=NaN', 'offset=NaN&limit=99999999'],
  ...['limit=1048577', 'offset=5&offset=6', 'x=1'],
];

function toUrl(file) {
  return pathToFileURL(file).href;
}

/** Reads what the server keeps of a long answer, and then everything that an address may be bent to. */
async function readResources(programs) {
  const row = newRow('resources: other names, ranges, files and people');
  const place = await openPlace(programs);
  const uri = await makeResult(place);
  const read = async (address) => {
    const message = { id: ++ids, method: 'resources/read', params: { uri: address } };
    return JSON.stringify((await within(WAIT_MS, place.transport.request(message))) ?? '');
  };
  note(row, (await read(uri)).includes(INSIDE), 'the person cannot read the own result');
  note(row, (await readUnnamed(place, uri)) === 401, 'the result is read without a token');
  const own = uri.slice(RESULTS.length);
  for (const address of [...bentNames(own, place).map((name) => RESULTS + name), ...otherAddresses(place)]) {
    const answer = await read(address);
    const isRefused = answer.includes('"error"') && !answer.includes(SECRET) && !answer.includes('root:');
    note(row, isRefused || answer.includes(INSIDE), `${address.slice(0, 80)}: ${answer.slice(0, 200)}`);
  }
  for (const range of RANGES) {
    const answer = await read(`${uri}?${range}`);
    note(row, answer !== '""' && answer.length < 1_300_000, `${range}: ${answer.length} characters`);
  }
  await place.transport.close();
  return row;
}

/** Makes a long answer. It names a file for the model; a host reads the same by the address that is returned. */
async function makeResult({ cwd, transport }) {
  for (let i = 0; i < 5_000; i++) fs.writeFileSync(path.join(cwd, `${INSIDE}-${i}`), '');
  const door = await openByHandshake(transport, {});
  const { text } = await door.call('checksum_tree', {});
  return `${RESULTS}${/outputs\/[^/]+\/([\w.-]+)/.exec(text)?.[1]}`;
}

async function readUnnamed({ transport }, uri) {
  const response = await fetch(transport.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri } }),
  });
  return response.status;
}

/** What a client says that it has open. */
const clientRoots = ({ top, cwd, outside }, quick) => [
  ...['/', top, outside, `${cwd}/link`, `${cwd}/../outside`, `${cwd}/.ssh`, '/etc', '/root', '/proc/self/root'].map(
    (directory) => [{ uri: toUrl(directory) }],
  ),
  ...[`${cwd}/below/../../outside`, `${cwd}/below`, `${cwd}/a`].map((directory) => [{ uri: toUrl(directory) }]),
  [{ uri: toUrl(outside) }, { uri: toUrl(cwd) }],
  ...['file://host/etc', 'http://x/', '', 'file:///%2e%2e/etc', 'file:///a%00b', 5, undefined].map((uri) => [{ uri }]),
  Array.from({ length: quick ? 1_000 : 100_000 }, (_, i) => ({ uri: `file:///nowhere/${i}` })),
  ...[[], 'none', null],
];

/** What a call names as its root. */
const namedRoots = ({ cwd, outside }) => [
  ...['/', '..', '../outside', 'outside', outside, `${cwd}/link`, `${cwd}/.ssh`, '', '.', '/etc', 'one/../outside'],
  ...['\0', 'o'.repeat(10_000), 'e'],
];

/** Lets a client name roots that it must not get; whatever it says, calls stay in what the operator allows. */
async function nameRoots(programs, quick) {
  const row = newRow('roots: what a client names, and what a call names');
  const place = await openPlace(programs);
  const { outside } = place;
  const made = path.join(outside, 'made');
  const tries = [
    ['read_file', { path: path.join(outside, 'secret') }],
    ['read_file', { path: 'secret' }],
    ['read_file', { path: 'below/secret' }],
    ['search_files', { pattern: 'KEPT' }],
    ['write_file', { path: made, content: 'x' }],
    ...(quick ? [] : namedRoots(place).map((root) => ['search_files', { pattern: 'KEPT', root }])),
  ];
  for (const roots of clientRoots(place, quick)) {
    const door = await openByHandshake(newSession(place), { roots: { listChanged: true } });
    const hold = (question, send) => void send({ id: question.id, result: { roots } });
    for (const [name, args] of tries) {
      const { text } = await door.call(name, args, undefined, { hold }).catch((error) => ({ text: String(error) }));
      const isHeld = !text.includes(SECRET) && !fs.existsSync(made) && !text.includes('no answer');
      const said = JSON.stringify(roots)?.slice(0, 80);
      note(row, isHeld, `${said}, ${name} ${JSON.stringify(args).slice(0, 80)}: ${text.slice(0, 200)}`);
    }
  }
  await place.transport.close();
  return row;
}

/** Returns a transport to the same server that has not shaken hands. */
function newSession({ transport }, person = 'alice') {
  const other = transport.as(person);
  delete other.headers['mcp-session-id'];
  return other;
}

/** Leaves questions open, in many sessions at once; the server must stay with those that are asked. */
async function askMany(programs, quick) {
  const count = quick ? 5 : 40;
  const row = newRow(`elicitation: ${count} sessions that leave their question open`);
  const place = await openPlace(programs, ['--dangerous', 'ask']);
  const marker = path.join(place.cwd, 'harm');
  fs.mkdirSync(marker);
  const open = () => openByHandshake(newSession(place));
  const doors = await Promise.all(Array.from({ length: count }, open));
  const questions = [];
  const held = doors.map((door) => {
    const left = door.call('run_shell', { command: 'rm -rf harm' }, 'deny', {
      hold: (question) => void questions.push(question),
    });
    return left.catch(() => undefined);
  });
  const quiet = await open();
  for (let i = 0; i < 10; i++) {
    const { ok } = (await within(WAIT_MS, quiet.call('read_file', { path: 'a' }))) ?? {};
    note(row, ok === true, 'another session is not served while questions are open');
  }
  // Nobody may answer for somebody else: bob, and a session that was not asked.
  for (const id of [...questions.map((question) => question.id), 0, 1, 2, 'x']) {
    for (const transport of [quiet.transport, place.transport.as('bob')]) {
      await transport
        .send({ id, result: { action: 'accept', content: { decision: 'Always allow…' } } })
        .catch(() => {});
      note(row, fs.existsSync(marker), `an answer of another session ran the command of question ${id}`);
    }
  }
  await place.transport.close();
  await Promise.race([Promise.all(held), new Promise((resolve) => setTimeout(resolve, 1_000))]);
  note(row, fs.existsSync(marker), 'a command ran that nobody allowed');
  note(row, questions.length === count, `only ${questions.length} of ${count} were asked`);
  return row;
}

const YES = { action: 'accept', content: { decision: 'Always allow…' } };

/** Answers to a question, by its number, that the client which was asked may not give with success. */
const malformedAnswers = (id) => [
  ...[[YES], 'run', true, null, 5, { ...YES, action: ['accept'] }, { ...YES, action: null }].map((result) => ({
    id,
    result,
  })),
  ...[{ decision: ['Allow once'] }, { decision: 'Allow once'.repeat(100_000) }, [], 'run', { Decision: 'run' }].map(
    (content) => ({
      id,
      result: { action: 'accept', content },
    }),
  ),
  { id, result: { action: 'accept', content: JSON.parse('{"__proto__":{"decision":"run"}}') } },
  { id, result: { action: 'accept', content: { constructor: { decision: 'Allow once' } } } },
  { id, error: { code: 0, message: 'run', data: YES } },
];

/** Messages of somebody else who wants a question to be answered with yes. */
const forgedAnswers = (id) => [
  ...[id, String(id), [id], Number(id) + 1, null, true].map((other) => ({ id: other, result: YES })),
  { id, result: YES, method: 'elicitation/create' },
  { method: 'notifications/elicitation/complete', params: { elicitationId: id, ...YES } },
];

/**
 * Forges the answers of others, gives malformed ones, and answers after the session has ended: nothing runs. What is asked stays
 * open for the one who was asked, whose yes runs the own command and no other.
 */
async function forgeAnswers(programs, quick) {
  const row = newRow('elicitation: answers of others, malformed, repeated and late');
  const place = await openPlace(programs, ['--dangerous', 'ask']);
  const count = malformedAnswers(0).length;
  for (let i = 0; i < count; i += quick ? 5 : 1) await giveMalformed(row, place, i);
  for (let i = 0; i < (quick ? 2 : 20); i++) await forgeForOthers(row, place, i);
  for (let i = 0; i < (quick ? 1 : 10); i++) await answerLate(row, place, i);
  await place.transport.close();
  return row;
}

/** Opens a session in which a question about a directory is open. */
async function openQuestion(place, name) {
  const harm = path.join(place.cwd, name);
  fs.mkdirSync(harm);
  const door = await openByHandshake(newSession(place));
  let done;
  const asked = new Promise((resolve) => {
    const hold = (question) => resolve(question.id);
    done = door.call('run_shell', { command: `rm -rf ${name}` }, 'deny', { hold }).catch(() => undefined);
  });
  const id = await within(WAIT_MS, asked);
  if (id === undefined) throw new Error('no question was asked');
  return { id, door, done, exists: () => fs.existsSync(harm) };
}

async function giveMalformed(row, place, i) {
  const { id, door, done, exists } = await openQuestion(place, `malformed-${i}`);
  const answer = malformedAnswers(id)[i];
  await trySend(door.transport, answer);
  await within(2_000, done);
  note(row, exists(), `ran by ${JSON.stringify(answer).slice(0, 200)}`);
}

async function forgeForOthers(row, place, i) {
  const mine = await openQuestion(place, `forged-${i}`);
  const beside = await openQuestion(place, `beside-${i}`);
  const same = mine.door.transport.as('bob'); // With the number of the session of alice.
  for (const forger of [newSession(place), newSession(place, 'bob'), same, beside.door.transport]) {
    const forged = forgedAnswers(mine.id).filter(
      (message) => forger !== beside.door.transport || !answers(message, beside),
    );
    for (const message of forged) {
      await trySend(forger, message);
      note(row, mine.exists() && beside.exists(), `another ran it by ${JSON.stringify(message).slice(0, 200)}`);
    }
  }
  // Sessions number their questions alike, so each answer must go to its own, whoever was asked first.
  const [first, second] = i % 2 === 0 ? [mine, beside] : [beside, mine];
  await sayYes(first);
  note(row, !first.exists(), 'the question was no longer open for the one who was asked');
  note(row, second.exists(), 'the yes of one session ran the command of another');
  await sayYes(second);
  note(row, !second.exists(), 'the question was no longer open for the other who was asked');
}

/** Reports whether a message may count as the answer to the own question: its number, also as text, and no method. */
function answers({ id, method }, own) {
  return method === undefined && ['string', 'number'].includes(typeof id) && String(id) === String(own.id);
}

async function sayYes({ id, door, done }) {
  await trySend(door.transport, { id, result: YES });
  await within(WAIT_MS, done);
}

async function answerLate(row, place, i) {
  const { id, door, done, exists } = await openQuestion(place, `late-${i}`);
  await fetch(door.transport.url, { method: 'DELETE', headers: door.transport.headers }).catch(() => {});
  await trySend(door.transport, { id, result: YES });
  await within(2_000, done);
  note(row, exists(), 'an answer after the end of the session ran the command');
}

/** Sends a message; the server may refuse it. */
async function trySend(transport, message) {
  await within(WAIT_MS, transport.send(message)).catch(() => {});
}
