import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { makeTree } from '@jinn/testkit';
import { type Browser, openChromium, type Page } from '@jinn/testkit/chromium';
import axe from 'axe-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { beginCall, callJinn, HAS_BROWSER, makeUiPlace, openTab, startUi, type UiPlace } from './fixture/open-ui.ts';

const REMOVE = { tool: 'run_shell', args: { command: 'rm -rf build' } };
const TOOL = `---
name: hello
description: Say hello
runtime: node
script: run.mjs
inputSchema: { type: object, properties: {} }
outputSchema: { type: object }
env: [HELLO_TOKEN]
---
`;

function tab(page: Page, name: string) {
  return page.getByRole('navigation').getByRole('button', { name }).click();
}

/** Presses a button that wants to be pressed twice. */
async function pressTwice(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click();
  await page.getByRole('button', { name: /^Really/ }).click();
}

/** Finds what a person with a reader or a keyboard could not use. */
async function violationsOf(page: Page): Promise<unknown[]> {
  await page.evaluate(`${axe.source}; 0`);
  const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
  return violations.map(({ id, nodes }) => [id, nodes.map(({ html, any }) => [html, any[0]?.message])]);
}

/** Writes calls into the journal as they would stand there. */
function fillJournal({ journal: directory, cwd }: UiPlace, count: number): void {
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
  const day = new Date().toISOString().slice(0, 10).replaceAll('-', '');
  const lines = Array.from({ length: count }, (_, i) => {
    const facts = { workspace: cwd, door: 'jinn', session: `s${i % 50}`, pid: 1, time: Date.now() - count + i };
    const head = { v: 1, k: 'end', id: `c${i}`, tool: i % 10 ? 'read_file' : 'run_shell', what: `file ${i}`, ok: true };
    return `${JSON.stringify({ ...head, ...facts, ms: 1, lengths: [10, 3] })}\t${JSON.stringify({ args: { n: i }, text: 'abc' })}\n`;
  });
  fs.writeFileSync(`${directory}/${day}T000000000-1.jsonl`, lines.join(''), { mode: 0o600 });
}

describe.skipIf(!HAS_BROWSER)('in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openChromium();
  });
  afterAll(() => browser.close());

  test('a call shows at once, with its arguments, its picture and its tokens', async () => {
    const place = makeUiPlace({ 'a.txt': 'one\n' });
    const ui = await startUi(place);
    const { page, faults } = await openTab(browser, ui.address);
    callJinn(place, { tool: 'edit_file', args: { path: 'a.txt', old_text: 'one', new_text: 'two' } });
    await page
      .getByRole('row', { name: /Edit a\.txt/ })
      .getByRole('button')
      .click();
    const card = page.getByRole('region', { name: 'Call' });
    await card.getByRole('row', { name: 'two' }).waitFor();
    expect(await card.textContent()).toMatch(/\+1 −1.*edit_file.*≈ \d+ tokens in, \d+ out/);
    expect(faults).toEqual([]);
  });

  test('a call of a host that cannot ask goes on when the person allows it', async () => {
    const place = makeUiPlace({ 'build/a': 'x' });
    const ui = await startUi(place);
    const { page, faults } = await openTab(browser, ui.address);
    const { answer } = beginCall(place, REMOVE, ['--dangerous=ask']);
    await page.getByRole('button', { name: 'Questions (1)' }).click();
    expect(await page.title()).toBe('(1) jinn');
    expect(await page.locator('.asked').textContent()).toContain('    rm -rf build\n');
    await page.getByRole('button', { name: 'Allow once' }).click();
    expect(await answer()).toMatchObject({ ok: true });
    await page.getByText('allowed once').waitFor();
    expect(fs.existsSync(`${place.cwd}/build`)).toBe(false);
    expect(ui.printed()).toContain('\u001b]0;1 call waits for you: jinn ui');
    expect(faults).toEqual([]);
  });

  test('the answer always is kept, and taken back; deny refuses', async () => {
    const place = makeUiPlace({ 'build/a': 'x' });
    const ui = await startUi(place);
    const { page } = await openTab(browser, ui.address);
    const first = beginCall(place, REMOVE, ['--dangerous=ask']);
    await tab(page, 'Questions');
    await page.getByRole('button', { name: 'Always allow…' }).click();
    await page.getByText('allows just this in this workspace').first().waitFor();
    await page.getByRole('button', { name: 'Save and allow' }).click();
    expect(await first.answer()).toMatchObject({ ok: true });
    expect(await beginCall(place, REMOVE, ['--dangerous=ask']).answer()).toMatchObject({ ok: true });
    await tab(page, 'Grants');
    const saved = page.getByRole('article').filter({ hasText: 'run_shell · dangerous_command' });
    await saved.getByText('rm -rf build').waitFor();
    await pressTwice(page, 'Revoke');
    await page.getByText('revoked 1 approval').waitFor();
    makeTree(place.cwd, { 'build/a': 'x' });
    const second = beginCall(place, REMOVE, ['--dangerous=ask']);
    await tab(page, 'Questions');
    await page.getByRole('button', { name: 'Deny' }).click();
    expect(await second.answer()).toMatchObject({
      ok: false,
      error: expect.stringContaining('the user denied this call'),
    });
    expect(fs.existsSync(`${place.cwd}/build/a`)).toBe(true);
  });

  test('a question about changes shows them as a diff below its words', async () => {
    const place = makeUiPlace({ 'a.txt': 'one\n' });
    const git = (...args: string[]) => execFileSync('git', args, { cwd: place.cwd });
    git('init', '-q');
    git('add', '-A');
    git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'first');
    fs.writeFileSync(`${place.cwd}/a.txt`, 'two\n');
    const ui = await startUi(place);
    const { page } = await openTab(browser, ui.address);
    beginCall(place, { tool: 'run_shell', args: { command: 'git checkout -- a.txt' } }, ['--dangerous=ask']);
    await tab(page, 'Questions');
    await page
      .getByRole('button', { name: 'Changes here that are not committed, and may be lost · a.txt', exact: true })
      .waitFor();
    await page.getByRole('row', { name: /added\s?two/ }).waitFor();
    expect(await page.locator('.asked').textContent()).not.toContain('+two');
  });

  test('a question survives that the page is loaded again; two pages show it, and the first answer counts', async () => {
    const place = makeUiPlace({ 'build/a': 'x' });
    const ui = await startUi(place);
    const { page } = await openTab(browser, ui.address);
    const { answer } = beginCall(place, REMOVE, ['--dangerous=ask']);
    await page.getByRole('button', { name: 'Questions (1)' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Questions (1)' }).click();
    const second = await startUi(place);
    const { page: other } = await openTab(browser, second.address);
    await other.getByRole('button', { name: 'Questions (1)' }).click();
    await other.getByRole('button', { name: 'Deny' }).click();
    expect(await answer()).toMatchObject({ ok: false });
    await page.getByText('denied', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Allow once' }).count()).toBe(0);
  });

  test('a call that dies while it waits is shown as gone, and as died', async () => {
    const place = makeUiPlace({ 'build/a': 'x' });
    const ui = await startUi(place);
    const { page } = await openTab(browser, ui.address);
    const { child } = beginCall(place, REMOVE, ['--dangerous=ask']);
    await page.getByRole('button', { name: 'Questions (1)' }).click();
    child.kill('SIGKILL');
    await page.getByText('gone: the call was ended').waitFor();
    await tab(page, 'Calls');
    await page.getByRole('row', { name: /died/ }).waitFor();
  });

  test.each([true, false])(
    'the browser tells of a call that waits, if the person allowed it (%s)',
    async (isAllowed) => {
      const place = makeUiPlace({ 'build/a': 'x' });
      const ui = await startUi(place);
      const { page, faults } = await openTab(browser, ui.address);
      const told = await page.evaluateHandle(`(() => {
      const told = [];
      Notification = class extends Notification { constructor(...told_) { super(...told_); told.push(told_); } };
      document.hasFocus = () => !window.isAway;
      return told;
    })()`);
      if (isAllowed) await page.context().grantPermissions(['notifications'], { origin: ui.origin });
      const ask = () => beginCall(place, REMOVE, ['--dangerous=ask']);
      ask();
      await page.getByRole('button', { name: 'Questions (1)' }).waitFor();
      await page.evaluate('window.isAway = true');
      ask();
      await page.getByRole('button', { name: 'Questions (2)' }).waitFor();
      const notice = ['run_shell waits for your answer', { body: fs.realpathSync(place.cwd) }];
      expect(await told.jsonValue()).toEqual(isAllowed ? [notice] : []);
      expect(faults).toEqual([]);
    },
  );

  test('nobody is asked where no tab has the page open', async () => {
    const place = makeUiPlace({ 'build/a': 'x' });
    await startUi(place);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    const [answer] = callJinn(place, { ...REMOVE, args: { ...REMOVE.args, force: false } });
    expect(answer).toMatchObject({ ok: false, error_code: 'command_blocked' });
  });

  test('10,000 calls are listed, searched and filtered, and few are in the document', async () => {
    const place = makeUiPlace();
    fillJournal(place, 10_000);
    const ui = await startUi(place);
    const { page, faults } = await openTab(browser, ui.address);
    await page.getByText('150 of 10,000 calls').waitFor();
    const list = page.getByRole('group', { name: 'Calls' });
    const whole = page.getByText('10,000 calls', { exact: true });
    while (!(await whole.isVisible())) {
      await list.focus();
      await page.keyboard.press('End');
      await page.waitForTimeout(100);
    }
    expect(await page.locator('tr').count()).toBeLessThan(100);
    await page.keyboard.press('End');
    await page.locator('tr[aria-rowindex="10000"]').waitFor();
    await page.getByLabel('Search').fill('"n":4321}');
    await page.getByText('1 call', { exact: true }).waitFor();
    await page.getByLabel('Search').fill('');
    await page.getByLabel('tool', { exact: true }).selectOption('run_shell');
    await page.getByText('150 of 1,000 calls').waitFor();
    await page.getByLabel('session', { exact: true }).selectOption('s0');
    await page.getByText('150 of 200 calls').waitFor();
    expect(faults).toEqual([]);
  });

  test('a new call does not move what is read further down', async () => {
    const place = makeUiPlace();
    fillJournal(place, 1_000);
    const ui = await startUi(place);
    const { page, faults } = await openTab(browser, ui.address);
    const read = page.getByRole('row', { name: /file 960/ });
    await read.scrollIntoViewIfNeeded();
    const top = async () => (await read.boundingBox())?.y;
    const before = await top();
    callJinn(place, { tool: 'read_file', args: { path: 'none' } });
    await page.getByText('151 of 1,001 calls').waitFor();
    await expect.poll(top).toBe(before);
    expect(faults).toEqual([]);
  });

  test('a session is saved as a page that needs nothing else', async () => {
    const place = makeUiPlace({ 'a.txt': 'one\n' });
    const ui = await startUi(place);
    const { page } = await openTab(browser, ui.address);
    callJinn(place, {
      tool: 'edit_file',
      args: { path: 'a.txt', old_text: 'one', new_text: '</script>two' },
      client: 'me',
    });
    await page.getByRole('row', { name: /edit_file/ }).waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as a page' }).click();
    const file = `${place.cwd}/saved.html`;
    await (await download).saveAs(file);
    await page.goto(`file://${file}`);
    await page.getByRole('heading', { name: `me in ${fs.realpathSync(place.cwd)}` }).waitFor();
    await page.getByRole('button', { name: /^[\dT:.Z-]+ · [\d.]+ ms · edit_file a\.txt$/ }).waitFor();
    await page.getByRole('row', { name: '</script>two' }).first().waitFor();
  });

  test('a change is looked at and taken back, and that can be taken back too', async () => {
    const place = makeUiPlace({ 'a.txt': 'one\n' });
    callJinn(place, { tool: 'edit_file', args: { path: 'a.txt', old_text: 'one', new_text: 'two' } });
    const ui = await startUi(place);
    const { page } = await openTab(browser, ui.address);
    await tab(page, 'History');
    await page.getByRole('button', { name: /Edit a.txt/ }).click();
    await page.getByText('a.txt: changed').waitFor();
    await page.getByRole('row', { name: 'one' }).waitFor();
    await page.getByRole('button', { name: 'Undo it' }).click();
    await page.getByText('restored: a.txt').waitFor();
    expect(fs.readFileSync(`${place.cwd}/a.txt`, 'utf8')).toBe('one\n');
    await page.getByRole('article').filter({ hasText: 'Edit a.txt' }).getByText('undone').waitFor();
    await page.getByRole('button', { name: /Undo: a.txt/ }).click();
    await page.getByRole('button', { name: 'Undo it' }).click();
    await expect.poll(() => fs.readFileSync(`${place.cwd}/a.txt`, 'utf8')).toBe('two\n');
  });

  test('memory is read, edited and deleted', async () => {
    const place = makeUiPlace();
    const memory = (args: object) => callJinn(place, { tool: 'memory', args })[0];
    memory({ action: 'save', key: 'a.b', value: 'old', pin: true });
    const ui = await startUi(place);
    const { page } = await openTab(browser, ui.address);
    await tab(page, 'Memory');
    await page.getByLabel('Text of a.b').fill('new');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('saved: a.b').waitFor();
    expect(memory({ action: 'list', include_values: true })).toMatchObject({
      result: expect.stringMatching(/"new".*"pinned":true|"pinned":true.*"new"/),
    });
    await pressTwice(page, 'Delete');
    await expect.poll(() => page.getByLabel('Text of a.b').count()).toBe(0);
    expect(memory({ action: 'recall', key: 'a.b' })).toMatchObject({ ok: false });
  });

  test('a custom tool is looked at and trusted as it is, and its variable is set and not shown', async () => {
    const place = makeUiPlace({ '.jinn/tools/hello/tool.md': TOOL, '.jinn/tools/hello/run.mjs': 'console.log("{}")' });
    const ui = await startUi(place);
    const { page } = await openTab(browser, ui.address);
    await tab(page, 'Tools');
    await page.getByLabel('New value of HELLO_TOKEN').fill('secret-value');
    await page.getByRole('button', { name: 'Set', exact: true }).click();
    await page.getByText('set HELLO_TOKEN').waitFor();
    await page.getByRole('button', { name: 'Look at hello' }).click();
    await page.locator('.asked').waitFor();
    fs.appendFileSync(`${place.cwd}/.jinn/tools/hello/run.mjs`, '\n// changed');
    await pressTwice(page, 'Trust it as it is');
    await page.getByText('has changed since it was shown').waitFor();
    await page.reload();
    await tab(page, 'Tools');
    await page.getByRole('button', { name: 'Look at hello' }).click();
    await page.getByLabel('Variables that it gets').fill('HELLO_TOKEN');
    await pressTwice(page, 'Trust it as it is');
    await page.getByText('hello is trusted as it is now').waitFor();
    await page.getByText('ready').waitFor();
    expect(await page.content()).not.toContain('secret-value');
    expect(await page.getByRole('row', { name: /read_file/ }).textContent()).toMatch(/read_fileread\d+$/);
  });

  test('axe finds no violation in any part', async () => {
    const place = makeUiPlace({
      'a.txt': 'one\n',
      'build/a': 'x',
      '.jinn/tools/hello/tool.md': TOOL,
      '.jinn/tools/hello/run.mjs': '1',
    });
    callJinn(place, { tool: 'memory', args: { action: 'save', key: 'a', value: 'b' } });
    const ui = await startUi(place);
    const { page } = await openTab(browser, ui.address);
    callJinn(place, { tool: 'edit_file', args: { path: 'a.txt', old_text: 'one', new_text: 'two' } });
    beginCall(place, REMOVE, ['--dangerous=ask']);
    await page.getByRole('button', { name: 'Questions (1)' }).waitFor();
    await page.keyboard.press('?');
    const check = async (what: string) => {
      await page.waitForTimeout(300);
      expect(await violationsOf(page), what).toEqual([]);
    };
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const width of [1200, 390]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 800 });
        for (const name of ['Questions', 'History', 'Memory', 'Tools', 'Grants', 'Calls']) {
          await tab(page, name);
          await check(`${name}, ${colorScheme}, ${width}`);
        }
        await page.getByRole('button', { name: 'Read as a session' }).click();
        await page.getByRole('button', { name: 'Undo this…' }).click();
        await page.getByRole('button', { name: 'Undo it' }).waitFor();
        await check(`a session, ${colorScheme}, ${width}`);
        await page.keyboard.press('Escape');
        await page
          .getByRole('row', { name: /Edit a.txt/ })
          .getByRole('button')
          .click();
        await check(`a call, ${colorScheme}, ${width}`);
        await page.keyboard.press('Escape');
      }
    }
  }, 180_000);
});
