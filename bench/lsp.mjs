import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { makeTree, median, oneShot, openSession, scratch, timeOf } from './measure.mjs';

const SELF = fileURLToPath(import.meta.url);
const TYPESCRIPT = path.join(path.dirname(createRequire(SELF).resolve('typescript/package.json')), 'bin/tsc');
const ROUNDS = 200;
const COLD_ROUNDS = 9;
const MANY = 10_000;
const REFERENCES = { action: 'references', path: 'd0/e0/file-0.ts', line: 1, character: 14 };
const HOVER = { action: 'hover', path: 'd0/e0/file-0.ts', line: 1, symbol: 'value0' };

/** What language servers cost over the bare protocol, with the server of TypeScript 7. */
export const lsp = [
  {
    what: '`lsp_query` hover, warm in a session',
    peer: 'the same request, bare protocol',
    target: { extraMs: 5 },
    run: () => warm(project(200)),
  },
  {
    what: 'the same, in a project of 20,000 files',
    peer: 'the same request, bare protocol',
    target: { extraMs: 50 },
    run: () => warm(project(20_000), 50),
  },
  {
    what: '`lsp_query` references, the second, in a project of 20,000 files',
    peer: 'the same request, bare protocol',
    target: { extraMs: 50 },
    run: () => warm(project(20_000), 20, REFERENCES),
  },
  {
    what: '`lsp_query` hover, one-shot',
    peer: 'a bare client script',
    target: { extraMs: 200 },
    run: () => first(project(200)),
  },
  {
    what: '10,000 warm queries: memory beyond that of 1,000',
    peer: '',
    unit: ' MB',
    target: { atMost: 40 },
    run: () => growth(project(200)),
  },
];

function project(count) {
  const root = makeTree(`lsp-${count}`, {
    count,
    perDirectory: 50,
    extension: 'ts',
    contentOf: (i) => `export const value${i}: number = ${i};\n`,
  });
  fs.writeFileSync(path.join(root, 'tsconfig.json'), '{ "compilerOptions": { "strict": true } }\n');
  return root;
}

/** A PATH with the server on it. */
function withServer() {
  const bin = scratch('lsp-bin');
  fs.rmSync(path.join(bin, 'tsc'), { force: true });
  fs.symlinkSync(fs.realpathSync(TYPESCRIPT), path.join(bin, 'tsc'));
  return `${bin}:${process.env.PATH}`;
}

async function warm(root, rounds = ROUNDS, args = HOVER) {
  const session = open(root);
  const bare = await startBare(root);
  const request = { tool: 'lsp_query', args: { ...args, timeout: 120 } };
  const [ours, theirs] = [[], []];
  for (let i = -5; i < rounds; i++) {
    const asked = await timed(() => session.ask(request));
    const answered = await timed(() => bare.ask(args.action));
    if (i >= 0) ours.push(asked);
    if (i >= 0) theirs.push(answered);
  }
  session.close();
  bare.close();
  return { ours: median(ours), theirs: median(theirs) };
}

/** Measures a process that starts a server for its one request. */
function first(root) {
  const env = { PATH: withServer() };
  const command = { ...oneShot({ tool: 'lsp_query', args: HOVER }, root), env };
  const bare = { command: process.execPath, args: [SELF, root], cwd: root, env };
  const [ours, theirs] = [[], []];
  for (let i = -1; i < COLD_ROUNDS; i++) {
    const [ms, bareMs] = [timeOf(command), timeOf(bare)];
    if (i >= 0) ours.push(ms);
    if (i >= 0) theirs.push(bareMs);
  }
  return { ours: median(ours), theirs: median(theirs) };
}

async function growth(root) {
  const session = open(root);
  const request = { tool: 'lsp_query', args: HOVER };
  for (let i = 0; i < MANY / 10; i++) await session.ask(request);
  const before = session.peakMemory();
  for (let i = 0; i < MANY; i++) await session.ask(request);
  const ours = session.peakMemory() - before;
  session.close();
  return { ours };
}

function open(root) {
  const session = openSession(root, { env: { PATH: withServer() } });
  return {
    ...session,
    ask: async (request) => {
      session.send(request);
      const answer = await session.receive();
      if (!answer.startsWith('{"ok":true')) throw new Error(answer);
    },
  };
}

async function timed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** The least client there can be: no checks, no limits, one document. */
async function startBare(root) {
  const server = spawn(process.execPath, [TYPESCRIPT, '--lsp', '--stdio'], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const waiting = new Map();
  let pending = Buffer.alloc(0);
  let last = 0;
  const send = (message) => {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
    server.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
    server.stdin.write(body);
  };
  const receive = (message) => {
    if (message.method && message.id !== undefined) send({ id: message.id, result: answerTo(message) });
    else waiting.get(message.id)?.(message.result);
  };
  server.stdout.on('data', (chunk) => {
    pending = Buffer.concat([pending, chunk]);
    for (;;) {
      const end = pending.indexOf('\r\n\r\n');
      const length = Number(/Content-Length: (\d+)/i.exec(pending.toString('latin1', 0, Math.max(end, 0)))?.[1]);
      if (end < 0 || pending.length < end + 4 + length) return;
      receive(JSON.parse(pending.toString('utf8', end + 4, end + 4 + length)));
      pending = pending.subarray(end + 4 + length);
    }
  });
  const ask = (method, params) =>
    new Promise((resolve) => {
      waiting.set(++last, resolve);
      send({ id: last, method, params });
    });
  const file = path.join(root, HOVER.path);
  const uri = pathToFileURL(file).href;
  const rootUri = pathToFileURL(root).href;
  const workspaceFolders = [{ uri: rootUri, name: 'root' }];
  await ask('initialize', { processId: process.pid, rootUri, workspaceFolders, capabilities: {} });
  send({ method: 'initialized', params: {} });
  const textDocument = { uri, languageId: 'typescript', version: 1, text: fs.readFileSync(file, 'utf8') };
  send({ method: 'textDocument/didOpen', params: { textDocument } });
  const params = { textDocument: { uri }, position: { line: 0, character: 13 }, context: { includeDeclaration: true } };
  return {
    ask: (action) => ask(`textDocument/${action}`, params),
    end: () => ask('shutdown'),
    close: () => server.kill(),
  };
}

function answerTo({ method, params }) {
  return method === 'workspace/configuration' ? params.items.map(() => ({})) : null;
}

if (process.argv[1] === SELF) {
  const bare = await startBare(process.argv[2]);
  const answer = await bare.ask('hover');
  await bare.end();
  bare.close();
  process.exit(answer ? 0 : 1);
}
