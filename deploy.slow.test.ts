import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import https from 'node:https';
import net from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { makeTempDirectory } from './packages/testkit/src/index.ts';

const ROOT = import.meta.dirname;
const PROGRAM = path.join(ROOT, 'apps/mcp-server/dist/jinn-mcp.cjs');
const NGINX = '/usr/sbin/nginx';
const NAME = 'tools.example.org';
const TOKEN = 'the-token-of-ann';

const isThere = (command: string, ...args: string[]) => spawnSync(command, args).status !== null;
const hasNginx = isThere(NGINX, '-v') && isThere('openssl', 'version');

async function findPort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as net.AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Makes a directory with the configuration of nginx, and the certificate that it names. */
function makeProxy({ port, server }: { port: number; server: string }): string {
  const place = makeTempDirectory();
  const files = ['-keyout', `${place}/${NAME}.key`, '-out', `${place}/${NAME}.pem`];
  const name = ['-subj', `/CN=${NAME}`, '-addext', `subjectAltName=DNS:${NAME}`];
  const made = spawnSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...name, ...files]);
  expect(made.status).toBe(0);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${place}/${kind};`,
  );
  const text = fs
    .readFileSync(path.join(ROOT, 'deploy/nginx.conf'), 'utf8')
    .replaceAll('/etc/nginx/certificates', place)
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replace('http://server:7337', server)
    .replace('http {', `http {\n  access_log off;\n  ${paths.join('\n  ')}`);
  fs.writeFileSync(`${place}/nginx.conf`, `pid ${place}/pid;\nerror_log stderr;\ndaemon off;\n${text}`);
  return place;
}

test.skipIf(!hasNginx)('nginx takes its configuration', () => {
  const place = makeProxy({ port: 1, server: 'http://127.0.0.1:7337' });
  const { status, stderr } = spawnSync(NGINX, ['-t', '-c', `${place}/nginx.conf`], { encoding: 'utf8' });
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

test.skipIf(!hasNginx)('a call goes through nginx with TLS, and what it reports comes before it ends', async () => {
  const place = makeTempDirectory();
  const file = `${place}/log`;
  fs.writeFileSync(
    `${place}/team.json`,
    JSON.stringify({ proxy: { addresses: ['127.0.0.1'], header: 'X-Never-Sent' } }),
  );
  const options = ['--team', `${place}/team.json`, '--log-file', file, '--sandbox', 'off', '--allow-host', NAME];
  const args = [PROGRAM, '--http', '127.0.0.1:0', '--root', place, ...options];
  const logOf = start(process.execPath, args, { HOME: place, JINN_MCP_TOKEN: TOKEN });
  const [, server = ''] = await vi.waitUntil(() => /listens on (http:.*)\/mcp\n/.exec(logOf()), { timeout: 10_000 });
  const port = await findPort();
  const proxy = makeProxy({ port, server });
  start(NGINX, ['-c', `${proxy}/nginx.conf`]);
  await vi.waitUntil(() => fs.existsSync(`${proxy}/pid`) && fs.readFileSync(`${proxy}/pid`, 'utf8') !== '');
  const ask = (pathname: string, body?: object): Promise<[number | undefined, string[]]> =>
    new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${TOKEN}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'run_shell',
      };
      const ca = fs.readFileSync(`${proxy}/${NAME}.pem`);
      const method = body ? 'POST' : 'GET';
      const request = https.request({
        host: '127.0.0.1',
        port,
        servername: NAME,
        ca,
        method,
        path: pathname,
        headers: { ...headers, host: NAME },
      });
      request.on('error', reject);
      request.on('response', (response) => {
        const parts: string[] = [];
        response.on('data', (chunk) => parts.push(String(chunk)));
        response.on('end', () => resolve([response.statusCode, parts]));
      });
      request.end(body && JSON.stringify(body));
    });
  const _meta = {
    progressToken: 1,
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = { _meta, name: 'run_shell', arguments: { command: 'sleep 3; echo done' } };
  const [status, parts] = await ask('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  expect(status).toBe(200);
  expect(parts[0]).toContain('notifications/progress');
  expect(parts[0]).not.toContain('done');
  expect(parts.at(-1)).toContain('done');
  expect((await ask('/metrics'))[0]).toBe(404);
  expect(fs.readFileSync(file, 'utf8')).toContain('"address":"127.0.0.1"');
});
