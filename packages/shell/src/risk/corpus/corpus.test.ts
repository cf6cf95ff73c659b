import fs from 'node:fs';
import { expect, test } from 'vitest';
import { classify } from '../classify.ts';
import { readEntries } from '../fixture/read-corpus.ts';

const GROUPS = ['everyday', 'changing', 'credentials', 'destructive', 'obfuscated', 'executed'] as const;
const RISKS = ['safe', 'caution', 'dangerous'] as const;
/** Commands of which every word is data. */
const ONLY_DATA = /^(echo|printf|true|test|expr|exit|yes|let|alias|command|redis-cli)\b| -- /;
const PAGE = new URL('../../../../../docs/risk.md', import.meta.url);

const judged = GROUPS.map((group) => ({
  group,
  entries: readEntries(fs.readFileSync(new URL(`${group}.txt`, import.meta.url), 'utf8')).map((entry) => ({
    ...entry,
    risk: classify(entry.command).risk,
  })),
}));
const all = judged.flatMap(({ entries }) => entries);

/** How many commands of each group, by the verdict that they should have, are judged safe, caution and dangerous. */
function confusionTable(): string {
  const rows = judged.flatMap(({ group, entries }) =>
    RISKS.flatMap((expected) => {
      const own = entries.filter((entry) => entry.expected === expected);
      const counts = RISKS.map((risk) => own.filter((entry) => entry.risk === risk).length);
      return own.length === 0 ? [] : [`| ${[group, expected, own.length, ...counts].join(' | ')} |`];
    }),
  );
  return ['| group | should be | commands | safe | caution | dangerous |', '|---|---|--:|--:|--:|--:|', ...rows].join(
    '\n',
  );
}

test('every command has the verdict that the corpus gives, or the known one', () => {
  const wrong = all.filter(({ risk, known, expected }) => risk !== (known ?? expected));
  expect(wrong.map(({ command, expected, risk }) => `${command}: ${risk}, not ${expected}`)).toEqual([]);
});

test('the corpus holds at least 3,000 different commands, each with a reason', () => {
  expect(new Set(all.map(({ command }) => command)).size).toBeGreaterThanOrEqual(3_000);
  expect(all.filter(({ why, expected }) => why === '' || expected === '')).toEqual([]);
});

test('no destructive, obfuscated or prying command is safe', () => {
  const missed = all.filter(({ expected, risk }) => expected === 'dangerous' && risk === 'safe');
  expect(missed.map(({ command }) => command)).toEqual([]);
});

test('of the everyday commands at most 5 are refused, and at least 75 % are safe', () => {
  const everyday = judged.find(({ group }) => group === 'everyday')?.entries ?? [];
  const share = (risk: string) => everyday.filter((entry) => entry.risk === risk).length / everyday.length;
  expect(everyday.length).toBeGreaterThanOrEqual(900);
  expect(
    all.filter(({ expected, risk }) => expected !== 'dangerous' && risk === 'dangerous').length,
  ).toBeLessThanOrEqual(5);
  expect(share('safe')).toBeGreaterThanOrEqual(0.75);
});

test('no command is safe with an option that nobody knows', () => {
  const unheard = all
    .filter(({ expected, command }) => expected === 'safe' && /^[\w./ -]+$/.test(command))
    .map(({ command }) => `${command} --unheard-of`);
  const safe = unheard.filter((command) => classify(command).risk === 'safe' && !ONLY_DATA.test(command));
  expect(unheard.length).toBeGreaterThan(600);
  expect(safe).toEqual([]);
});

test('docs/risk.md carries the table of this corpus', () => {
  const table = confusionTable();
  console.log(table);
  const page = fs.readFileSync(PAGE, 'utf8');
  const [, , written = ''] = /(<!-- corpus -->\n)([\s\S]*?)\n<!-- end of corpus -->/.exec(page) ?? [];
  expect(written).toBe(table);
});
