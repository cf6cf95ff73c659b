import { once } from 'node:events';
import fs from 'node:fs';
import { createServer } from 'node:net';
import { makeTempDirectory, openTestMachine } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { askBackground } from './ask-background.ts';
import { findPlace } from './background-place.ts';
import { stopBackground } from './stop-background.ts';

/** Listens at a socket, and says nothing. */
async function listen(file: string) {
  const server = createServer((socket) => socket.on('error', () => {}).resume());
  onTestFinished(() => void server.close());
  server.listen(file);
  await once(server, 'listening');
  return server;
}

test.for(['ask', 'stop'])('%s: who waits for a silent process leaves the socket of the next one', async (what) => {
  const machine = openTestMachine();
  const options = { machine, cache: makeTempDirectory(), flags: [], version: '1' };
  const place = findPlace(options);
  if (!place) throw new Error('there is a place');
  fs.mkdirSync(place.directory, { mode: 0o700 });
  const connected = once(await listen(place.socket), 'connection');
  const ends = { report() {}, isOnlyRequest: async () => true };
  const waiting =
    what === 'ask'
      ? askBackground({ tool: 'lsp_query', args: { path: 'a.none' } }, ends, options)
      : stopBackground(options.cache, place.root);
  await connected;
  fs.rmSync(place.socket);
  await listen(place.socket);
  expect(await waiting).toBe(what === 'ask' ? undefined : 0);
  expect(fs.existsSync(place.socket)).toBe(true);
});
