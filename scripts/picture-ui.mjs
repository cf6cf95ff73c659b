// Runs jinn ui and the calls of an agent in a project, and takes two pictures of the page: docs/pictures/ui.png and
// docs/pictures/ui-phone.png. It needs Debian's chromium.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { readAddress } from './read-address.mjs';
import { ROOT } from './setup.mjs';

const PICTURES = path.join(ROOT, 'docs/pictures');
const PROGRAM = path.join(ROOT, 'apps/jinn/dist/jinn.cjs');
const FILES = {
  'package.json': '{ "name": "shop", "type": "module", "scripts": { "test": "node --test --test-reporter=dot" } }\n',
  'src/cart.js': `/** Returns the price of all items. */
export function total(items) {
  return Math.max(...items.map((item) => item.price));
}

export function count(items) {
  return items.length;
}
`,
  'test/cart.test.js': `import assert from 'node:assert';
import test from 'node:test';
import { total } from '../src/cart.js';

test('adds the prices', () => {
  assert.equal(total([{ price: 2, count: 3 }, { price: 3, count: 1 }]), 9);
});
`,
};
const SUM = 'items.reduce((sum, item) => sum + item.price, 0)';
const CALLS = [
  { tool: 'list_dir', args: { path: '.', depth: 2 } },
  { tool: 'search_files', args: { pattern: 'total', path: 'src' } },
  { tool: 'read_file', args: { path: 'src/cart.js' } },
  {
    tool: 'edit_file',
    args: { path: 'src/cart.js', old_text: 'Math.max(...items.map((item) => item.price))', new_text: SUM },
  },
  { tool: 'run_shell', args: { command: 'npm test' } },
  {
    tool: 'edit_file',
    args: { path: 'src/cart.js', old_text: 'item.price, 0', new_text: 'item.price * item.count, 0' },
  },
  {
    tool: 'write_file',
    args: { path: 'src/money.js', content: 'export const format = (cents) => `$${(cents / 100).toFixed(2)}`;\n' },
  },
  { tool: 'run_shell', args: { command: 'npm test' } },
  { tool: 'run_shell', args: { command: 'git push --force', dry_run: true } },
];

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'picture-'));
const cwd = path.join(home, 'shop');
const env = { ...process.env, HOME: home, JINN_CONFIG_DIR: `${home}/config`, XDG_CACHE_HOME: `${home}/cache` };
for (const [file, text] of Object.entries(FILES)) {
  fs.mkdirSync(path.dirname(path.join(cwd, file)), { recursive: true });
  fs.writeFileSync(path.join(cwd, file), text);
}

const ui = start(['ui', '--no-open']);
const { chromium } = createRequire(path.join(ROOT, 'packages/testkit/package.json'))('playwright-core');
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
const agent = start(['--dangerous=ask']);
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(await readAddress(ui));
  const answers = createInterface({ input: agent.stdout })[Symbol.asyncIterator]();
  for (const call of CALLS) {
    send(agent, call);
    await answers.next();
  }
  send(agent, { tool: 'run_shell', args: { command: 'rm -rf build && git push --force origin main' } });
  await page.getByRole('button', { name: 'Questions (1)' }).waitFor();
  const step = page.locator('.step');
  await step.locator('tr.added').first().waitFor();
  await step.getByRole('button', { name: /exit 1/ }).scrollIntoViewIfNeeded();
  await take(page, 'ui.png');
  await page.setViewportSize({ width: 390, height: 700 });
  await take(page, 'ui-phone.png');
} finally {
  await browser.close();
  agent.kill();
  ui.kill();
  fs.rmSync(home, { recursive: true, force: true });
}

function start(args) {
  return spawn(process.execPath, [PROGRAM, ...args], { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
}

function send(child, call) {
  child.stdin.write(`${JSON.stringify({ ...call, client: 'my-agent' })}\n`);
}

async function take(page, name) {
  await page.waitForTimeout(700);
  await page.screenshot({ path: path.join(PICTURES, name) });
}
