import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { openExample } from '../fixture/open-example.ts';

const NODE = path.dirname(process.execPath);
const PROGRAM = process.platform === 'darwin' ? 'osascript' : 'notify-send';

/** Makes a PATH whose program for notifications writes down its arguments. */
function makeDesktop(exit = 0) {
  const directory = makeTempDirectory();
  const log = `${directory}/log`;
  const script = `#!/bin/sh\nprintf '%s\\n' "$@" >'${log}'\necho oh no >&2\nexit ${exit}\n`;
  fs.writeFileSync(`${directory}/${PROGRAM}`, script, { mode: 0o755 });
  return { searchPath: `${directory}:${NODE}:/usr/bin:/bin`, arguments: () => fs.readFileSync(log, 'utf8') };
}

test('passes the texts to the desktop as they are, never as options or a script', async () => {
  const desktop = makeDesktop();
  const { call } = await openExample('notify', desktop);
  const message = '--help "; $(touch x)';
  const { output, shown, warnings } = await call({ message, title: '-t' });
  expect(output).toEqual({ sent: [PROGRAM] });
  expect(shown).toEqual({ type: 'none', title: '-t', message });
  expect(warnings).toEqual([]);
  const last = process.platform === 'darwin' ? [message, '-t'] : ['--', '-t', message];
  expect(desktop.arguments().endsWith(`${last.join('\n')}\n`)).toBe(true);
});

test('sends the message to a web hook too', async () => {
  const got: unknown[] = [];
  const server = http.createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    got.push([request.method, request.headers['title'], body]);
    response.end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/topic`;
  const { call } = await openExample('notify', { searchPath: nodeAlone(), variables: { NOTIFY_URL: url } });
  expect((await call({ message: 'done ✓', title: 'Tests ✓' })).output).toEqual({ sent: ['NOTIFY_URL'] });
  expect(got).toEqual([['POST', 'Tests ?', 'done ✓']]);
});

test('says why nothing was sent', async () => {
  const failing = await openExample('notify', makeDesktop(1));
  expect(await failing.fail({ message: 'x' })).toBe(`notify: ${PROGRAM}: oh no`);
  const variables = { NOTIFY_URL: 'http://127.0.0.1:1/' };
  const missing = await openExample('notify', { searchPath: nodeAlone(), variables });
  expect(await missing.fail({ message: 'x' })).toMatch(/^notify: .*it is not installed.*; NOTIFY_URL: /);
});

/** Returns a PATH on which there is node and nothing else. */
function nodeAlone(): string {
  const directory = makeTempDirectory();
  fs.symlinkSync(process.execPath, `${directory}/node`);
  return directory;
}
