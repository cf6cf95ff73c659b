import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { ROOT } from '../scripts/setup.mjs';
import { scratch } from './measure.mjs';

const VIEWS = path.join(ROOT, 'packages/views');
const VIEW = path.join(VIEWS, 'dist/view.html');
const CHROMIUM = '/usr/bin/chromium';
const LINES = 5_000;
const ROUNDS = 7;
const SCROLL_MS = 2_000;
/** Keep the browser from looking for hosts of its own. */
const ARGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-sync'];

/** Measures the views in headless Chromium, where there is one. */
export const showing = [
  {
    what: 'the file of the views, compressed',
    peer: '300 kB',
    unit: ' kB',
    target: { atMost: 300 },
    run: () => ({ ours: gzipSync(fs.readFileSync(VIEW)).length / 1000 }),
  },
  ...(fs.existsSync(CHROMIUM) ? inChromium() : []),
];

function inChromium() {
  return [
    {
      what: 'a diff of 5,000 lines in headless Chromium, from the opening of its file to the first picture',
      peer: '200 ms',
      target: { atMost: 200 },
      run: () => withDiff(async (page, address) => ({ ours: await timeToPicture(page, address) })),
    },
    {
      what: 'frames a second while that diff scrolls',
      peer: '50',
      unit: '/s',
      target: { atLeast: 50 },
      run: () => withDiff(async (page) => ({ ours: await page.evaluate(framesWhileScrolling, SCROLL_MS) })),
    },
  ];
}

async function withDiff(use) {
  const { chromium } = createRequire(path.join(ROOT, 'packages/testkit/package.json'))('playwright-core');
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS });
  try {
    const file = path.join(scratch('views'), 'diff.html');
    const data = JSON.stringify({ title: 'A diff', visualizations: [makeDiff()] });
    fs.writeFileSync(
      file,
      fs.readFileSync(VIEW, 'utf8').replace('"jinn:data"', () => data),
    );
    const page = await browser.newPage();
    const address = pathToFileURL(file).href;
    await page.goto(address);
    await page.locator('.mark').first().waitFor();
    return await use(page, address);
  } finally {
    await browser.close();
  }
}

/** Returns the median time after which something is painted. */
async function timeToPicture(page, address) {
  const times = [];
  for (let round = 0; round < ROUNDS; round++) {
    await page.goto(address);
    await page.locator('.mark').first().waitFor();
    times.push(
      await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Infinity),
    );
  }
  return times.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)];
}

/** Runs in the page: scrolls from top to bottom, and counts the frames. */
async function framesWhileScrolling(duration) {
  const region = document.querySelector('.rows');
  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const started = await nextFrame();
  let frames = 0;
  for (let now = started; now - started < duration; frames++) {
    region.scrollTop = ((now - started) / duration) * region.scrollHeight;
    now = await nextFrame();
  }
  return (frames * 1000) / duration;
}

function makeDiff() {
  const numbers = Array.from({ length: LINES / 2 }, (_, i) => i);
  const changes = numbers.flatMap((i) => [
    { type: 'removed', content: `  const value${i} = compute(${i}, 'old');`, oldLineNumber: i + 1 },
    { type: 'added', content: `  const value${i} = compute(${i}, 'new');`, newLineNumber: i + 1 },
  ]);
  const [oldLines, newLines] = [LINES / 2, LINES / 2];
  const hunk = { oldStart: 1, oldLines, newStart: 1, newLines, changes };
  return {
    type: 'diff',
    path: 'a.ts',
    language: 'typescript',
    hunks: [hunk],
    additions: newLines,
    deletions: oldLines,
  };
}
