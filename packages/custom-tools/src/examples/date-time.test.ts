import { expect, test } from 'vitest';
import { openExample } from '../fixture/open-example.ts';

test.each([
  [{ at: 0 }, { iso: '1970-01-01T00:00:00Z', unix: 0, weekday: 'Thursday', week: 1, zone: 'UTC' }],
  [
    { at: '2026-02-28', add: '1d', zone: 'Europe/Berlin' },
    { iso: '2026-03-01T00:00:00+01:00', weekday: 'Sunday' },
  ],
  [{ at: '2026-07-01T12:00:00+05:30', zone: 'America/St_Johns' }, { iso: '2026-07-01T04:00:00-02:30' }],
  [{ at: '2026-03-29T01:30:00', add: '90m', zone: 'Europe/Berlin' }, { iso: '2026-03-29T04:00:00+02:00' }],
  [
    { at: '1850-01-01T00:00:00Z', until: '1850-01-02' },
    { seconds_until: 86_400, until: '1 day' },
  ],
  [
    { at: 0, until: -90_061 },
    { seconds_until: -90_061, until: '1 day, 1 hour, 1 minute, 1 second ago' },
  ],
  [
    { at: 5, until: 5 },
    { seconds_until: 0, until: 'no time' },
  ],
  [
    { at: '20260301', add: '-2w' },
    { iso: '2026-02-15T00:00:00Z', week: 7 },
  ],
])('answers %j', async (args, expected) => {
  const { call } = await openExample('date-time');
  const { output, shown, warnings } = await call(args);
  expect(output).toMatchObject(expected);
  expect(shown).toMatchObject({ type: 'none', message: expect.stringContaining(output['iso'] as string) });
  expect(warnings).toEqual([]);
});

test('knows what time it is', async () => {
  const { call } = await openExample('date-time');
  const { output } = await call({});
  expect(Math.abs((output['unix'] as number) - Date.now() / 1000)).toBeLessThan(20);
});

test.each([
  [{ zone: 'Mars/Base' }, 'there is no zone Mars/Base'],
  [{ at: '2026-02-30' }, '2026-02-30 is not a time that exists'],
  [{ at: 'tomorrow' }, 'tomorrow is not a time'],
  [{ at: '0050-01-01' }, 'not in the years 1000 to 9999'],
  [{ at: '9999-12-31', add: '2w' }, 'not in the years 1000 to 9999'],
  [{ add: '1 day' }, 'must match pattern'],
])('refuses %j', async (args, message) => {
  const { fail } = await openExample('date-time');
  expect(await fail(args)).toContain(message);
});
