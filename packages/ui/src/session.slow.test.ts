import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { loadExactCounter } from '@jinn/context/tokens';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { type Browser, openChromium, type Page } from '@jinn/testkit/chromium';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  beginCall,
  beginSession,
  callJinn,
  HAS_BROWSER,
  makeUiPlace,
  openTab,
  startUi,
  type UiPlace,
} from './fixture/open-ui.ts';

const MCP = path.resolve(import.meta.dirname, '../../../apps/mcp-server/dist/jinn-mcp.cjs');
const CART = 'a\nb\nc\nd\ne\nf\ng\n';
const WIN = 'one\r\ntwo\r\nthree';
const edit = (path: string, old_text: string, new_text: string) => ({
  tool: 'edit_file',
  args: { path, old_text, new_text },
});
/** What an agent does: five changes, two of them in one place, a failing command, a dry run, and a refusal. */
const CALLS = [
  edit('cart.txt', 'b', 'B'),
  { tool: 'run_shell', args: { command: 'echo broken >&2; exit 3' } },
  edit('cart.txt', 'f', 'F'),
  edit('cart.txt', 'B', 'BB'),
  { tool: 'write_file', args: { path: 'new dir/made.txt', content: 'made\n' } },
  edit('win.txt', 'two', '2'),
  { tool: 'run_shell', args: { command: 'rm -r "new dir"', dry_run: true } },
  { tool: 'read_file', args: { path: '../outside' } },
];
const read = ({ cwd }: UiPlace, file: string) => fs.readFileSync(`${cwd}/${file}`, 'utf8');

describe.skipIf(!HAS_BROWSER)('a session in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openChromium();
  });
  afterAll(() => browser.close());

  async function openSession(): Promise<{ place: UiPlace; page: Page; faults: string[] }> {
    const place = makeUiPlace({ 'cart.txt': CART, 'win.txt': WIN });
    const ui = await startUi(place);
    const { page, faults } = await openTab(browser, ui.address);
    callJinn(place, ...CALLS);
    await page.getByRole('button', { name: 'Refused 1', exact: true }).waitFor();
    return { place, page, faults };
  }

  test('reads in order, is filtered by kind, and tells exits, dry runs and refusals', async () => {
    const { page, faults } = await openSession();
    const steps = () => page.locator('.step h3').allInnerTexts();
    const said = (await steps()).map((text) => text.replaceAll(/\s+/g, ' '));
    expect(said).toEqual([
      expect.stringContaining('Edit cart.txt ok +1 −1'),
      expect.stringContaining('exit 3'),
      ...['Edit cart.txt', 'Edit cart.txt', 'Write new dir/made.txt ok +1 −0', 'Edit win.txt ok +1 −1'].map((text) =>
        expect.stringContaining(text),
      ),
      expect.stringContaining('dry run'),
      expect.stringContaining('refused'),
    ]);
    for (const [kind, count] of [
      ['Changes 5', 5],
      ['Commands 2', 2],
      ['Failed 1', 1],
      ['Refused 1', 1],
    ] as const) {
      await page.getByRole('button', { name: kind, exact: true }).click();
      expect(await steps()).toHaveLength(count);
    }
    await page
      .getByText(/outside/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Failed 1', exact: true }).click();
    await page.getByRole('cell', { name: 'broken' }).waitFor();
    expect(faults).toEqual([]);
  });

  test('its changes together are a patch that git applies to the files from before it', async () => {
    const { place, page } = await openSession();
    await page.getByRole('button', { name: 'All changes together' }).click();
    await page.getByText('New: new dir/made.txt').waitFor();
    await page.getByRole('button', { name: 'Side by side' }).click();
    await page.getByRole('row', { name: /removed\s?b.*added\s?BB/ }).waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as a patch' }).click();
    const patch = path.join(makeTempDirectory(), 'saved.patch');
    await (await download).saveAs(patch);
    const copy = makeTempDirectory();
    makeTree(copy, { 'cart.txt': CART, 'win.txt': WIN });
    execFileSync('git', ['apply', patch], { cwd: copy });
    for (const file of ['cart.txt', 'win.txt', 'new dir/made.txt'])
      expect(fs.readFileSync(`${copy}/${file}`, 'utf8')).toBe(read(place, file));
  });

  test('one change is undone alone, then everything after another, then all', async () => {
    const { place, page } = await openSession();
    const changes = page.locator('.step', { hasText: 'cart.txt' });
    await changes.nth(1).getByRole('button', { name: 'Undo this…' }).click();
    await page.getByText('cart.txt: changed').waitFor();
    expect(read(place, 'cart.txt')).toBe('a\nBB\nc\nd\ne\nF\ng\n');
    await page.getByRole('button', { name: 'Undo it' }).click();
    await expect.poll(() => read(place, 'cart.txt')).toBe('a\nBB\nc\nd\ne\nf\ng\n');
    await changes.nth(1).getByText('undone', { exact: true }).waitFor();
    await changes.nth(0).getByRole('button', { name: 'Undo everything after this (3 changes)…' }).click();
    await page.getByText('new dir/made.txt: deleted').waitFor();
    await page.getByRole('button', { name: 'Undo 3 changes' }).click();
    await expect.poll(() => read(place, 'cart.txt')).toBe('a\nB\nc\nd\ne\nf\ng\n');
    // The files are restored one by one.
    await expect.poll(() => read(place, 'win.txt')).toBe(WIN);
    await expect.poll(() => fs.existsSync(`${place.cwd}/new dir`)).toBe(false);
    await page.getByRole('button', { name: 'All changes together' }).click();
    await page.getByRole('row', { name: /added\s?B/ }).waitFor();
    await page.getByRole('button', { name: 'Undo all of it…' }).click();
    await page.getByRole('button', { name: 'Undo it' }).click();
    await page.getByText('No change of this session is in effect.').waitFor();
    expect(read(place, 'cart.txt')).toBe(CART);
  });

  test('a change that others changed since is refused with the reason, and undone with theirs', async () => {
    const { place, page } = await openSession();
    callJinn(place, edit('cart.txt', 'BB', 'BBB'));
    await page.locator('.step', { hasText: 'cart.txt' }).nth(2).getByRole('button', { name: 'Undo this…' }).click();
    await page.getByText(/later changes of cart.txt would be lost/).waitFor();
    await page.getByRole('button', { name: 'Preview it with the later changes' }).click();
    await page.getByText(/^later changes go too: op-/).waitFor();
    await page.getByRole('button', { name: 'Undo it' }).click();
    await expect.poll(() => read(place, 'cart.txt')).toBe('a\nB\nc\nd\ne\nF\ng\n');
  });

  test('keys go through the calls, open one, preview its undo, and search', async () => {
    const { page } = await openSession();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    const card = page.getByRole('region', { name: 'Call' });
    await card.getByRole('heading', { name: /Edit win.txt/ }).waitFor();
    await card.getByRole('button', { name: 'Undo this…' }).waitFor();
    await page.keyboard.press('u');
    await page.getByText('win.txt: changed').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('made');
    await page.getByText('1 call', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('region', { name: 'Session' }).waitFor();
  });

  test('all last lines of a command that runs are shown, without secrets', async () => {
    const place = makeUiPlace({
      'go.sh': `cat notes.txt; seq 1 15; sleep 0.5; echo token=ghp_${'aB3dE6gH9'.repeat(4)} >&2; sleep 60`,
    });
    const key =
      Buffer.from(Array.from({ length: 1_400 }, (_, i) => i * i))
        .toString('base64')
        .match(/.{64}/g) ?? [];
    const file = ['-----BEGIN PRIVATE KEY-----', ...key, '-----END PRIVATE KEY-----\n'].join('\n');
    fs.writeFileSync(`${place.cwd}/notes.txt`, file);
    const ui = await startUi(place);
    const { page } = await openTab(browser, ui.address);
    beginCall(place, { tool: 'run_shell', args: { command: 'bash go.sh', timeout: 40 } });
    const shown = page.locator('.step pre.terminal', { hasText: 'token=' });
    const lines = ((await shown.textContent()) ?? '').split('\n');
    expect(lines.slice(4)).toEqual([...Array.from({ length: 15 }, (_, i) => `${i + 1}`), 'token=[a GitHub token]']);
    expect(lines.slice(0, 3)).toEqual(Array(3).fill('[a private key]'));
  });

  test('the lines of a command that runs come, and it can be stopped', async () => {
    const place = makeUiPlace();
    const ui = await startUi(place);
    const { page } = await openTab(browser, ui.address);
    const { answer } = beginCall(place, {
      tool: 'run_shell',
      args: { command: 'while :; do echo "at $SECONDS"; sleep 0.4; done' },
    });
    const step = page.locator('.step');
    await step.getByText(/at [12]\n.*at [23]/s).waitFor();
    await page.reload();
    await step.getByText(/at \d\n.*at \d/s).waitFor();
    await step.getByRole('button', { name: 'Stop' }).click();
    expect(await answer()).toMatchObject({ ok: false, error_code: 'canceled' });
    await page.getByRole('row', { name: /stopped/ }).waitFor();
  });

  test('a job shows its port, and can be stopped', async () => {
    const place = makeUiPlace();
    const ui = await startUi(place);
    const { page } = await openTab(browser, ui.address);
    const server = `node -e 'http.createServer().listen(0, () => console.log("on " + 1)); [300, 600].map((ms) => setTimeout(console.log, ms, "tick"))'; true`;
    const { child } = beginSession(place, {
      tool: 'run_shell',
      args: { command: server, background: true, wait_for: 'on 1' },
    });
    const step = page.locator('.step');
    await step.getByText(/^job-1: running for \d+ s, listens on port \d+\non 1\ntick\ntick/).waitFor();
    await step.getByRole('button', { name: 'Stop' }).click();
    await step.getByText(/^job-1/).waitFor({ state: 'detached' });
    child.stdin.end();
  });

  test('the user types a password for a job, which is in no answer and in no record', async () => {
    const place = makeUiPlace();
    const ui = await startUi(place);
    const { page } = await openTab(browser, ui.address);
    const command = `read -rsp "Password: " w; echo; echo "\${#w} $w"; read -rp "Name: " n; echo "I am $n"`;
    const { child, answer } = beginSession(place, {
      tool: 'run_shell',
      args: { command, background: true, tty: true, wait_for: 'Password: $' },
    });
    const step = page.locator('.step', { hasText: 'Password:' });
    const field = step.getByLabel('Input for the job');
    await step.locator('input[type=password]').waitFor();
    await field.fill('hunter2-secret');
    await field.press('Enter');
    await step.getByText(/14 \[typed by the user\]/).waitFor();
    await step.locator('input[type=text]').waitFor();
    await field.fill('Ada Lovelace');
    await step.getByRole('button', { name: 'Send' }).click();
    await step.getByText(/^job-1/).waitFor({ state: 'detached' });
    child.stdin.write(`${JSON.stringify({ tool: 'run_shell', args: { job: 'job-1', action: 'output' } })}\n`);
    child.stdin.end();
    await new Promise((resolve) => child.once('exit', resolve));
    const text = await answer().catch((error: Error) => error.message);
    const records = fs.readdirSync(place.journal).map((name) => readText(`${place.journal}/${name}`));
    expect(JSON.stringify([text, records])).not.toMatch(/hunter2|Lovelace/);
    expect(records.join('')).toContain('I am [typed by the user]');
  });

  test('the tokens of the tools are those of the list that a host gets over MCP', async () => {
    const place = makeUiPlace();
    const info = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    const requests = [
      { id: 1, method: 'initialize', params: info },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/list' },
    ];
    const input = requests.map((each) => `${JSON.stringify({ jsonrpc: '2.0', ...each })}\n`).join('');
    const out = execFileSync(process.execPath, [MCP], { cwd: place.cwd, env: place.env, input, encoding: 'utf8' });
    const listed = out.split('\n').flatMap((line) => (line.includes('"id":2') ? [JSON.parse(line)] : []));
    const counter = await loadExactCounter();
    const total = counter.count(Buffer.from(JSON.stringify(listed[0].result.tools)));
    const ui = await startUi(place);
    const { page } = await openTab(browser, ui.address);
    await page.getByRole('button', { name: 'Tools' }).click();
    await page.getByText(`${total.toLocaleString('en')} tokens (o200k)`).waitFor();
  });

  test('a project without calls says how to connect an agent, and prints only the address without a terminal', async () => {
    const place = makeUiPlace();
    const ui = await startUi(place, { hasTerminal: false });
    expect(ui.printed()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#\S+\n$/);
    const { page, faults } = await openTab(browser, ui.address);
    await page.getByText('jinn-mcp install claude-code').waitFor();
    const second = await startUi(place, { hasTerminal: false });
    expect(second.printed()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#\S+\n$/);
    expect(faults).toEqual([]);
  });
});

function readText(path: string): string {
  return fs.statSync(path).isFile() ? fs.readFileSync(path, 'utf8') : '';
}
