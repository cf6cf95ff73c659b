// Runs jinn ui and a few calls in a project, and takes a picture of the page: docs/pictures/ui.png. It needs Debian's chromium.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { readAddress } from './read-address.mjs';
import { ROOT } from './setup.mjs';

const PICTURE = path.join(ROOT, 'docs/pictures/ui.png');
const PROGRAM = path.join(ROOT, 'apps/jinn/dist/jinn.cjs');
const SIZE = { width: 1100, height: 640 };
const SOURCE = 'export function total(prices: number[]): number {\n  return Math.max(...prices);\n}\n';
const EDIT = {
  path: 'src/cart.ts',
  old_text: '  return Math.max(...prices);',
  new_text: '  return prices.reduce((sum, price) => sum + price, 0);',
};
const CALLS = [
  { tool: 'search_files', args: { pattern: 'total' } },
  { tool: 'read_file', args: { path: 'src/cart.ts' } },
  { tool: 'edit_file', args: EDIT },
  { tool: 'run_shell', args: { command: 'ls src' } },
  { tool: 'read_file', args: { path: 'src/basket.ts' } },
];

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'picture-'));
const cwd = path.join(home, 'shop');
const env = { ...process.env, HOME: home, JINN_CONFIG_DIR: `${home}/config`, XDG_CACHE_HOME: `${home}/cache` };
fs.mkdirSync(path.join(cwd, 'src'), { recursive: true });
fs.writeFileSync(path.join(cwd, 'src/cart.ts'), SOURCE);

const ui = spawn('script', ['-qfec', `exec '${process.execPath}' '${PROGRAM}' ui --no-open`, '/dev/null'], {
  cwd,
  env,
});
const { chromium } = createRequire(path.join(ROOT, 'packages/testkit/package.json'))('playwright-core');
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
try {
  const page = await browser.newPage({ viewport: SIZE });
  await page.goto(await readAddress(ui));
  call([], CALLS).stdin.end();
  await page.getByRole('row', { name: /basket/ }).waitFor();
  const asking = call(['--dangerous=ask'], [{ tool: 'run_shell', args: { command: 'rm -rf src' } }]);
  await page.getByRole('button', { name: 'Questions (1)' }).waitFor();
  await page.getByRole('button', { name: /Show edit_file/ }).click();
  await page.locator('tr.added').first().waitFor();
  await page.screenshot({ path: PICTURE });
  asking.kill();
} finally {
  await browser.close();
  ui.kill();
  fs.rmSync(home, { recursive: true, force: true });
}

function call(flags, requests) {
  const child = spawn(process.execPath, [PROGRAM, ...flags], { cwd, env, stdio: ['pipe', 'ignore', 'inherit'] });
  for (const request of requests) child.stdin.write(JSON.stringify({ ...request, client: 'my-agent' }));
  return child;
}
