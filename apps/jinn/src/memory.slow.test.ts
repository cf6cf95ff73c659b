import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { expect, test } from 'vitest';
import { ask, JINN, makePlace, numbers, start, toLine } from './fixture/memory-place.ts';

test('processes that start at once import the file of an older jinn once', async () => {
  const place = makePlace();
  const directory = `${place.home}/.config/jinn`;
  fs.mkdirSync(directory, { recursive: true });
  const entries = Object.fromEntries(
    numbers.map((n) => [`k${n}`, { value: `v${n}`, updated: '2024-05-06T07:08:09Z' }]),
  );
  fs.writeFileSync(`${directory}/memory.json`, JSON.stringify({ version: 1, entries }));
  // Each forgets a key that another one's second import would bring back.
  const answers = await Promise.all(
    numbers.map((n) =>
      start(place, [
        { action: 'recall', key: `k${n}`, scope: 'global' },
        { action: 'forget', key: `k${n}`, scope: 'global' },
      ]),
    ),
  );
  for (const [n, [recalled, forgotten]] of answers.entries()) {
    expect(recalled).toEqual({ ok: true, result: `v${n}` });
    expect(forgotten).toEqual({ ok: true, result: `forgotten: k${n}` });
  }
  expect(ask(place, { action: 'list', scope: 'global' }).result).toBe('{"keys":[],"count":0}');
  expect(fs.readdirSync(directory).filter((name) => name.endsWith('json'))).toEqual([]);
  expect(fs.existsSync(`${directory}/memory.json.migrated`)).toBe(true);
});

test('processes that start at once import what is sound of a file with bad entries once, and leave the file', async () => {
  const place = makePlace();
  const directory = `${place.home}/.config/jinn`;
  fs.mkdirSync(directory, { recursive: true });
  const entries = Object.fromEntries([['bad', 5], ...numbers.map((n) => [`k${n}`, { value: `v${n}` }])]);
  fs.writeFileSync(`${directory}/memory.json`, JSON.stringify({ version: 1, entries }));
  const answers = await Promise.all(
    numbers.map((n) => start(place, [{ action: 'forget', key: `k${n}`, scope: 'global' }])),
  );
  for (const [answer] of answers) {
    expect(answer?.meta).toEqual({ warnings: [expect.stringContaining('were not imported: "bad"')] });
  }
  const { result, meta } = ask(place, { action: 'list', scope: 'global' });
  expect([result, meta]).toEqual(['{"keys":[],"count":0}', { warnings: [expect.stringContaining('"bad"')] }]);
  expect(fs.existsSync(`${directory}/memory.json`)).toBe(true);
});

test('a process that is killed at any time leaves a database that is whole', async () => {
  const place = makePlace();
  const many = numbers.flatMap((n) =>
    numbers.map((i) => ({ action: 'save', key: `k${n}.${i}`, value: 'v'.repeat(4000) })),
  );
  for (const wait of [0, 30, 60, 100, 160]) {
    const child = spawn(process.execPath, [JINN], { ...place, stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.on('error', () => {});
    child.stdin.end(many.map(toLine).join(''));
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.stdout.once('data', () => setTimeout(() => child.kill('SIGKILL'), wait));
    await new Promise((resolve) => child.once('close', resolve));
    const { keys } = JSON.parse(ask(place, { action: 'list' }).result ?? '') as { keys: string[] };
    const said = [...output.matchAll(/"saved: (\S+)"\}/g)].map(([, key]) => key);
    expect(said.length).toBeGreaterThan(0);
    expect(keys).toEqual(expect.arrayContaining(said));
  }
  expect(ask(place, { action: 'save', key: 'k', value: 'v' }).ok).toBe(true);
});
