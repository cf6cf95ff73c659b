import fs from 'node:fs';
import { findPostgres, makeTree } from '@jinn/testkit';
import { expect, test, vi } from 'vitest';
import { serveTeam } from '../fixture/serve-team.ts';

const bin = findPostgres();
// Each goes through dozens of steps.
vi.setConfig({ testTimeout: 180_000 });
const MAX_STEPS = 200;

/** Each call changes the files of a folder of its own from `one` to `two`. */
const CALLS = [
  ['an edit', 1, (folder: string) => ['edit_file', { path: `${folder}/f0`, old_text: 'one', new_text: 'two' }]],
  [
    'a change of three files',
    3,
    (folder: string) => {
      const edits = [0, 1, 2].map((i) => ({ path: `${folder}/f${i}`, old_text: 'one', new_text: 'two' }));
      return ['multi_edit', { edits }];
    },
  ],
] as const;

test
  .skipIf(bin === undefined)
  .for(
    CALLS.flatMap(([what, count, toCall]) =>
      (['messages', 'answers'] as const).map((unit) => [what, unit, count, toCall] as const),
    ),
  )(
  '%s that loses the database behind any of the %s is whole or not done, and told so',
  async ([, unit, count, toCall]) => {
    const { postgres, relay, root, connect } = await serveTeam(bin as string);
    const ann = await connect();
    const outcomes: string[] = [];
    for (let step = 0; step < MAX_STEPS; step++) {
      const folder = `at-${step}`;
      const names = Array.from({ length: count }, (_, i) => `${folder}/f${i}`);
      makeTree(root, Object.fromEntries(names.map((name) => [name, 'one'])));
      const contents = () => [...new Set(names.map((name) => fs.readFileSync(`${root}/${name}`, 'utf8')))];
      const rows = () =>
        postgres.query(`SELECT state FROM entries WHERE path LIKE '${folder}/%'`).map(({ state }) => state);
      // Without a cut, everything is open.
      const giveUp = step === 0 ? () => true : relay.failAfter({ [unit]: step } as { messages: number });
      const [name, args] = toCall(folder) as [string, object];
      const answer = await ann(name, args);
      const wasCut = giveUp();
      const isDone = !answer.isError;
      outcomes.push(isDone ? 'done' : 'refused');
      if (!isDone) expect(answer.meta).toContain('"unavailable"');
      expect([step, contents()]).toEqual([step, [isDone ? 'two' : 'one']]);
      await expect
        .poll(async () => {
          await ann('undo', { action: 'list' });
          return [step, rows()];
        })
        .toEqual([step, isDone ? names.map(() => 'committed') : []]);
      if (isDone) {
        expect((await ann('undo', { action: 'restore', last: 1 })).isError).toBe(false);
        expect([step, contents()]).toEqual([step, ['one']]);
      }
      if (!wasCut) break;
    }
    expect(outcomes.length).toBeLessThan(MAX_STEPS);
    // A connection that is lost between two statements is replaced.
    expect(outcomes.includes('refused')).toBe(unit === 'messages');
  },
);
