import fs from 'node:fs';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { type Browser, type FrameLocator, HAS_CHROMIUM, openChromium, type Page } from '@jinn/testkit/chromium';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { listen } from './fixture/listen.ts';
import { type BrowserHost, serveBrowserHost } from './fixture/serve-browser-host.ts';

/** A custom tool that shows what it is told to. */
const SHOW = {
  '.config/jinn/tools/show/tool.md':
    '---\nname: show\nscript: show.mjs\nruntime: node\ninputSchema:\n  type: object\n  properties:\n    shown: {}\noutputSchema:\n  type: object\n---\n\nShow it.\n',
  '.config/jinn/tools/show/show.mjs':
    "let input = '';\nfor await (const part of process.stdin) input += part;\nconsole.log(JSON.stringify({ done: true, _visualization: JSON.parse(input).shown }));\n",
};

const ATTACK = '<img src=x onerror="window.attacked=1"><script>window.attacked=1</script>';
const STATELESS = '2026-07-28';

interface HostOptions {
  readonly showsPages?: boolean;
  readonly revision?: string;
  readonly readsResources?: boolean;
  readonly hostContext?: object;
}

interface Opened {
  readonly page: Page;
  /** The page of jinn, within the frame that keeps it apart. */
  readonly view: FrameLocator;
  readonly cwd: string;
  /** What went wrong in any frame, and what was loaded from elsewhere. */
  readonly faults: readonly string[];
  call(name: string, args: object): Promise<{ readonly content: readonly { readonly text: string }[] }>;
  /** Runs an expression on the host. */
  run<T>(expression: string): Promise<T>;
}

describe.skipIf(!HAS_CHROMIUM)('the reference host of MCP Apps in Chromium', () => {
  let browser: Browser;
  let served: BrowserHost;
  beforeAll(async () => {
    [browser, served] = await Promise.all([openChromium(), serveBrowserHost()]);
  });
  afterAll(async () => {
    served?.close();
    await browser?.close();
  });

  /** Starts a server, and a host in a browser that is connected to it. */
  async function open({ showsPages = true, ...options }: HostOptions = {}): Promise<Opened> {
    const home = makeTempDirectory();
    makeTree(home, SHOW);
    const { url, cwd } = await listen({ variables: { HOME: home } });
    const context = await browser.newContext({ viewport: { width: 900, height: 700 } });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('console', (message) => ['error', 'warning'].includes(message.type()) && faults.push(message.text()));
    page.on('request', (request) => {
      if (!/^(http:\/\/127\.0\.0\.1:|about:)/.test(request.url())) faults.push(request.url());
    });
    await page.goto(served.host);
    await page.waitForFunction('window.openHost');
    const given = { url, sandbox: served.sandbox, showsPages, ...options };
    await page.evaluate(`openHost(${JSON.stringify(given)})`);
    return {
      page,
      view: page.frameLocator('iframe').frameLocator('iframe'),
      cwd,
      faults,
      call: (name, args) => page.evaluate(`host.call(${JSON.stringify(name)}, ${JSON.stringify(args)})`),
      run: (expression) => page.evaluate(expression),
    };
  }

  test.each([undefined, STATELESS])(
    'an edit is drawn beside the text that the model gets (revision %s)',
    async (revision) => {
      const { call, view, cwd, faults } = await open({ ...(revision && { revision }) });
      const { content } = await call('edit_file', { path: 'a.txt', old_text: 'one', new_text: 'two' });
      expect(content).toEqual([{ type: 'text', text: expect.stringMatching(/^a\.txt:1 \(1 line\)/) }]);
      expect(fs.readFileSync(`${cwd}/a.txt`, 'utf8')).toBe('two\n');
      await view.getByRole('heading', { name: 'a.txt' }).waitFor();
      expect(await view.locator('main').ariaSnapshot()).toMatchInlineSnapshot(`
        "- main:
          - heading "What the call did" [level=1]
          - article:
            - heading "a.txt" [level=2]:
              - button "a.txt" [expanded]
            - text: "matched: exact, line 1 1 line added 1 line removed"
            - button "Side by side"
            - status
            - button "Copy a.txt"
            - group "Changes of a.txt":
              - table "Changes of a.txt":
                - rowgroup:
                  - row "@@ -1,1 +1,1 @@":
                    - cell "@@ -1,1 +1,1 @@":
                      - button "@@ -1,1 +1,1 @@" [expanded]
                  - row "1 removed one":
                    - cell "1"
                    - cell
                    - cell "removed"
                    - cell "one"
                  - row "1 added two":
                    - cell
                    - cell "1"
                    - cell "added"
                    - cell "two""
      `);
      expect(faults).toEqual([]);
    },
  );

  test('each kind that our tools give is drawn', async () => {
    const { call, view, cwd, faults } = await open();
    fs.writeFileSync(`${cwd}/b.txt`, 'one\n');
    const rows: readonly (readonly [tool: string, args: object, shown: string | RegExp])[] = [
      ['write_file', { path: 'new.rs', content: 'fn main() {}\n' }, 'Created'],
      ['search_replace', { pattern: 'one', replacement: 'two', files: '*.txt' }, '2 files'],
      ['diff_files', { path_a: 'a.txt', path_b: 'b.txt' }, 'the files are identical'],
      ['run_shell', { command: 'echo out; exit 3' }, 'exit 3'],
      ['undo', { action: 'preview', last: 1 }, 'dry run: nothing was written'],
      ['undo', { action: 'list' }, 'search_replace'],
    ];
    for (const [tool, args, shown] of rows) {
      await call(tool, args);
      await view.getByText(shown).first().waitFor();
    }
    expect(faults).toEqual([]);
  });

  test.each([
    ['file-list', { files: [{ path: 'src/a.ts', line: 7, action: 'modified' }] }, 'src/a.ts'],
    ['table', { columns: [{ key: 'name' }], rows: [{ name: 'web 10' }] }, 'web 10'],
    ['markdown', { content: '# One\n\ntwo' }, 'two'],
    ['todo-list', { items: [{ content: 'write', status: 'pending' }] }, 'write'],
    ['none', { message: 'nothing changed' }, 'nothing changed'],
  ])('a custom tool may show a %s', async (type, fields, shown) => {
    const { call, view, faults } = await open();
    await call('show', { shown: { type, ...fields } });
    await view.getByText(shown, { exact: true }).first().waitFor();
    expect(faults).toEqual([]);
  });

  test('hostile content stays text, loads nothing and leaves its frame nowhere', async () => {
    const { call, view, page, faults, cwd } = await open();
    fs.writeFileSync(`${cwd}/a.txt`, `${ATTACK}\n`);
    await call('edit_file', { path: 'a.txt', old_text: ATTACK, new_text: `${ATTACK}\u202e\u001b]0;x\u0007` });
    await view.getByText('\\u{202e}\\x1b]0;x\\x07').waitFor();
    await call('run_shell', { command: `echo '${ATTACK}'` });
    await view.getByRole('group').getByText(ATTACK).waitFor();
    const content = `${ATTACK}\n\n![beacon](https://example.org/x.png) [x](javascript:window.attacked=1)`;
    await call('show', { shown: { type: 'markdown', content } });
    await view.getByText('[image: beacon] https://example.org/x.png').waitFor();
    expect(await view.locator('main :is(script, img, a, iframe, style)').count()).toBe(0);
    const frames = await Promise.all(page.frames().map((frame) => frame.evaluate('[window.attacked, origin]')));
    expect(frames).toEqual(
      [
        [null, served.host.slice(0, -1)],
        [null, served.sandbox.slice(0, -1)],
        [null, 'null'],
      ].map(([attacked, origin]) => [attacked ?? undefined, origin]),
    );
    expect(faults).toEqual([]);
  });

  test('a failed call is shown with its text, and what a tool does not draw too', async () => {
    const { call, view } = await open();
    await call('edit_file', { path: 'a.txt', old_text: 'nowhere', new_text: '' });
    await view.getByRole('heading', { name: 'Error' }).waitFor();
    await view.getByText(/^edit_not_found/).waitFor();
    await call('show', {});
    await view.getByRole('heading', { name: 'Result' }).waitFor();
    await view.getByText('{"done":true}').waitFor();
  });

  test('a large visualization is read by the page, or its text is shown where the host reads nothing', async () => {
    const rows = Array.from({ length: 20_000 }, (_, i) => ({ name: `row ${i} ä` }));
    const shown = { type: 'table', title: 'Long', columns: [{ key: 'name' }], rows };
    const reads = await open();
    const whole = JSON.stringify(await reads.call('show', { shown }));
    expect(whole.length).toBeLessThan(10_000);
    await reads.view.getByText('20,000 rows').waitFor();
    await reads.view.getByText('row 7 ä').waitFor();
    const doesNot = await open({ readsResources: false });
    await doesNot.call('show', { shown });
    await doesNot.view.getByText('{"done":true}').waitFor();
  });

  test('the page takes over theme and fonts, and follows when they change', async () => {
    const variables = { '--font-mono': 'serif', '--color-background-primary': 'red' };
    const { call, view, run } = await open({ hostContext: { theme: 'dark', styles: { variables } } });
    await call('run_shell', { command: 'echo hi' });
    const command = view.locator('.terminal pre');
    await command.waitFor();
    expect(await command.evaluate('getComputedStyle(document.querySelector(".terminal pre")).fontFamily')).toMatch(
      /^serif/,
    );
    const ground = () => command.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(await ground()).toBe('rgb(13, 17, 23)');
    await run("host.change({ theme: 'light' })");
    await expect.poll(ground).toBe('rgb(255, 255, 255)');
  });

  test('the frame is as high as the page, and shrinks with it', async () => {
    const { call, view, run, page } = await open();
    await call('run_shell', { command: 'seq 12' });
    const heightOf = () => page.locator('iframe').evaluate('document.querySelector("iframe").clientHeight');
    await expect.poll(heightOf).toBeGreaterThan(300);
    await expect.poll(async () => (await run<number[]>('host.asked.heights')).at(-1)).toBe(await heightOf());
    await view.getByRole('button', { name: 'Command', exact: true }).click();
    await expect.poll(heightOf).toBeLessThan(100);
  });

  test('the host opens links, and the person copies', async () => {
    const { call, view, run } = await open();
    await call('show', { shown: { type: 'markdown', content: '[docs](https://example.org/docs)' } });
    await view.getByRole('link', { name: 'docs' }).click();
    await expect.poll(() => run('host.asked.links')).toEqual(['https://example.org/docs']);
    await call('write_file', { path: 'b.txt', content: 'x\n' });
    await view.getByRole('button', { name: 'Copy b.txt' }).click();
    await view.getByText('copied', { exact: true }).waitFor();
  });

  test('a call that was canceled, or has no result, says so, and the page may be closed', async () => {
    const { run, view } = await open();
    await run('host.openPage()');
    await view.getByText('The call has no result yet.').waitFor();
    await run("host.cancel('the person did')");
    await view.getByText('The call was canceled: the person did.').waitFor();
    expect(await run('host.tearDown()')).toEqual({});
  });

  test('messages of any window but the host are passed over', async () => {
    const { run, view, page } = await open();
    await run('host.openPage()');
    const result = { content: [{ type: 'text', text: 'forged' }] };
    const forged = JSON.stringify({ jsonrpc: '2.0', method: 'ui/notifications/tool-result', params: result });
    const inner = page.frames().find((frame) => frame.parentFrame()?.parentFrame());
    await inner?.evaluate(`window.postMessage(${forged}, '*')`);
    await view.getByText('The call has no result yet.').waitFor();
    expect(await view.getByText('forged').count()).toBe(0);
  });

  test.each([undefined, STATELESS])('a host without the extension gets text alone (revision %s)', async (revision) => {
    const { call, page, run } = await open({ showsPages: false, ...(revision && { revision }) });
    const { content, ...rest } = await call('edit_file', { path: 'a.txt', old_text: 'one', new_text: 'two' });
    expect(content).toEqual([{ type: 'text', text: expect.stringMatching(/^a\.txt:1 \(1 line\)/) }]);
    expect(JSON.stringify(rest)).not.toContain('visualization');
    expect(JSON.stringify(await run('host.tools'))).not.toContain('ui://');
    expect(await page.locator('iframe').count()).toBe(0);
  });
});
