import fs from 'node:fs';
import { hashOf } from '@jinn/team/people/bearer-tokens';
import { createIdentity } from '@jinn/team/people/identity';
import { openTokenFile } from '@jinn/team/people/token-file';
import { makeTempDirectory } from '@jinn/testkit';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { endRevoked } from './http-sessions.ts';

const ANN = 'the-token-of-ann';
const LINES = `ann:${ANN}\nbob:the-token-of-bob\n`;
const LOOK_MS = 3_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Looks at a real file of tokens; `ended` has what was ended. */
function look() {
  const file = `${makeTempDirectory()}/tokens`;
  fs.writeFileSync(file, LINES);
  const tokens = openTokenFile(file, { onFailure: () => undefined, onChange: () => undefined });
  const ended: string[] = [];
  const holder = { tokens: () => [hashOf(ANN)], end: (token: string) => void ended.push(token) };
  onTestFinished(endRevoked(createIdentity({ tokens }), [holder]));
  return { file, ended, pass: (looks: number) => vi.advanceTimersByTimeAsync(looks * LOOK_MS) };
}

test.each([
  ['empty', (file: string) => fs.truncateSync(file)],
  ['missing', (file: string) => fs.rmSync(file)],
])('a file of tokens that is %s at one look ends nothing', async (_, spoil) => {
  const { file, ended, pass } = look();
  for (let i = 0; i < 3; i++) {
    spoil(file);
    await pass(1);
    fs.writeFileSync(file, LINES);
    await pass(1);
  }
  expect(ended).toEqual([]);
});

test('what a token let in ends at the second look', async () => {
  const { file, ended, pass } = look();
  fs.writeFileSync(file, 'bob:the-token-of-bob\n');
  await pass(2);
  expect(ended).toEqual([hashOf(ANN)]);
});
