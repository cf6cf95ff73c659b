import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import type { SharedDatabase } from '@jinn/team/database/shared-state';
import { openShared } from '@jinn/team/open-team';
import { hashOf, type Token, toTokenLine } from '@jinn/team/people/bearer-tokens';
import { parseTeamSettings } from '@jinn/team/people/team-settings';
import { findPostgres, makeTempDirectory, startPostgres, toStatelessRequest } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { PROGRAM } from '../fixture/connect.ts';
import { connectNewHttp, connectOldHttp, listen } from '../fixture/listen.ts';

const bin = findPostgres();

/** Starts a server whose tokens are in a file, or in a database. */
async function serve(hasDatabase: boolean, ...more: string[]) {
  const place = makeTempDirectory();
  const where = hasDatabase ? ['--team', `${place}/team.json`] : ['--token-file', `${place}/tokens`];
  if (hasDatabase) {
    const database = { url: startPostgres(bin as string).url, workspace: 'shop' };
    fs.writeFileSync(`${place}/team.json`, JSON.stringify({ database }));
  }
  const tokens = (...args: string[]) => {
    const env = { PATH: process.env['PATH'], HOME: place };
    const { stdout } = spawnSync(process.execPath, [PROGRAM, 'tokens', ...args, ...where], { env, encoding: 'utf8' });
    return stdout.trim();
  };
  const of = (name: string) => ({ authorization: `Bearer ${tokens('create', '--name', name)}` });
  const [ann, bob] = [of('ann'), of('bob')];
  const { url } = await listen({ args: ['--sandbox', 'off', ...where, ...more] });
  return { url, ann, bob, tokens, place };
}

/** Opens the tokens in the database of a server. */
async function openTokens(place: string) {
  const settings = parseTeamSettings(fs.readFileSync(`${place}/team.json`, 'utf8'));
  return ((await openShared(settings)) as SharedDatabase).tokens;
}

/** Opens a stream of notices; tells whether it has ended. */
async function openStream(url: URL, person: object) {
  const { headers, body } = toStatelessRequest('subscriptions/listen', { notifications: { toolsListChanged: true } });
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const answer = await fetch(url, { method: 'POST', headers: { ...headers, ...person }, body, signal: stop.signal });
  expect(answer.status).toBe(200);
  const seen = { ended: false };
  void (async () => {
    try {
      for await (const _ of answer.body as never as AsyncIterable<Uint8Array>);
    } catch {
      // A stream that is broken off has ended, too.
    }
    seen.ended = true;
  })();
  return seen;
}

const isAlive = (pid: number) => spawnSync('kill', ['-0', `${pid}`]).status === 0;

test.for([
  ['a file', connectOldHttp, false],
  ['a file', connectNewHttp, false],
  ['a database', connectNewHttp, true],
] as const)(
  'who loses a token that is in %s loses streams and jobs, and nobody else does',
  { timeout: 120_000 },
  async ([, connect, hasDatabase], { skip }) => {
    if (hasDatabase && bin === undefined) skip('there is no PostgreSQL');
    const { url, ann, bob, tokens } = await serve(hasDatabase);
    const start = async (person: object) => {
      const { client, connect: begin } = await connect(url, {}, person);
      await begin();
      const file = `${makeTempDirectory()}/pid`;
      const command = `echo $$ > ${file}; exec sleep 300`;
      await client.callTool({ name: 'run_shell', arguments: { command, background: true } });
      const pid = () => Number(fs.existsSync(file) && fs.readFileSync(file, 'utf8'));
      await expect.poll(pid).toBeGreaterThan(0);
      return { pid: pid(), stream: await openStream(url, person) };
    };
    const [ofAnn, ofBob] = [await start(ann), await start(bob)];
    tokens('revoke', '--name', 'ann');
    await expect.poll(() => ofAnn.stream.ended && !isAlive(ofAnn.pid), { timeout: 30_000 }).toBe(true);
    expect([ofBob.stream.ended, isAlive(ofBob.pid)]).toEqual([false, true]);
  },
);

test.for([
  ['a file', false],
  ['a database', true],
] as const)('a token in %s that expires loses its streams', { timeout: 120_000 }, async ([, hasDatabase], at) => {
  if (hasDatabase && bin === undefined) return at.skip();
  const { url, bob, place } = await serve(hasDatabase);
  const token = `jinn_${'x'.repeat(43)}`;
  const database = hasDatabase ? await openTokens(place) : undefined;
  const expires = Date.now() + 10_000;
  const stored: Token = { person: 'eve', hash: hashOf(token), scopes: ['jinn:read'], expires };
  if (database) await database.add(stored);
  else fs.appendFileSync(`${place}/tokens`, `${toTokenLine(stored)}\n`);
  const [ofEve, ofBob] = [await openStream(url, { authorization: `Bearer ${token}` }), await openStream(url, bob)];
  await expect.poll(() => ofEve.ended, { timeout: 40_000 }).toBe(true);
  expect(Date.now()).toBeGreaterThan(expires);
  expect(ofBob.ended).toBe(false);
});

test('tokens of a database that are taken back all at once all lose their streams', {
  timeout: 120_000,
}, async (at) => {
  if (bin === undefined) return at.skip();
  const { url, bob, place } = await serve(true);
  const tokens = await openTokens(place);
  // Of strangers, 128 wait in line, and 60 unknown ones a minute are looked up.
  const all = Array.from({ length: 128 + 60 }, (_, i) => ({
    person: `p${i}`,
    token: `jinn_${`${i}`.padStart(43, 'x')}`,
  }));
  const stored = all.map(
    ({ person, token }): Token => ({ person, hash: hashOf(token), scopes: ['jinn:read'], expires: Infinity }),
  );
  for (const token of stored) await tokens.add(token);
  const open = ({ token }: { token: string }) => openStream(url, { authorization: `Bearer ${token}` });
  const streams: { ended: boolean }[] = [];
  for (const each of all) streams.push(await open(each));
  const ofBob = await openStream(url, bob);
  await tokens.remove(stored);
  await expect.poll(() => streams.filter(({ ended }) => !ended).length, { timeout: 30_000 }).toBe(0);
  expect(ofBob.ended).toBe(false);
});

test('who loses a token that is in a file loses streams also while the database is away', {
  timeout: 120_000,
}, async (at) => {
  if (bin === undefined) return at.skip();
  const place = makeTempDirectory();
  const postgres = startPostgres(bin);
  const database = { url: postgres.url, workspace: 'shop' };
  fs.writeFileSync(`${place}/team.json`, JSON.stringify({ database }));
  const { url, ann, bob, tokens } = await serve(false, '--team', `${place}/team.json`);
  const [ofAnn, ofBob] = [await openStream(url, ann), await openStream(url, bob)];
  postgres.stop();
  tokens('revoke', '--name', 'ann');
  await expect.poll(() => ofAnn.ended, { timeout: 30_000 }).toBe(true);
  expect(ofBob.ended).toBe(false);
});
