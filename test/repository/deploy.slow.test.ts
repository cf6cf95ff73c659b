import { spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import path from 'node:path';
import tls from 'node:tls';
import { expect, onTestFinished, test, vi } from 'vitest';
import { parse } from 'yaml';
import {
  checkNginx,
  findNginx,
  findPort,
  findPostgres,
  makeTempDirectory,
  makeTree,
  startNginx,
  startPostgres,
  toStatelessRequest,
} from '../../packages/testkit/src/index.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const PROGRAM = path.join(ROOT, 'apps/mcp-server/dist/jinn-mcp.cjs');
const NAME = 'tools.example.org';
const TOKEN = 'the-token-of-ann';

const isThere = (command: string, ...args: string[]) => spawnSync(command, args).status !== null;
const nginx = isThere('openssl', 'version') ? findNginx() : undefined;

/** Makes the certificate that the configuration of nginx names; returns that configuration for this server. */
function configure({ port, server }: { port: number; server: string }): { text: string; certificate: string } {
  const place = makeTempDirectory();
  const certificate = `${place}/${NAME}.pem`;
  const files = ['-keyout', `${place}/${NAME}.key`, '-out', certificate];
  const name = ['-subj', `/CN=${NAME}`, '-addext', `subjectAltName=DNS:${NAME}`];
  const made = spawnSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...name, ...files]);
  expect(made.status).toBe(0);
  const text = fs
    .readFileSync(path.join(ROOT, 'deploy/nginx.conf'), 'utf8')
    .replaceAll('/etc/nginx/certificates', place)
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replace('server:7337', server)
    // Debian's nginx is older than the parameter.
    .replace(' resolve ', ' ');
  return { text, certificate };
}

test.skipIf(!nginx)('nginx takes its configuration', () => {
  const { text } = configure({ port: 1, server: '127.0.0.1:7337' });
  const { status, stderr } = checkNginx(nginx as string, text);
  expect([status, stderr]).toEqual([0, expect.stringContaining('test is successful')]);
});

/** Starts a program that ends with the test; returns what it has written to standard error so far. */
function start(command: string, args: string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(command, args, {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let log = '';
  child.stderr.on('data', (chunk) => {
    log += chunk;
  });
  return () => log;
}

test.skipIf(!nginx)('a call goes through nginx with TLS, and what it reports comes before it ends', async () => {
  const place = makeTempDirectory();
  const file = `${place}/log`;
  const settings = JSON.parse(fs.readFileSync(path.join(ROOT, 'deploy/team.json'), 'utf8'));
  settings.proxy.addresses = ['127.0.0.1'];
  fs.writeFileSync(`${place}/team.json`, JSON.stringify(settings));
  const options = ['--team', `${place}/team.json`, '--log-file', file, '--sandbox', 'off', '--allow-host', NAME];
  const args = [PROGRAM, '--http', '127.0.0.1:0', '--root', makeTempDirectory(), ...options];
  const logOf = start(process.execPath, args, { HOME: place, JINN_MCP_TOKEN: TOKEN });
  const [, server = ''] = await vi.waitUntil(() => /listens on http:\/\/(.*)\/mcp\n/.exec(logOf()), {
    timeout: 30_000,
  });
  const port = await findPort();
  const { text, certificate } = configure({ port, server });
  await startNginx(nginx as string, text);
  const ask = (
    pathname: string,
    asked?: ReturnType<typeof toStatelessRequest>,
  ): Promise<[number | undefined, string[]]> =>
    new Promise((resolve, reject) => {
      const ca = fs.readFileSync(certificate);
      const method = asked ? 'POST' : 'GET';
      const request = https.request({
        host: '127.0.0.1',
        localAddress: '127.0.0.2',
        port,
        servername: NAME,
        ca,
        method,
        path: pathname,
        headers: { ...asked?.headers, authorization: `Bearer ${TOKEN}`, host: NAME },
      });
      request.on('error', reject);
      request.on('response', (response) => {
        const parts: string[] = [];
        response.on('data', (chunk) => parts.push(String(chunk)));
        response.on('end', () => resolve([response.statusCode, parts]));
      });
      request.end(asked?.body);
    });
  const params = { _meta: { progressToken: 1 }, name: 'run_shell', arguments: { command: 'sleep 3; echo done' } };
  const [status, parts] = await ask('/mcp', toStatelessRequest('tools/call', params));
  expect(status).toBe(200);
  expect(parts[0]).toContain('notifications/progress');
  expect(parts[0]).not.toContain('done');
  expect(parts.at(-1)).toContain('done');
  expect((await ask('/metrics'))[0]).toBe(404);
  expect(fs.readFileSync(file, 'utf8')).toContain('"address":"127.0.0.2"');
});

/** Starts nginx in front of a server that answers `slow` only when it is told to; returns how an address asks through it. */
async function serveThroughNginx({ rate = '50r/s' } = {}) {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let arrived = 0;
  const behind = http.createServer(async (request, response) => {
    arrived++;
    if (request.url === '/slow') await released;
    request.resume().on('end', () => response.end('answered'));
  });
  onTestFinished(() => {
    release();
    behind.closeAllConnections();
    behind.close();
  });
  await once(behind.listen(0, '127.0.0.1'), 'listening');
  const { port: server } = behind.address() as { port: number };
  const port = await findPort();
  const { text } = configure({ port, server: `127.0.0.1:${server}` });
  await startNginx(nginx as string, text.replace('rate=50r/s', `rate=${rate}`));
  const ask = (url: string, localAddress: string, body?: Buffer): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port, localAddress, path: url, agent: false, rejectUnauthorized: false };
      const request = https.request({ ...options, method: body ? 'POST' : 'GET', headers: { host: NAME } });
      request.on('error', reject);
      request.on('response', (response) => response.resume().on('end', () => resolve(response.statusCode)));
      request.end(body);
    });
  const open = async () => {
    const socket = tls.connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
    onTestFinished(() => void socket.destroy());
    await once(socket, 'secureConnect');
    return socket;
  };
  return { ask, open, release, arrived: () => arrived };
}

const countOf = (statuses: readonly unknown[], status: number) => statuses.filter((each) => each === status).length;

test.skipIf(!nginx)('an address has at most 128 connections with a request, and others their own', async () => {
  const { ask, release, arrived } = await serveThroughNginx();
  const slow = Array.from({ length: 140 }, () => ask('/slow', '127.0.0.2'));
  await expect.poll(arrived).toBe(128);
  expect(await ask('/', '127.0.0.3')).toBe(200);
  release();
  const statuses = await Promise.all(slow);
  expect([countOf(statuses, 200), countOf(statuses, 429)]).toEqual([128, 12]);
});

test.skipIf(!nginx)('an address that sends many requests at once is refused, and others are not', async () => {
  // A busy machine may not send 50 a second.
  const { ask } = await serveThroughNginx({ rate: '5r/s' });
  const statuses: (number | undefined)[] = [];
  for (let i = 0; i < 40; i++) {
    statuses.push(...(await Promise.all(Array.from({ length: 20 }, () => ask('/', '127.0.0.2')))));
  }
  expect(countOf(statuses, 200) + countOf(statuses, 429)).toBe(800);
  expect(countOf(statuses, 200)).toBeGreaterThan(200);
  expect(countOf(statuses, 429)).toBeGreaterThan(0);
  expect(await ask('/', '127.0.0.3')).toBe(200);
});

test.skipIf(!nginx)('a body of more than 64 MB, and a client that sends nothing, do not reach the server', async () => {
  const { ask, open, arrived } = await serveThroughNginx();
  const mb = 1024 * 1024;
  expect(await ask('/', '127.0.0.2', Buffer.alloc(1_000))).toBe(200);
  expect(await ask('/', '127.0.0.2', Buffer.alloc(65 * mb)).catch(() => 413)).toBe(413);
  const [silent, half] = [await open(), await open()];
  half.write(`POST /mcp HTTP/1.1\r\nHost: ${NAME}\r\nContent-Length: 1000\r\n\r\n{`);
  for (const socket of [silent, half]) socket.resume();
  await Promise.all([silent, half].map((socket) => once(socket, 'close')));
  expect(arrived()).toBe(1);
});

/** Passes requests on as the sandbox-router does: Authorization and Host are its own, and a request ends after so long. */
function routerFor({ port, server, seconds }: { port: number; server: string; seconds: number }): string {
  return `events {}
http {
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://${server};
      proxy_http_version 1.1;
      proxy_set_header Host shop.jinn.svc.cluster.local;
      proxy_set_header Authorization "";
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_set_header X-Forwarded-Host $host;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_read_timeout ${seconds}s;
    }
  }
}
`;
}

/** Starts the server of a sandbox with the arguments and the settings of its template. */
async function startSandbox(place: string, keys: string) {
  const read = (file: string) => fs.readFileSync(path.join(ROOT, 'deploy/kubernetes/workspace', file), 'utf8');
  const [container] = parse(read('sandbox.yaml')).spec.podTemplate.spec.containers;
  const settings = JSON.parse(read('team.json'));
  settings.proxy.addresses = ['127.0.0.1'];
  settings.proxy.assertion.keys = keys;
  delete settings.database;
  fs.writeFileSync(`${place}/team.json`, JSON.stringify(settings));
  const ours: Record<string, string> = {
    '0.0.0.0:8888': '127.0.0.1:0',
    '/workspace': `${place}/workspace`,
    '/etc/jinn/team.json': `${place}/team.json`,
  };
  const args = container.args.map((argument: string) => ours[argument] ?? argument);
  fs.mkdirSync(`${place}/workspace`);
  const logOf = start(process.execPath, [PROGRAM, ...args, '--log-file', `${place}/log`], { HOME: place });
  const [, server = ''] = await vi.waitUntil(() => /listens on http:\/\/(.*)\/mcp\n/.exec(logOf()), {
    timeout: 30_000,
  });
  return {
    server,
    header: settings.proxy.header as string,
    claims: settings.proxy.assertion as { issuer: string; audience: string },
  };
}

/** Serves the key with which a provider signs who somebody is. */
async function startProvider() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keys = JSON.stringify({ keys: [publicKey.export({ format: 'jwk' })] });
  const provider = http.createServer((_, response) => void response.end(keys));
  onTestFinished(() => void provider.close());
  await once(provider.listen(0, '127.0.0.1'), 'listening');
  const { port } = provider.address() as { port: number };
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const assertionOf = ({ issuer, audience }: { issuer: string; audience: string }, person: string) => {
    const claims = { iss: issuer, aud: audience, sub: person, exp: Math.floor(Date.now() / 1000) + 300 };
    const signed = `${encode({ alg: 'ES256' })}.${encode(claims)}`;
    const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    return `${signed}.${signature.toString('base64url')}`;
  };
  return { url: `http://127.0.0.1:${port}/keys`, assertionOf };
}

test.skipIf(!nginx)(
  'behind a sandbox-router people are known by what is signed of them, and what takes long runs in the background',
  async () => {
    const place = makeTempDirectory();
    const provider = await startProvider();
    const { server, header, claims } = await startSandbox(place, provider.url);
    const ann = { [header]: provider.assertionOf(claims, 'ann') };
    const port = await findPort();
    await startNginx(nginx as string, routerFor({ port, server, seconds: 6 }));
    const call = async (args: object, more: object = ann, to = `127.0.0.1:${port}`) => {
      const { headers, body } = toStatelessRequest('tools/call', { name: 'run_shell', arguments: args });
      const routed = {
        authorization: 'Bearer what-the-router-takes-away',
        'x-sandbox-id': 'shop',
        'x-sandbox-namespace': 'jinn',
        'x-sandbox-port': '8888',
        'jinn-session': 'a-session-of-the-test',
      };
      const answer = await fetch(`http://${to}/mcp`, {
        method: 'POST',
        headers: { ...headers, ...routed, ...more },
        body,
      });
      return `${answer.status} ${await answer.text()}`;
    };
    expect(await call({ command: 'echo fine' })).toMatch(/^200 .*fine/);
    expect(await call({ command: 'echo fine' }, {})).toMatch(/^401 /);
    expect(await call({ command: 'echo fine' }, { [header]: 'ann' })).toMatch(/^403 /);
    expect(await call({ command: 'echo fine' }, { 'x-auth-request-user': 'ann' })).toMatch(/^401 /);
    const forOthers = {
      [header]: provider.assertionOf({ ...claims, audience: 'https://other.example.org/mcp' }, 'ann'),
    };
    expect(await call({ command: 'echo fine' }, forOthers)).toMatch(/^403 /);
    const late = `${place}/workspace/late`;
    expect(await call({ command: `sleep 9; touch ${late}` })).toMatch(/^504 /);
    expect(await call({ command: 'sleep 7; echo done', background: true })).toContain('started job-1');
    const look = () => call({ job: 'job-1', action: 'output', wait_for: 'done', timeout: 1 });
    await expect.poll(look, { timeout: 30_000 }).toContain('done');
    expect(fs.existsSync(late)).toBe(false);
    expect(fs.readFileSync(`${place}/log`, 'utf8')).toMatch(/"person":"ann".*"tool":"run_shell"/);
  },
);

const postgres = findPostgres();

/** Starts the database of compose.several.yaml; returns what runs its services `tables` and `role`, and `jinn-mcp tokens`. */
function startDatabase() {
  const read = (file: string) => fs.readFileSync(path.join(ROOT, 'deploy', file), 'utf8');
  const { services } = parse(read('compose.several.yaml'));
  const { execute, query, urlOf } = startPostgres(postgres as string);
  execute('CREATE ROLE jinn LOGIN SUPERUSER');
  execute('CREATE DATABASE jinn OWNER jinn');
  const here = new URL(urlOf('jinn'));
  const place = makeTempDirectory();
  const run = (program: string, args: string[], env: object = {}) => {
    const found = { PATH: process.env['PATH'], HOME: place, ...env };
    const { status, stdout, stderr } = spawnSync(program, args, { env: found, encoding: 'utf8' });
    return { status, text: stdout + stderr };
  };
  /** Runs a command of jinn-mcp with the settings of a file, whose database is here. */
  const jinn = (file: string, args: string[]) => {
    const settings = JSON.parse(read(file));
    settings.database.url = here.href.replace('postgres@', `${new URL(settings.database.url).username}@`);
    makeTree(place, { [file]: JSON.stringify({ database: settings.database }) });
    const line = args.map((word) => word.replace('/etc/jinn/team.json', `${place}/${file}`));
    return run(process.execPath, [PROGRAM, ...line]);
  };
  const makeRole = () => {
    const [program, ...args] = services.role.command as [string, ...string[]];
    const socket = here.searchParams.get('host');
    const line = args.map((word) =>
      word
        .replace('--host=database', `--host=${socket}`)
        .replace('/workspace.sql', `${ROOT}/deploy/postgres/workspace.sql`),
    );
    return run(program, line, { JINN_ROLE_PASSWORD: "of the 'role'" });
  };
  return { jinn, makeTables: () => jinn('team.owner.json', services.tables.command), makeRole, query };
}

test.skipIf(!postgres)('the servers of compose.several.yaml connect as a role that owns nothing', () => {
  const { jinn, makeTables, makeRole, query } = startDatabase();
  const tokens = (...args: string[]) => jinn('team.several.json', ['tokens', ...args, '--team', '/etc/jinn/team.json']);
  expect(tokens('list').text).toContain('does not exist');
  // They run at each start.
  for (let i = 0; i < 2; i++) {
    expect(makeTables()).toMatchObject({ status: 0 });
    expect(makeRole()).toMatchObject({ status: 0 });
    expect(tokens('create', '--name', 'ann')).toMatchObject({ status: 0, text: expect.stringContaining('of ann') });
  }
  const facts = "rolsuper, rolcreaterole, rolpassword LIKE 'SCRAM-SHA-256$%' AS has_password";
  expect(query(`SELECT ${facts} FROM pg_authid WHERE rolname = 'jinn_shop'`)).toEqual([
    { rolsuper: false, rolcreaterole: false, has_password: true },
  ]);
});
