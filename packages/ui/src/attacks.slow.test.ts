import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect, createServer } from 'node:net';
import path from 'node:path';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { type Browser, openChromium } from '@jinn/testkit/chromium';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { beginCall, callJinn, HAS_BROWSER, makeUiPlace, openTab, startUi } from './fixture/open-ui.ts';

const JINN = path.resolve(import.meta.dirname, '../../../apps/jinn/dist/jinn.cjs');
const REMOVE = { tool: 'run_shell', args: { command: 'rm -rf build' } };

/** Sends a request with any headers; returns its status, headers and body. */
function ask(origin: string, given: { method?: string; path?: string; headers?: object; body?: string } = {}) {
  const { method = 'GET', path: at = '/api/calls', headers = {}, body = '' } = given;
  const { hostname, port } = new URL(origin);
  return new Promise<{ status: number; headers: Record<string, unknown>; text: string }>((resolve, reject) => {
    const sent = httpRequest({ hostname, port, method, path: at, headers: { ...headers } }, async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Trades the code of an address for the token. */
async function open(address: string): Promise<{ status: number; token?: string }> {
  const { origin, hash } = new URL(address);
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ code: hash.slice(1) });
  const { status, text } = await ask(origin, { method: 'POST', path: '/api/open', headers, body });
  return { status, ...JSON.parse(text) };
}

describe.skipIf(!HAS_BROWSER)('the page of jinn ui', () => {
  let browser: Browser;
  let ui: Awaited<ReturnType<typeof startUi>>;
  let authorization: string;
  const place = makeUiPlace;
  beforeAll(async () => {
    browser = await openChromium();
  });
  afterAll(() => browser.close());

  async function start() {
    ui = await startUi(place());
    authorization = `Bearer ${(await open(ui.address)).token}`;
    return ui.origin;
  }

  test('opens by a code once', async () => {
    await start();
    expect(await open(ui.address)).toMatchObject({ status: 401, error: expect.stringContaining('used') });
    expect(await open(`${ui.origin}/#${'A'.repeat(43)}`)).toMatchObject({ status: 401 });
    expect((await ask(ui.origin, { headers: { authorization } })).status).toBe(200);
  });

  test.each([
    ['no token', {}],
    ['a wrong token', { authorization: `Bearer ${'A'.repeat(43)}` }],
    ['the token as a cookie', { cookie: 'token=TOKEN' }],
    ['the token in other words', { authorization: 'TOKEN' }],
  ])('says nothing to %s, at any path', async (_, headers) => {
    const origin = await start();
    const given = JSON.parse(JSON.stringify(headers).replace('TOKEN', authorization.slice('Bearer '.length)));
    for (const at of ['/api/calls', '/api/events', '/api/', '/x', '//api/calls', '/api/calls/../grants']) {
      const { status, text } = await ask(origin, { path: at, headers: given });
      expect([status, text]).toEqual([401, expect.not.stringContaining('rows')]);
    }
  });

  test.each([
    ['another name of this machine', { host: 'evil.example' }, 421],
    ['another port', { host: '127.0.0.1:1' }, 421],
    ['another page', { origin: 'http://evil.example' }, 403],
    ['a page of another port', { origin: 'http://127.0.0.1:1' }, 403],
    ['a page without an origin', { origin: 'null' }, 403],
    ['a page of another site, by the browser', { 'sec-fetch-site': 'cross-site' }, 403],
    ['a page of another port, by the browser', { 'sec-fetch-site': 'same-site' }, 403],
  ])('refuses what comes by %s, even with the token', async (_, headers, status) => {
    const origin = await start();
    const answer = await ask(origin, { headers: { authorization, ...headers } });
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([status, undefined]);
    expect((await ask(origin, { path: '/', headers })).status).toBe(status);
  });

  test.each([
    { what: 'a preflight', method: 'OPTIONS', type: 'application/json', status: 403, said: 'methods' },
    { what: 'a method that it has not', method: 'PUT', type: 'application/json', status: 403, said: 'methods' },
    { what: 'a form', method: 'POST', type: 'application/x-www-form-urlencoded', status: 415, said: 'JSON' },
    { what: 'plain text', method: 'POST', type: 'text/plain', status: 415, said: 'JSON' },
    { what: 'a megabyte and more', method: 'POST', type: 'application/json', status: 400, said: 'too large' },
  ])('refuses $what', async ({ method, type, status, said }) => {
    const origin = await start();
    const headers = { authorization, 'content-type': type };
    const body = method === 'POST' ? `{"x":"${'y'.repeat(status === 400 ? 1_100_000 : 1)}"}` : '';
    const answer = await ask(origin, { method, path: '/api/answer', headers, body });
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(said)]);
  });

  test('has headers against framing, sniffing and foreign scripts', async () => {
    const { headers } = await ask(await start(), { path: '/' });
    expect(headers).toMatchObject({
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
    });
    expect(String(headers['content-security-policy']).replaceAll(/sha256-[\w+/]{43}=/g, 'HASH')).toBe(
      "default-src 'none'; script-src 'HASH'; style-src 'HASH'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'; frame-ancestors 'none'",
    );
  });

  test('listens on 127.0.0.1 alone', async () => {
    const { port } = new URL(await start());
    // Whoever listens on all addresses has this one too.
    const other = createServer();
    onTestFinished(() => void other.close());
    await new Promise<void>((resolve, reject) => {
      other.on('error', reject);
      other.listen(Number(port), '127.0.0.2', resolve);
    });
  });

  test('a page of another port can neither read it nor frame it', async () => {
    const origin = await start();
    const evil = createServer((socket) => {
      const html = `<iframe src="${origin}/"></iframe>`;
      socket.end(`HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: ${html.length}\r\n\r\n${html}`);
    });
    onTestFinished(() => void evil.close());
    await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve));
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${(evil.address() as { port: number }).port}/`);
    await page.waitForTimeout(500);
    expect(
      await page
        .frames()[1]
        ?.locator('main')
        .count()
        .catch(() => 0),
    ).toBe(0);
    const read = await page.evaluate(
      `fetch(${JSON.stringify(`${origin}/`)}).then((answer) => answer.text(), () => 'refused')`,
    );
    expect(read).toBe('refused');
  });

  test('the key is neither in the address of the tab nor in a cookie', async () => {
    ui = await startUi(place());
    const { page } = await openTab(browser, ui.address);
    expect(page.url()).toBe(`${ui.origin}/`);
    expect(await page.context().cookies()).toEqual([]);
    expect(await page.evaluate('history.length')).toBeLessThanOrEqual(2);
  });

  test('a decision must name what the person saw, and an answer that was offered', async () => {
    const here = place();
    makeTree(here.cwd, { 'build/a': 'x' });
    ui = await startUi(here);
    const { page } = await openTab(browser, ui.address);
    beginCall(here, REMOVE, ['--dangerous=ask']);
    await page.getByRole('button', { name: 'Questions (1)' }).click();
    const say = (body: object) =>
      page.evaluate(`fetch('/api/answer', { method: 'POST', body: ${JSON.stringify(JSON.stringify(body))}, headers: {
        'content-type': 'application/json', authorization: 'Bearer ' + sessionStorage.getItem('jinn-token') } })
        .then((answer) => answer.text())`);
    const [asked] = (await page.evaluate(`fetch('/api/events', { headers: {
      authorization: 'Bearer ' + sessionStorage.getItem('jinn-token') } }).then(async (answer) => {
        const { value } = await answer.body.getReader().read();
        return JSON.parse(new TextDecoder().decode(value).slice(6).split('\\n\\n')[0]).questions; })`)) as {
      id: string;
      sha: string;
    }[];
    expect(await say({ id: asked?.id, sha: '0', answer: 'once' })).toContain('to another question');
    expect(await say({ id: asked?.id, sha: asked?.sha, answer: 'yes' })).toContain('no such answer');
    expect(await say({ id: 'none', sha: asked?.sha, answer: 'once' })).toContain('does not wait');
    expect(fs.existsSync(`${here.cwd}/build`)).toBe(true);
    expect(await say({ id: asked?.id, sha: asked?.sha, answer: 'deny' })).toBe('{}');
  });

  test('no button can be pressed at once, and Enter allows nothing', async () => {
    const here = place();
    makeTree(here.cwd, { 'build/a': 'x' });
    ui = await startUi(here);
    const { page } = await openTab(browser, ui.address);
    await page.getByRole('button', { name: 'Questions', exact: true }).click();
    // The browser looks, since half a second may pass before a test does.
    await page.evaluate(`new MutationObserver((_, observer) => {
      const button = [...document.querySelectorAll('.answers button')].find((each) => each.textContent === 'Allow once');
      if (!button) return;
      observer.disconnect();
      window.wasDead = button.disabled;
    }).observe(document.body, { childList: true, subtree: true })`);
    const { answer } = beginCall(here, REMOVE, ['--dangerous=ask']);
    const allow = page.getByRole('button', { name: 'Allow once' });
    await allow.waitFor();
    expect(await page.evaluate('window.wasDead')).toBe(true);
    await expect.poll(() => allow.isEnabled()).toBe(true);
    await allow.press('Enter');
    await page.waitForTimeout(300);
    expect(fs.existsSync(`${here.cwd}/build`)).toBe(true);
    await allow.press(' ');
    expect(await answer()).toMatchObject({ ok: true });
  });

  test('a path of the browser opens no other workspace, and no other file', async () => {
    const origin = await start();
    const headers = { authorization };
    const other = encodeURIComponent(makeTempDirectory());
    for (const at of [
      `grants?workspace=${other}`,
      'history',
      'memory?workspace=/',
      `tools?workspace=${place().cwd}/..`,
    ])
      expect((await ask(origin, { path: `/api/${at}`, headers })).text).toContain('no call was made in this directory');
    expect((await ask(origin, { path: '/api/call?at=../../etc/passwd:9', headers })).text).toContain('not a place');
  });

  test('hostile text of a call is text', async () => {
    const here = place();
    const evil = '<img src=x onerror="window.attacked=1"><script>window.attacked=1</script>\u202e\u001b]0;x\u0007';
    ui = await startUi(here);
    const { page, faults } = await openTab(browser, ui.address);
    callJinn(here, { tool: evil, args: { [evil]: evil, path: evil }, client: evil });
    await page.getByRole('row', { name: /<img/ }).getByRole('button').click();
    await page.getByRole('region', { name: 'Call' }).waitFor();
    expect(await page.evaluate('window.attacked')).toBeUndefined();
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(await page.locator('main').textContent()).toContain('\\u{202e}');
    expect(faults).toEqual([]);
  });

  test('opens no browser for a program: it wants a terminal', () => {
    const { cwd, env } = place();
    const options = { cwd, env, encoding: 'utf8', timeout: 15_000 } as const;
    const { stderr, status } = spawnSync(process.execPath, [JINN, 'ui'], options);
    expect([status, stderr]).toEqual([2, 'jinn: jinn ui needs a terminal; ask the user to run it\n']);
  });

  test('is not opened over a directory that others can enter', async () => {
    const here = place();
    fs.mkdirSync(here.journal, { recursive: true });
    fs.chmodSync(here.journal, 0o755);
    await expect(startUi(here)).rejects.toThrow('open to other users');
  });

  test('leaves files and a socket that others cannot use, and none when it ends', async () => {
    const here = place();
    ui = await startUi(here);
    const modes = fs
      .readdirSync(here.journal)
      .map((name) => [name, fs.statSync(`${here.journal}/${name}`).mode & 0o077]);
    expect(fs.statSync(here.journal).mode & 0o777).toBe(0o700);
    expect(modes).toContainEqual(['live', 0]);
    await new Promise((resolve) => connect(`${here.journal}/ui.sock`).on('connect', resolve));
    ui.child.kill('SIGTERM');
    await expect.poll(() => fs.readdirSync(here.journal), { timeout: 10_000 }).toEqual([]);
  });

  test('a second jinn ui opens the page of the first', async () => {
    const here = place();
    ui = await startUi(here);
    const second = await startUi(here);
    expect(second.origin).toBe(ui.origin);
    expect((await open(second.address)).status).toBe(200);
    expect((await open(ui.address)).status).toBe(200);
  });
});
