// The ways to a person: jinn over its pipes, and jinn-mcp over standard input and output and over HTTP, in both kinds of revisions.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { environmentOf } from './jinn-process.mjs';

const CLIENT = { name: 'attack', version: '1' };
const ASKS = { elicitation: { form: {} } };
const STATELESS = '2026-07-28';
const STATELESS_META = {
  'io.modelcontextprotocol/protocolVersion': STATELESS,
  'io.modelcontextprotocol/clientInfo': CLIENT,
};
const WAIT_MS = 20_000;
export const TOKENS = { alice: 'the-token-of-alice', bob: 'the-token-of-bob-x' };

/** The answers of a person, as each protocol writes them. */
const ANSWERS = {
  deny: { stdio: 'deny', mcp: { action: 'decline' } },
  once: { stdio: 'once', mcp: { action: 'accept', content: { decision: 'Allow once' } } },
  always: { stdio: 'always', mcp: { action: 'accept', content: { decision: 'Always allow…' } } },
};

/** Answers that approve nothing. */
export const NO_ANSWERS = {
  stdio: [
    'deny',
    'ONCE',
    'Once',
    ' once',
    'once\n',
    'yes',
    'run',
    'accept',
    '',
    true,
    1,
    null,
    ['once'],
    { answer: 'once' },
    'allow',
    undefined,
  ],
  mcp: [
    { action: 'decline' },
    { action: 'decline', content: { decision: 'Allow once' } },
    { action: 'cancel' },
    { action: 'cancel', content: { decision: 'Allow once' } },
    { action: 'accept' },
    { action: 'accept', content: {} },
    { action: 'accept', content: { decision: null } },
    { action: 'accept', content: { decision: true } },
    { action: 'accept', content: { decision: 'yes' } },
    { action: 'accept', content: { decision: 'ALLOW ONCE' } },
    { action: 'accept', content: { decision: ' Allow once' } },
    { action: 'accept', content: { decision: ['Allow once'] } },
    { action: 'accept', content: { decision: { 'Allow once': true } } },
    { action: 'accept', content: { decision: 'Deny' } },
    { action: 'accept', content: { remember: true } },
    { action: 'accept', content: { everybody: true } },
    { action: 'accept', content: { decision: 'Deny' } },
    { action: 'accept', content: { run: true, approved: true } },
    { action: 'accept', decision: 'Allow once' },
    { action: 'Accept', content: { decision: 'Allow once' } },
    { content: { decision: 'Allow once' } },
    {},
  ],
};

/** A way to a person opens in a place: `{ cwd, home }`. `kind` says which answers it takes. */
export const WAYS = [
  { name: 'stdio', kind: 'stdio', open: openStdio },
  {
    name: 'MCP stdio by handshake',
    kind: 'mcp',
    open: (programs, place) => openByHandshake(openPipe(programs, place)),
  },
  { name: 'MCP stdio stateless', kind: 'mcp', open: (programs, place) => openStateless(openPipe(programs, place)) },
  {
    name: 'MCP HTTP by handshake',
    kind: 'mcp',
    open: async (programs, place) => openByHandshake(await openHttp(programs, place)),
  },
  {
    name: 'MCP HTTP stateless',
    kind: 'mcp',
    open: async (programs, place) => openStateless(await openHttp(programs, place)),
  },
];

/** The programs that the suites attack; jinn-mcp lies where it is built beside jinn. */
export function programsOf(jinn) {
  return { jinn, mcp: path.join(path.dirname(jinn), '../../mcp-server/dist/jinn-mcp.cjs') };
}

function start(program, args, { cwd, home, env: more = {} }) {
  const env = { ...environmentOf(home), ...more };
  const child = spawn(process.execPath, [program, ...args], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.on('error', () => {}); // The process has ended; whoever waits learns it by the time limit.
  const ended = new Promise((resolve) => child.on('close', resolve));
  const close = async () => {
    child.stdin.end();
    if (args.includes('--http')) child.kill('SIGKILL');
    await ended;
  };
  return { child, close };
}

function toRaw(kind, answer) {
  return typeof answer === 'string' && answer in ANSWERS ? ANSWERS[answer][kind] : answer.raw;
}

/** Fails after a time, so that a door that does not answer is a failure and not a hang. */
function within(promise, what) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer: ${what}`)), WAIT_MS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Opens jinn. `call` puts a call, gives this answer to its question, and returns how often it was asked, and the answer to the call. */
function openStdio({ jinn }, place) {
  const { child, close } = start(jinn, ['--approvals=stdio', '--dangerous=ask', '--toolset', 'jinn,custom'], place);
  const listeners = new Set();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line);
    for (const hear of [...listeners]) hear(message);
  });
  const send = (message) => child.stdin.write(`${JSON.stringify(message)}\n`);
  let next = 0;
  const call = (tool, args, answer, { hold } = {}) => {
    const request_id = `r${++next}`;
    let asked = [];
    const answered = new Promise((resolve) => {
      const hear = (message) => {
        if (message.approval?.request_id === request_id) {
          asked = [...asked, message.approval];
          if (hold) return hold(message.approval, send);
          send({ approval: message.approval.id, answer: toRaw('stdio', answer) });
          // What is not taken leaves the question open.
          send({ approval: message.approval.id, answer: 'deny' });
        } else if (message.request_id === request_id) {
          listeners.delete(hear);
          resolve({ asked, text: JSON.stringify(message), ok: message.ok });
        }
      };
      listeners.add(hear);
    });
    send({ tool, args, request_id });
    return within(answered, tool);
  };
  return { call, send, close };
}

/** The transport of standard input and output. `request` resolves to the answer; what the server asks goes to `onRequest`. */
function openPipe({ mcp }, place) {
  const { child, close } = start(mcp, ['--sandbox', 'off', '--toolset', 'jinn,custom'], place);
  const waiting = new Map();
  const transport = { close, onRequest: () => undefined };
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line);
    if (message.method === undefined) waiting.get(message.id)?.(message);
    else if (message.id !== undefined) transport.onRequest(message, send);
  });
  const request = (message) =>
    within(
      new Promise((resolve) => {
        waiting.set(message.id, resolve);
        send(message);
      }),
      message.method,
    );
  return Object.assign(transport, { send: async (message) => send(message), request, headers: {} });
}

/** The transport of HTTP, for the person whose token it is; `as` gives another one to the same server. */
export async function openHttp({ mcp }, place, flags = []) {
  const tokens = path.join(place.home, 'tokens');
  fs.writeFileSync(
    tokens,
    Object.entries(TOKENS)
      .map(([name, token]) => `${name}:${token}\n`)
      .join(''),
  );
  const args = [
    '--sandbox',
    'off',
    '--toolset',
    'jinn,custom',
    '--http',
    '127.0.0.1:0',
    '--token-file',
    tokens,
    ...flags,
  ];
  const { child, close } = start(mcp, args, place);
  const url = await within(
    new Promise((resolve) => {
      let text = '';
      child.stderr.on('data', (chunk) => {
        text += chunk;
        const [, found] = /listens on (http:\S+)\n/.exec(text) ?? [];
        if (found) resolve(found);
      });
    }),
    'start',
  );
  return httpTransport(url, { authorization: `Bearer ${TOKENS.alice}` }, close);
}

/** Returns the headers and the body of a message over HTTP. */
export function toPost(message) {
  const { method, params } = message;
  const stateless = params?._meta?.['io.modelcontextprotocol/protocolVersion'] === STATELESS;
  const named = params?.name ?? params?.uri;
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(stateless && { 'mcp-protocol-version': STATELESS, 'mcp-method': method }),
    ...(stateless && named !== undefined && { 'mcp-name': named }),
  };
  return { headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) };
}

function httpTransport(url, headers, close) {
  const transport = { close, onRequest: () => undefined, headers, url };
  const post = async (message) => {
    const { headers: fixed, body } = toPost(message);
    const response = await fetch(url, { method: 'POST', headers: { ...fixed, ...transport.headers }, body });
    const session = response.headers.get('mcp-session-id');
    if (session) transport.headers = { ...transport.headers, 'mcp-session-id': session };
    return response;
  };
  const send = async (message) => void (await (await post(message)).text());
  const request = (message) => within(readAnswer(post(message), message.id, transport, send), message.method);
  const as = (person, more = {}) =>
    httpTransport(url, { ...transport.headers, authorization: `Bearer ${TOKENS[person]}`, ...more }, async () => {});
  return Object.assign(transport, { send, request, as });
}

async function readAnswer(posted, id, transport, send) {
  const response = await posted;
  if (!response.headers.get('content-type')?.includes('event-stream')) return response.json();
  let text = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const events = text.split('\n\n');
    text = events.pop();
    for (const event of events) {
      const data = /^data: (.+)$/m.exec(event)?.[1];
      if (!data) continue;
      const message = JSON.parse(data);
      if (message.method === undefined && message.id === id) return message;
      if (message.method !== undefined && message.id !== undefined) transport.onRequest(message, send);
    }
  }
  throw new Error('the stream ended without an answer');
}

let ids = 0;

export async function openByHandshake(given, capabilities = ASKS) {
  const transport = await given;
  const params = { protocolVersion: '2025-11-25', capabilities, clientInfo: CLIENT };
  await transport.request({ id: ++ids, method: 'initialize', params });
  await transport.send({ method: 'notifications/initialized' });
  const call = async (name, args, answer, { hold } = {}) => {
    const asked = [];
    transport.onRequest = (question, send) => {
      asked.push(question.params);
      if (hold) return hold(question, send);
      const raw = toRaw('mcp', answer);
      void send(
        raw === 'error'
          ? { id: question.id, error: { code: -32_000, message: 'run' } }
          : { id: question.id, result: raw },
      );
      // An answer that is sent again must not count.
      void send({ id: question.id, result: ANSWERS.once.mcp });
    };
    const message = await transport.request({ id: ++ids, method: 'tools/call', params: { name, arguments: args } });
    return toResult(message, asked);
  };
  return { call, transport, close: transport.close, isStateless: false };
}

export async function openStateless(given, capabilities = ASKS) {
  const transport = await given;
  if (transport.url) transport.headers = { ...transport.headers, 'jinn-session': `session-of-the-attack-${++ids}` };
  const _meta = { ...STATELESS_META, 'io.modelcontextprotocol/clientCapabilities': capabilities };
  const put = (name, args, more = {}, through = transport) =>
    through.request({ id: ++ids, method: 'tools/call', params: { name, arguments: args, _meta, ...more } });
  const call = async (name, args, answer) => {
    const first = await put(name, args);
    const { requestState, inputRequests } = first.result ?? {};
    if (inputRequests === undefined) return toResult(first, []);
    const asked = Object.values(inputRequests).map(({ params }) => params);
    const raw = toRaw('mcp', answer);
    if (raw === 'error') return toResult(first, asked);
    const second = await put(name, args, { requestState, inputResponses: { approval: raw } });
    // The same answer, and a better one, must not count later.
    const third = await put(name, args, { requestState, inputResponses: { approval: ANSWERS.once.mcp } });
    return { ...toResult(second, asked), replayed: toResult(third, []) };
  };
  return { call, put, meta: _meta, transport, close: transport.close, isStateless: true };
}

function toResult({ result, error }, asked) {
  const text = JSON.stringify(result ?? error);
  return {
    asked,
    text,
    ok: error === undefined && result?.isError !== true && result?.resultType !== 'input_required',
  };
}

/** Counts attempts in a row for people, and notes each that got past the person. */
export function newRow(what) {
  return { what, tried: 0, held: 0, failed: 0, notes: [] };
}

export function note(row, holds, fault) {
  row.tried++;
  row[holds ? 'held' : 'failed']++;
  if (!holds && row.notes.length < 10) row.notes.push(fault);
}

/** Takes one of `part` attempts for a short run, and asserts that a suite is not smaller than it says. */
export function choose(attempts, { quick, seed }, least, part) {
  if (attempts.length < least) throw new Error(`the suite has ${attempts.length} attempts, and claims ${least}`);
  return quick ? attempts.filter((_, i) => i % part === seed % part) : attempts;
}
