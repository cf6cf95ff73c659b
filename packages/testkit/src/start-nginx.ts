import { spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import { onTestFinished, vi } from 'vitest';
import { makeTempDirectory } from './temp-directory.ts';

const NGINX = ['/usr/sbin/nginx', '/usr/bin/nginx'];
const KINDS = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

/** Returns the nginx of the system; undefined if there is none. */
export function findNginx(): string | undefined {
  return NGINX.find((program) => fs.existsSync(program));
}

/** Returns a port of this machine that nobody listens on, and that the system gives to nobody by itself. */
export async function findPort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 30_000);
    const server = net.createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}

/** Writes a configuration of nginx so that it needs no place of the system. Returns the file. */
function writeConfiguration(text: string): string {
  const place = makeTempDirectory();
  const paths = KINDS.map((kind) => `${kind}_temp_path ${place}/${kind};`).join('\n  ');
  const top = `pid ${place}/pid;\nerror_log stderr;\ndaemon off;\n`;
  fs.writeFileSync(`${place}/nginx.conf`, top + text.replace('http {', `http {\n  access_log off;\n  ${paths}`));
  return `${place}/nginx.conf`;
}

/** Returns the exit status and the messages of nginx for a configuration that it only checks. */
export function checkNginx(program: string, text: string): { status: number | null; stderr: string } {
  return spawnSync(program, ['-t', '-c', writeConfiguration(text)], { encoding: 'utf8' });
}

/** Starts nginx for this test alone; waits until it has begun. */
export async function startNginx(program: string, text: string): Promise<void> {
  const file = writeConfiguration(text);
  const child = spawn(program, ['-c', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.on('data', (chunk) => {
    log += chunk;
  });
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await exited;
  });
  const pid = file.replace(/nginx\.conf$/, 'pid');
  await vi.waitUntil(
    () => {
      if (child.exitCode !== null) throw new Error(`nginx does not start: ${log}`);
      return fs.existsSync(pid) && fs.readFileSync(pid, 'utf8') !== '';
    },
    { timeout: 10_000 },
  );
}
