import fs from 'node:fs';
import { olderOf } from '@jinn/team/audit/operator-log';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { listen } from '../fixture/listen.ts';

const TOKEN = 'the-token-of-alice';
const TICKS_A_SECOND = 100;

/** Returns the processor time of a process, in seconds. */
function processorTimeOf(pid: number): number {
  const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}

test.runIf(process.platform === 'linux')('a server whose standard error nobody reads any more goes on', async () => {
  const place = makeTempDirectory();
  makeTree(place, { tokens: `alice:${TOKEN}\n` });
  const { url, server } = await listen({ args: ['--token-file', `${place}/tokens`] });
  const { pid = 0, stderr } = server.child;
  stderr?.destroy();
  fs.appendFileSync(`${place}/tokens`, 'this line is none\n');
  const ask = () => fetch(url, { method: 'POST', headers: { authorization: `Bearer ${TOKEN}` }, body: '{}' });
  // It says what is wrong with the file.
  await ask();
  const before = processorTimeOf(pid);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(processorTimeOf(pid) - before).toBeLessThan(0.5);
  expect((await ask()).status).not.toBe(401);
});

test.each([
  ['is left to the operator', 'if people have names', `alice:${TOKEN}`, false],
  ['rotates', 'if they have none', TOKEN, true],
])('a log that is large %s %s', async (_, __, variable, rotates) => {
  const file = `${makeTempDirectory()}/calls`;
  fs.writeFileSync(file, `${'x'.repeat(11 * 1024 * 1024)}\n`);
  const { url } = await listen({ args: ['--log-file', file], variables: { JINN_MCP_TOKEN: variable } });
  await fetch(new URL('/nowhere', url), { headers: { authorization: `Bearer ${TOKEN}` } });
  await expect.poll(() => fs.readFileSync(file, 'utf8')).toContain('"event":"refusal"');
  expect(fs.existsSync(olderOf(file))).toBe(rotates);
});
