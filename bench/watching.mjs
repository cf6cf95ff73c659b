import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { readAddress } from '../scripts/read-address.mjs';
import { ROOT } from '../scripts/setup.mjs';
import { ENV, median, medians, oneShot, scratch } from './measure.mjs';

const CHROMIUM = '/usr/bin/chromium';
const CALLS = 100_000;
const FILES = 10;
const ROUNDS = 9;
/** How many calls are loaded before the list scrolls, and for how many frames it does. */
const SCROLLED = 20_000;
const MAX_TRIES = 100;
const FRAMES = 200;
/** The mark of a page counts for half a minute from its time on. */
const LATER_S = 3_600;
const ARGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-sync'];

/** Measures what the journal costs a call, and how soon the page of `jinn ui` shows calls. */
export const watching = [
  {
    what: 'one-shot `read_file` of a small file while `jinn ui` runs',
    peer: 'the same without the page',
    target: { extraMs: 1.5 },
    run() {
      const cwd = scratch('small');
      fs.writeFileSync(path.join(cwd, 'README.md'), 'a line of text\n'.repeat(40));
      const command = oneShot({ tool: 'read_file', args: { path: 'README.md' } }, cwd);
      const [theirs, ours] = medians([command, { ...command, env: { XDG_CACHE_HOME: markLive() } }], 41);
      return { ours, theirs };
    },
  },
  {
    what: 'one-shot `write_file` over a small file while `jinn ui` runs',
    peer: 'the same without the page',
    target: { extraMs: 1.5 },
    run() {
      const cwd = scratch('written');
      const [theirs, ours] = medians([writer(cwd, {}), writer(cwd, { XDG_CACHE_HOME: markLive() })], 41);
      return { ours, theirs };
    },
  },
  {
    what: 'the file of the page of `jinn ui`, compressed',
    peer: '150 kB',
    unit: ' kB',
    target: { atMost: 150 },
    run: () => ({ ours: gzipSync(fs.readFileSync(path.join(ROOT, 'packages/views/dist/page.html'))).length / 1000 }),
  },
  ...(fs.existsSync(CHROMIUM) ? inChromium() : []),
];

function inChromium() {
  return [
    {
      what: '`jinn ui` with 100,000 calls in the journal: from the opening of the page to the first calls',
      peer: '300 ms',
      target: { atMost: 300 },
      run: () => withPage(async (page) => ({ ours: await timeToCalls(page) })),
    },
    {
      what: '`jinn ui` with 100,000 calls in the journal: from the opening of the page to the first paint',
      peer: '100 ms',
      target: { atMost: 100 },
      run: () => withPage(async (page) => ({ ours: await timeToPaint(page) })),
    },
    {
      what: 'processor time of the page from its opening to the first of those calls (DevTools protocol)',
      peer: '100 ms',
      target: { atMost: 100 },
      run: () => withPage(async (page) => ({ ours: await workToCalls(page) })),
    },
    {
      what: 'processor time of the page for a frame in which ten of those calls scroll by: 60 frames a second leave 16.7 ms',
      peer: '16.7 ms',
      target: { atMost: 16.7 },
      run: () => withPage(async (page) => ({ ours: await workOfFrame(page) })),
    },
    {
      what: 'from the end of a call to its row in the page',
      peer: '100 ms',
      target: { atMost: 100 },
      run: () => withPage(async (page, call) => ({ ours: await timeToRow(page, call) })),
    },
  ];
}

/** Runs a jinn that writes something else each time. */
function writer(cwd, env) {
  const command = oneShot({}, cwd);
  return {
    ...command,
    env,
    get input() {
      const content = `${'a line of text\n'.repeat(40)}${process.hrtime.bigint()}\n`;
      return JSON.stringify({ tool: 'write_file', args: { path: 'a.txt', content } });
    },
  };
}

/** Makes a cache directory in which the page seems to run. */
function markLive() {
  const cache = scratch('live');
  fs.mkdirSync(path.join(cache, 'jinn/journal'), { recursive: true, mode: 0o700 });
  const file = path.join(cache, 'jinn/journal/live');
  fs.writeFileSync(file, '{}');
  const later = Date.now() / 1000 + LATER_S;
  fs.utimesSync(file, later, later);
  return cache;
}

/** Runs `jinn ui` in a terminal over a journal of many calls, opens its page, and calls back with what calls a tool there. */
async function withPage(use) {
  const [cache, cwd] = [scratch('ui-cache'), scratch('ui')];
  fillJournal(path.join(cache, 'jinn/journal'));
  const env = { ...ENV, XDG_CACHE_HOME: cache };
  const { command, args } = oneShot({}, cwd);
  const ui = spawn(
    'script',
    ['-qfec', `exec ${[command, ...args].map((word) => `'${word}'`).join(' ')} ui --no-open`, '/dev/null'],
    { cwd, env },
  );
  const { chromium } = createRequire(path.join(ROOT, 'packages/testkit/package.json'))('playwright-core');
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS });
  try {
    const page = await browser.newPage();
    await page.goto(await readAddress(ui));
    await page.locator('tbody tr').first().waitFor();
    return await use(page, (request) => spawnSync(command, args, { cwd, env, input: JSON.stringify(request) }));
  } finally {
    await browser.close();
    ui.kill();
  }
}

/** Writes files as the journal has them. */
function fillJournal(directory) {
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
  const day = new Date().toISOString().slice(0, 10).replaceAll('-', '');
  for (let file = 0; file < FILES; file++) {
    const lines = Array.from({ length: CALLS / FILES }, (_, i) => lineOf(file * (CALLS / FILES) + i));
    fs.writeFileSync(`${directory}/${day}T00000000${file}-1.jsonl`, lines.join(''), { mode: 0o600 });
  }
}

function lineOf(i) {
  const where = { workspace: '/work', door: 'jinn', session: `s${i % 50}`, pid: 1, time: Date.now() - CALLS + i };
  const how = { ok: true, ms: 3, lengths: [20, 400] };
  const head = { v: 1, k: 'end', id: `c${i}`, tool: 'read_file', what: `src/${i}.ts`, ...where, ...how };
  const detail = { args: { path: `src/${i}.ts` }, text: 'const value = compute(1);\n'.repeat(16) };
  return `${JSON.stringify(head)}\t${JSON.stringify(detail)}\n`;
}

/** Loads the page again and again until its first row is there, and returns the median of what is read then. */
async function medianOfLoads(page, read) {
  const values = [];
  for (let round = 0; round < ROUNDS; round++) {
    await page.reload(); // All times start again.
    await page.locator('tbody tr').first().waitFor();
    values.push(await read());
  }
  return median(values);
}

/** Returns the median time from the beginning of a load to the first row of the list. */
async function timeToCalls(page) {
  await page.addInitScript(`new MutationObserver((_, observer) => {
    if (!document.querySelector('tbody tr')) return;
    observer.disconnect();
    window.shown = performance.now();
  }).observe(document, { childList: true, subtree: true })`);
  return medianOfLoads(page, () => page.evaluate('window.shown'));
}

/** Returns the median time from the beginning of a load to the first paint. */
async function timeToPaint(page) {
  return medianOfLoads(page, () =>
    page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"),
  );
}

/** Returns the median time that the page takes of a processor to its first row. Other programs do not count. */
async function workToCalls(page) {
  const spent = await workOf(page);
  return medianOfLoads(page, () => spent());
}

/** Scrolls through thousands of calls, and returns the time that a frame of it takes of a processor. */
async function workOfFrame(page) {
  const spent = await workOf(page);
  const rows = page.locator('.rows.calls');
  const loaded = async () => Number(await rows.locator('table').getAttribute('aria-rowcount'));
  for (let tries = 0; (await loaded()) < SCROLLED && tries < MAX_TRIES; tries++) {
    await rows.evaluate((region) => region.scrollTo(0, region.scrollHeight));
    await page.waitForTimeout(100);
  }
  const before = await spent();
  const frames = await rows.evaluate(async (region, count) => {
    for (let frame = 0; frame < count; frame++) {
      region.scrollTop = frame * 500; // Ten calls.
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    return count;
  }, FRAMES);
  return ((await spent()) - before) / frames;
}

/** Makes a function that returns how long the page has worked so far, in milliseconds. */
async function workOf(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration').value * 1000;
  };
}

/** Returns the median time from the end of a call, as its line says, to its row. */
async function timeToRow(page, call) {
  const times = [];
  for (let round = 0; round < ROUNDS; round++) {
    const name = `none-${round}`;
    await page.evaluate(`window.shown = undefined; new MutationObserver((_, observer) => {
      const row = [...document.querySelectorAll('tbody tr')].find((each) => each.textContent.includes('${name}'));
      if (!row?.textContent.includes('failed')) return;
      observer.disconnect();
      window.shown = Date.now();
    }).observe(document.body, { childList: true, subtree: true, characterData: true })`);
    call({ tool: 'read_file', args: { path: name } });
    await page.locator('tr', { hasText: name }).filter({ hasText: 'failed' }).waitFor();
    times.push(
      await page.evaluate(`fetch('/api/calls?limit=1', {
      headers: { authorization: 'Bearer ' + sessionStorage.getItem('jinn-token') },
    }).then((answer) => answer.json()).then(({ rows: [{ time, ms }] }) => window.shown - time - ms)`),
    );
  }
  return median(times);
}
