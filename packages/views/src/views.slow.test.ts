import fs from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Browser, HAS_CHROMIUM, openChromium, type Page } from '@jinn/testkit/chromium';
import axe from 'axe-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HOSTILE, makeLongDiff, SAMPLES } from './fixture/visualization-samples.ts';
import { withPage } from './fixture/with-page.ts';

const BUILT = path.join(import.meta.dirname, '../dist/view.html');
const ROWS = Array.from({ length: 10_000 }, (_, i) => ({ name: `row ${i + 1}`, size: (i * 7_919) % 10_007 }));
const LONG_TABLE = { type: 'table', title: 'Long', columns: [{ key: 'name' }, { key: 'size' }], rows: ROWS };

/** Finds what a person with a reader or a keyboard could not use. */
async function violationsOf(page: Page): Promise<unknown[]> {
  await page.evaluate(`${axe.source}; 0`);
  const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
  return violations.map(({ id, nodes }) => [id, nodes.map(({ html, any }) => [html, any[0]?.message])]);
}

test('the file of the views is small, and allows nothing from elsewhere', () => {
  const html = fs.readFileSync(BUILT, 'utf8');
  expect(gzipSync(html).length).toBeLessThan(300_000);
  const [, policy] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html) ?? [];
  expect(policy?.replaceAll(/sha256-[\w+/]{43}=/g, 'HASH')).toBe(
    "default-src 'none'; script-src 'HASH'; style-src 'HASH'; img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  );
});

describe.skipIf(!HAS_CHROMIUM)('in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openChromium();
  });
  afterAll(() => browser.close());

  test.each(Object.values(SAMPLES))('$type has the accessible tree that it should', async (sample) => {
    await withPage(browser, { visualizations: [sample] }, async (page, faults) => {
      await page.locator('#views > :nth-child(2)').waitFor();
      await expect(await page.locator('#views > :nth-child(2)').ariaSnapshot()).toMatchFileSnapshot(
        `fixture/trees/${sample.type}.txt`,
      );
      expect(faults).toEqual([]);
    });
  });

  test.each([false, true])('axe finds no violation (dark: %s)', async (isDark) => {
    const visualizations = [...Object.values(SAMPLES), ...HOSTILE];
    await withPage(browser, { visualizations, isDark }, async (page) => {
      await page.locator('.mark').first().waitFor();
      expect(await violationsOf(page)).toEqual([]);
    });
  });

  test('changed words are marked, and source is coloured', async () => {
    await withPage(browser, { visualizations: [SAMPLES.diff] }, async (page) => {
      await page.locator('.mark').first().waitFor();
      expect(await page.locator('tr.removed .mark').allTextContents()).toEqual(['Hello']);
      expect(await page.locator('tr.added .mark').allTextContents()).toEqual(['Good', 'day ']);
      expect(await page.locator('.hljs-keyword').allTextContents()).toContain('export');
    });
  });

  test('files and hunks fold by the keyboard', async () => {
    await withPage(browser, { visualizations: [SAMPLES.diff] }, async (page) => {
      await page.getByRole('button', { name: '@@ -1,3 +1,4 @@' }).press('Enter');
      expect(await page.getByRole('row').count()).toBe(1);
      await page.getByRole('button', { name: 'src/greet.ts', exact: true }).press(' ');
      expect(await page.getByRole('table').count()).toBe(0);
    });
  });

  test('10,000 rows are sorted and filtered, and few are in the document', async () => {
    await withPage(browser, { visualizations: [LONG_TABLE] }, async (page, faults) => {
      const first = page.locator('tbody:not([aria-hidden]) tr').first();
      await page.getByRole('button', { name: 'size', exact: true }).click();
      await expect.poll(() => first.textContent()).toBe('1row 10');
      await page.getByRole('button', { name: 'size', exact: true }).click();
      await expect.poll(() => first.textContent()).toMatch(/10006$/);
      expect(await page.locator('tr').count()).toBeLessThan(100);
      expect(await page.getByRole('table').getAttribute('aria-rowcount')).toBe('10001');
      await page.getByRole('group', { name: 'Long' }).focus();
      await page.keyboard.press('End');
      await expect.poll(() => page.locator('tr[aria-rowindex="10001"]').count()).toBe(1);
      await page.getByRole('searchbox', { name: 'Filter' }).fill('row 999');
      await expect.poll(() => page.locator('.filter [role=status]').textContent()).toBe('11 of 10,000 rows');
      await page.getByRole('button', { name: 'Show row 999 whole' }).click();
      expect(await page.getByRole('complementary', { name: 'Row' }).textContent()).toContain('row 999');
      expect(faults).toEqual([]);
    });
  });

  test('a diff of 5,000 lines is drawn only where it is seen, to its end', async () => {
    await withPage(browser, { visualizations: [makeLongDiff(5_000)] }, async (page) => {
      expect(await page.locator('tr').count()).toBeLessThan(100);
      await page.locator('.rows').evaluate((region) => region.scrollTo(0, region.scrollHeight));
      await expect.poll(() => page.locator('tr[aria-rowindex="5001"]').textContent()).toContain("compute(2499, 'new')");
    });
  });

  test('rows that scroll in take the place of others, in order, without what these were opened to', async () => {
    const content = Array.from({ length: 3_000 }, (_, i) => `${i + 1} ${'x'.repeat(2_500)}`).join('\n');
    const code = { type: 'code', path: 'a', content, highlightLines: [1] };
    await withPage(browser, { visualizations: [code] }, async (page, faults) => {
      await page
        .getByRole('button', { name: /characters more/ })
        .first()
        .click();
      expect((await page.locator('td.line').first().textContent())?.length).toBeGreaterThan(2_500);
      for (const row of [50, 8, 1_000, 1_020, 2_990, 40]) {
        await page.locator('.rows').evaluate((region, top) => region.scrollTo(0, top), row * 22);
        const shown = page.locator(`tr[aria-rowindex="${row + 1}"] td.line`);
        await expect.poll(() => shown.textContent()).toMatch(new RegExp(`^${row + 1} x+`));
        const indexes = await page
          .locator('tr[aria-rowindex]')
          .evaluateAll((rows) => rows.map((each) => Number(each.ariaRowIndex)));
        expect(indexes).toEqual(indexes.map((_, i) => (indexes[0] ?? 0) + i));
        const lines = await page.locator('tr[aria-rowindex]:not(.marked) td.line').allTextContents();
        expect(lines.filter((line) => line.length > 2_100)).toEqual([]);
      }
      expect(faults).toEqual([]);
    });
  });

  test('a long file shows its beginning, and all of it when asked', async () => {
    const content = Array.from({ length: 50 }, (_, i) => `line ${i + 1}`).join('\n');
    await withPage(browser, { visualizations: [{ type: 'code', path: 'a', content }] }, async (page) => {
      expect(await page.getByRole('row').count()).toBe(20);
      await page.getByRole('button', { name: 'Show all 50 lines' }).click();
      await expect.poll(() => page.getByRole('row').count()).toBe(50);
    });
  });

  test('a line of a megabyte is cut, and shown when asked', async () => {
    const code = { type: 'code', path: 'a.js', language: 'javascript', content: 'x'.repeat(1_000_000) };
    await withPage(browser, { visualizations: [code] }, async (page) => {
      expect((await page.locator('td.line').textContent())?.length).toBeLessThan(2_100);
      await page.getByRole('button', { name: '998,000 characters more' }).click();
      await expect.poll(async () => (await page.locator('td.line').textContent())?.length).toBe(1_000_000);
    });
  });

  test('a button copies what is shown', async () => {
    await withPage(browser, { visualizations: [SAMPLES.diff] }, async (page) => {
      await page.evaluate(`document.addEventListener('copy', () => { window.copied = String(document.activeElement.value) });
        navigator.clipboard.writeText = () => Promise.reject();`);
      await page.getByRole('button', { name: 'Copy src/greet.ts' }).click();
      await expect.poll(() => page.locator('.copy [role=status]').textContent()).toBe('copied');
      expect(await page.evaluate('window.copied')).toBe(
        "--- src/greet.ts\n+++ src/greet.ts\n@@ -1,3 +1,4 @@\n export function greet(name: string) {\n-  return 'Hello ' + name;\n+  // A greeting without an end.\n+  return 'Good day ' + name;\n }\n",
      );
    });
  });

  test('hostile content is text, loads nothing and hides nothing', async () => {
    const data = { title: '</script><script>window.attacked=1</script>', visualizations: HOSTILE };
    await withPage(browser, data, async (page, faults) => {
      await page.locator('#views > :nth-child(11)').waitFor();
      expect(await page.evaluate('window.attacked')).toBeUndefined();
      expect(await page.locator('main :is(script, img, style, form, iframe, link)').count()).toBe(0);
      expect(await page.locator('main a').count()).toBe(0);
      expect(await page.locator('col').nth(2).getAttribute('style')).toMatch(/^width: \d+ch;$/);
      const text = await page.locator('main').textContent();
      expect(text).toContain('<img src=x onerror="window.attacked=1"><script>window.attacked=1</script>');
      expect(text).toContain('a\\u{202e}b\\x07');
      expect(text).toContain('concealed');
      expect(text).toContain('[image: beacon] https://example.org/x.png');
      expect(faults).toEqual([]);
    });
  });

  test.each([
    ['a script', 'Object.assign(document.createElement("script"), { textContent: "window.attacked=1" })'],
    ['a style', 'Object.assign(document.createElement("style"), { textContent: "body { display: none }" })'],
    ['an image of elsewhere', 'Object.assign(new Image(), { src: "https://example.org/x.png" })'],
  ])('the page itself refuses %s that is put into it', async (_, element) => {
    await withPage(browser, { visualizations: [SAMPLES.none] }, async (page) => {
      const refused = await page.evaluate(`new Promise((resolve) => {
        document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective));
        try { document.body.append(${element}); } catch {}
        setTimeout(resolve, 5000);
      })`);
      expect(refused).toMatch(/script|style|img|trusted/);
      expect(await page.evaluate('window.attacked')).toBeUndefined();
    });
  });

  test('markup cannot be set as text of a page', async () => {
    await withPage(browser, { visualizations: [SAMPLES.none] }, async (page) => {
      expect(await page.evaluate(`try { document.body.innerHTML = '<b>x</b>'; } catch (e) { e.name }`)).toBe(
        'TypeError',
      );
    });
  });
});
