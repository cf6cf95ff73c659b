import fs from 'node:fs';
import {
  findNginx,
  findPort,
  findPostgres,
  makeTempDirectory,
  makeTree,
  startNginx,
  startPostgres,
  toStatelessRequest,
} from '@jinn/testkit';
import { expect, test, vi } from 'vitest';
import { connectNewHttp, connectOldHttp, listen } from '../fixture/listen.ts';
import { configurationFor } from '../fixture/nginx-configuration.ts';

const nginx = findNginx();
const postgres = findPostgres();

/** Starts two servers of one workspace, each with a home of its own, that share a database, and nginx before them. */
async function serveTwo({ hasAffinity }: { hasAffinity: boolean }) {
  const { url: database } = startPostgres(postgres as string);
  const [place, root] = [makeTempDirectory(), makeTempDirectory()];
  makeTree(place, {
    tokens: 'ann:the-token-of-ann\n',
    'team.json': JSON.stringify({
      database: { url: database, workspace: 'shop' },
      proxy: { addresses: ['127.0.0.1'], header: 'X-Never-Sent' },
    }),
  });
  makeTree(root, { 'a.txt': 'one\n' });
  const start = async (name: string, port: number) => {
    const log = `${place}/${name}.jsonl`;
    const files = ['--token-file', `${place}/tokens`, '--team', `${place}/team.json`, '--log-file', log];
    const args = ['--sandbox', 'off', '--root', root, '--log-args', 'full', ...files];
    const variables = { JINN_MCP_APPROVAL_KEY: 'a-key-of-several-servers' };
    const { server } = await listen({ args, variables, address: `127.0.0.1:${port}` });
    const events = () =>
      fs
        .readFileSync(log, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    return { ...server, events };
  };
  const [portA, portB, port] = [await findPort(), await findPort(), await findPort()];
  const [a, b] = await Promise.all([start('a', portA), start('b', portB)]);
  await startNginx(nginx as string, configurationFor(port, [`127.0.0.1:${portA}`, `127.0.0.1:${portB}`], hasAffinity));
  return { a, b, root, url: new URL(`http://127.0.0.1:${port}/mcp`), restart: () => start('a', portA) };
}

const TOKEN = { authorization: 'Bearer the-token-of-ann' };
const ASKS = { elicitation: { form: {} } };

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly requestState: string | undefined;
}

let ids = 0;

/** Sends a call of the stateless revision, each on its own, as clients do that name no session. */
async function call(url: URL, name: string, args: object, { id = `call-${++ids}`, ...more } = {}): Promise<Answer> {
  const asked = toStatelessRequest('tools/call', { name, arguments: args, ...more }, { id, capabilities: ASKS });
  const { headers, body } = asked;
  const response = await fetch(url, { method: 'POST', headers: { ...headers, ...TOKEN }, body });
  const text = await response.text();
  const { requestState } = JSON.parse(text).result ?? {};
  return { status: response.status, text, requestState };
}

const LOST = 'the server went away before it answered: see what this call has done by then, and send it again';
const CLIENTS = 8;
const CALLS = 1_000;

/** An agent that works in a directory of its own, and looks what came of each call that got no answer. */
function createAgent({ url, root, count }: { url: URL; root: string; count(): number }) {
  const unanswered: string[] = [];
  const send = async (name: string, args: object, more: object = {}): Promise<string | undefined> => {
    const answer = await call(url, name, args, more);
    if (answer.status === 502 && answer.text.includes(LOST)) return void unanswered.push(name);
    expect(answer).toMatchObject({ status: 200, text: expect.not.stringContaining('"isError":true') });
    return answer.requestState ?? answer.text;
  };
  const until = async (isDone: () => boolean, work: () => Promise<unknown>) => {
    while (!isDone()) await work();
  };
  const contentOf = (file: string) =>
    fs.existsSync(`${root}/${file}`) ? fs.readFileSync(`${root}/${file}`, 'utf8') : '';
  const steps: ((at: string, n: number) => Promise<unknown>)[] = [
    (at, n) => send('write_file', { path: `${at}/b.txt`, content: `${n}\n` }),
    (at) => send('read_file', { path: `${at}/a.txt` }),
    (at) => send('search_files', { pattern: 'line', path: at }),
    (at, n) => {
      const [last = ''] = contentOf(`${at}/a.txt`).split('\n').slice(-2);
      const edit = { path: `${at}/a.txt`, old_text: `${last}\n`, new_text: `${last}\nline ${n}\n` };
      return until(
        () => contentOf(edit.path).includes(`line ${n}\n`),
        () => send('edit_file', edit),
      );
    },
    (at, n) => {
      const command = `echo ${n} >> ${at}/log`;
      return until(
        () => contentOf(`${at}/log`).split('\n').includes(`${n}`),
        () => send('run_shell', { command }),
      );
    },
    (at, n) => {
      const directory = `${at}/gone-${n}`;
      fs.mkdirSync(`${root}/${directory}`);
      const remove = async (more: object = {}) =>
        send('run_shell', { command: `rm -rf ${directory}` }, { id: `ask-${n}`, ...more });
      const approval = { action: 'accept', content: { decision: 'Allow once' } };
      return until(
        () => !fs.existsSync(`${root}/${directory}`),
        async () => {
          const requestState = await remove();
          if (requestState) await remove({ requestState, inputResponses: { approval } });
        },
      );
    },
  ];
  const work = async (at: string) => {
    makeTree(root, { [`${at}/a.txt`]: 'line 0\n' });
    const done: number[] = [];
    for (let n = count(); n <= CALLS; n = count()) {
      await steps[n % steps.length]?.(at, n);
      if (n % steps.length === 4) done.push(n);
    }
    return { done, logged: contentOf(`${at}/log`).trim().split('\n').map(Number) };
  };
  return { work, unanswered };
}

test.skipIf(!nginx || !postgres)(
  '1,000 calls without affinity: one server dies, comes back, and is told to stop, and no call is without an answer',
  { timeout: 180_000 },
  async () => {
    const { a, b, root, url, restart } = await serveTwo({ hasAffinity: false });
    let n = 0;
    const events: Record<number, () => unknown> = {};
    const at = <T>(when: number, act: () => Promise<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        events[when] = () => act().then(resolve, reject);
      });
    const count = () => {
      n++;
      events[n]?.();
      return n;
    };
    const agent = createAgent({ url, root, count });
    // Whichever server gets them, some run where the process dies.
    const long = at(350, () =>
      Promise.all([1, 2, 3, 4].map(() => call(url, 'run_shell', { command: 'sleep 20; echo slept' }))),
    );
    const killed = at(400, async () => a.child.kill('SIGKILL'));
    const restarted = at(600, restart);
    const ended = at(800, async () => {
      const before = agent.unanswered.length;
      const again = await restarted;
      again.child.kill('SIGTERM');
      return { status: await again.exit(), before };
    });
    const agents = await Promise.all(Array.from({ length: CLIENTS }, (_, i) => agent.work(`w${i}`)));
    expect(await killed).toBe(true);
    for (const { done, logged } of agents) expect(logged.toSorted((x, y) => x - y)).toEqual(done);
    const answers = await long;
    const lost = answers.filter(({ status }) => status === 502);
    expect([lost.length > 0, lost.length < 4, lost.every(({ text }) => text.includes(LOST))]).toEqual([
      true,
      true,
      true,
    ]);
    expect(answers.filter(({ text }) => text.includes('slept')).length).toBe(4 - lost.length);
    // What only reads was answered by the other server, and of the rest what was under way alone was lost.
    const { status, before } = await ended;
    expect([status, agent.unanswered.length - before]).toEqual([0, 0]);
    expect(agent.unanswered.filter((name) => /^(read_file|search_files)$/.test(name))).toEqual([]);
    expect(agent.unanswered.length).toBeLessThanOrEqual(CLIENTS);
    const [first, second] = [a.events(), b.events()];
    const of = (log: typeof first, event: string) =>
      new Set(log.filter((line) => line.event === event && line.ok !== false).map(({ request }) => request));
    // The balancer may send question and answer to one server, but not always.
    const countAcross = (from: typeof first, to: typeof first) => {
      const answered = of(to, 'answer');
      return [...of(from, 'question')].filter((id) => answered.has(id)).length;
    };
    expect(countAcross(first, second)).toBeGreaterThan(0);
    expect(countAcross(second, first)).toBeGreaterThan(0);
  },
);

/** Connects a client as those of a host, in one session. */
async function join(connect: typeof connectOldHttp | typeof connectNewHttp, url: URL) {
  const connection = await connect(url, {}, TOKEN);
  await connection.connect();
  const client = connection.client as Awaited<ReturnType<typeof connectNewHttp>>['client'];
  // The client of the 1.x line has the schema of the result before the options.
  const before = connect === connectOldHttp ? [undefined] : [];
  const callTool = client.callTool.bind(client) as (...args: unknown[]) => Promise<unknown>;
  return (command: string, options: object = {}) =>
    callTool({ name: 'run_shell', arguments: { command } }, ...before, options).then(
      (result) => JSON.stringify(result),
      (error: Error) => `lost: ${error.message}`,
    );
}

test.skipIf(!nginx || !postgres).for([
  ['by handshake', connectOldHttp, true],
  ['stateless', connectNewHttp, false],
] as const)('%s: a client hears of it when its server dies under a call', async ([, connect, hasAffinity]) => {
  const { a, b, url } = await serveTwo({ hasAffinity });
  const run = await join(connect, url);
  await run('echo first');
  const used = a.events().some(({ event }) => event === 'call') ? a : b;
  const start = performance.now();
  const calls = [{}, { onprogress() {} }].flatMap((options) => [1, 2].map(() => run('sleep 6; echo slept', options)));
  await vi.waitUntil(() => performance.now() - start > 3_000, { timeout: 10_000 });
  used.child.kill('SIGKILL');
  const answers = await Promise.all(calls);
  expect(performance.now() - start).toBeLessThan(40_000);
  const lost = answers.filter((text) => text.startsWith('lost: '));
  expect(lost.length).toBeGreaterThan(0);
  for (const text of lost) expect(text).toMatch(/see what (it|this call) has done by then, and send it again/);
});

test.skipIf(!nginx || !postgres)(
  'a session by handshake goes on where the balancer keeps it at its server, and is refused at once elsewhere',
  async () => {
    const { url: apart } = await serveTwo({ hasAffinity: false });
    const outcomes = [];
    for (let i = 0; i < 4; i++)
      outcomes.push(
        await join(connectOldHttp, apart).then(
          (run) => run('echo fine'),
          (error) => `${error}`,
        ),
      );
    expect(outcomes.join('\n')).toMatch(/404.*Session not found|Session not found/);
    const { url } = await serveTwo({ hasAffinity: true });
    const run = await join(connectOldHttp, url);
    for (let i = 0; i < 10; i++) expect(await run('echo fine')).toContain('fine');
  },
);
