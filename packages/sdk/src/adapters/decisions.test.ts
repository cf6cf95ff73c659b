import { expect, test } from 'vitest';
import { GREET, openScene, REMOVE } from '../fixture/scene.ts';
import { createDecisions } from './decisions.ts';

const CALL = { id: 'one', ...REMOVE };
const OTHER = { name: 'run_shell', args: { command: 'rm -rf build add.js' } };

test('a call runs whose question the framework has asked', async () => {
  const { jinn, has } = openScene();
  const decisions = createDecisions(jinn);
  expect(await decisions.question(CALL)).toContain('rm -rf build');
  expect(await decisions.run(CALL)).toMatchObject({ ok: true });
  expect(has('build')).toBe(false);
});

test.for([
  ['nothing', undefined],
  ['the same call with another id', { ...CALL, id: 'two' }],
  ['a call with other arguments', { ...CALL, ...OTHER }],
] as const)('a call is refused where the framework has asked about %s', async ([, asked]) => {
  const { jinn, has } = openScene();
  const decisions = createDecisions(jinn);
  if (asked) await decisions.question(asked);
  expect(await decisions.run(CALL)).toMatchObject({ ok: false });
  expect(has('build')).toBe(true);
});

test('a yes counts for one run', async () => {
  const { jinn } = openScene();
  const decisions = createDecisions(jinn);
  await decisions.question(CALL);
  expect(await decisions.run(CALL)).toMatchObject({ ok: true });
  expect(await decisions.run(CALL)).toMatchObject({ ok: false });
});

test.for([
  ['once', 1],
  ['twice, the second time after the change', 2],
] as const)('a tool that has changed does not run, asked about %s', async ([, times]) => {
  const { jinn, has, writeTool } = openScene({ toolsets: ['custom'] });
  const decisions = createDecisions(jinn);
  writeTool('seen');
  await decisions.question(GREET);
  writeTool('changed');
  if (times === 2) await decisions.question(GREET);
  expect(await decisions.run(GREET)).toMatchObject({ ok: false });
  expect([has('seen'), has('changed')]).toEqual([false, false]);
});

test('of 1,000 questions that nobody answered the oldest is forgotten, and its call refused', {
  tags: 'slow',
}, async () => {
  const { jinn, has } = openScene();
  const decisions = createDecisions(jinn);
  const ask = (id: string) => decisions.question({ ...CALL, id });
  for (let i = 0; i < 1_000; i++) await ask(`${i}`);
  await ask('999'); // Known already: it takes the place of none.
  await ask('one');
  expect(await decisions.run({ ...CALL, id: '0' })).toMatchObject({ ok: false });
  expect(has('build')).toBe(true);
  expect(await decisions.run({ ...CALL, id: '1' })).toMatchObject({ ok: true });
  expect(has('build')).toBe(false);
});
