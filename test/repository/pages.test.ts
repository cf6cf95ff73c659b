import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { listPages, measurePage } from '../../scripts/prose.mjs';

const ROOT = path.join(import.meta.dirname, '../..');
const PROGRAM = path.join(ROOT, 'apps/jinn/dist/jinn.cjs');
const OPENING = 'This page says what it is for.';
const EXAMPLE = '```sh\njinn\n```';
const GOOD = `# Title\n\n${OPENING}\n\n${EXAMPLE}\n`;
const words = (count: number) => 'word '.repeat(count).trim();
const faultsOf = (page: string) => measurePage(page).faults.join('; ');

test('a page that begins with what it is for and has an example has no fault', () => {
  expect(measurePage(GOOD)).toMatchObject({ faults: [], sentences: 1, average: 7 });
});

test.each([
  ['no title', `${OPENING}\n\n${EXAMPLE}\n`, 'does not begin with a title'],
  ['a heading first', `# Title\n\n## More\n\n${OPENING}\n\n${EXAMPLE}\n`, 'does not say below its title'],
  ['a table first', `# Title\n\n| a |\n|---|\n\n${EXAMPLE}\n`, 'does not say below its title'],
  ['an example first', `# Title\n\n${EXAMPLE}\n\n${OPENING}\n`, 'does not say below its title'],
  ['a list first', `# Title\n\n- ${OPENING}\n\n${EXAMPLE}\n`, 'does not say below its title'],
  ['too few words first', `# Title\n\nIn short.\n\n${EXAMPLE}\n`, 'does not say below its title'],
  ['no example', `# Title\n\n${OPENING}\n`, 'has no example in its first 40 lines'],
  ['a late example', `# Title\n\n${OPENING}\n${'\n'.repeat(40)}${EXAMPLE}\n`, 'has no example in its first 40 lines'],
  ['long sentences', `${GOOD}\n${`A${words(43)}.\n\n`.repeat(9)}`, 'on average, over 25'],
  ['long items of a list', `${GOOD}\n${`- A${words(43)}.\n`.repeat(9)}`, 'on average, over 25'],
  ['no headings', `${GOOD}\n${`A ${words(9)}. `.repeat(50)}\n`, 'words under the heading of line 1, over 420'],
])('a page with %s has a fault', (_, page, fault) => {
  expect(faultsOf(page)).toContain(fault);
});

test.each([
  ['code', '`a. B`', 1],
  ['a short form', 'It takes e.g. this, or 3.5 of that.', 1],
  ['two sentences', 'It is so. It stays so.', 2],
  ['code at the start of a sentence', 'It is so. `it` stays so.', 2],
])('%s is told as %s', (_, text, sentences) => {
  expect(measurePage(`${GOOD}\n${text}\n`).sentences).toBe(1 + sentences);
});

test('a heading parts a page, and tables, examples and comments are no prose', () => {
  const part = `${`A ${words(9)}. `.repeat(40)}\n`;
  expect(faultsOf(`${GOOD}\n${part}\n## More\n\n${part}`)).toBe('');
  const aside = words(500);
  expect(faultsOf(`${GOOD}\n| ${aside} |\n\n<!-- ${aside} -->\n\n\`\`\`\n${aside}\n\`\`\`\n`)).toBe('');
});

test('every page of docs is in the list of pages', () => {
  const list = fs.readFileSync(path.join(ROOT, 'docs/README.md'), 'utf8');
  const linked = [...list.matchAll(/\]\(([\w/-]+\.md)\)/g)].map(([, file]) => `docs/${file}`);
  const wanted = listPages().filter(
    (page) => /^docs\/(?:tutorial\/)?[\w-]+\.md$/.test(page) && page !== 'docs/README.md',
  );
  expect(linked).toEqual(expect.arrayContaining(wanted));
});

test('every call that a page shows is one that jinn takes', { tags: 'slow' }, () => {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'jinn-pages-'));
  const env = { PATH: process.env['PATH'], HOME: home };
  const wrong = listPages()
    .flatMap(callsOf)
    .flatMap(({ page, call, toolset }) => {
      const answer = spawnSync(process.execPath, [PROGRAM, '--toolset', toolset], { cwd: home, env, input: call });
      const { error_code: code, error } = JSON.parse(answer.stdout.toString());
      return /^(?:invalid_|unknown_)/.test(code) ? [`${page}: ${call}: ${error}`] : [];
    });
  fs.rmSync(home, { recursive: true, force: true });
  expect(wrong).toEqual([]);
});

/** The calls of the examples of a page that a person wrote, each a line. */
function callsOf(page: string) {
  if (page.startsWith('docs/tools/')) return [];
  const text = fs.readFileSync(path.join(ROOT, page), 'utf8');
  const blocks = [...text.matchAll(/^```json\n(.*?)^```$/gms)].map(([, block = '']) => block);
  const calls = blocks.flatMap((block) => block.split('\n')).filter((line) => line.startsWith('{"tool":'));
  const toolset = page === 'docs/codescout.md' ? 'codescout' : 'jinn,jinni,symbols';
  return calls.map((call) => ({ page, call, toolset }));
}

/** What is shown of jinn before anything else is read. */
const HEADLINES = [
  ...[
    'README.md',
    'SECURITY.md',
    'apps/jinn/README.md',
    'apps/mcp-server/README.md',
    'docs/site/.vitepress/config.mjs',
  ],
  ...['gemini-extension.json', '.claude-plugin/marketplace.json', 'packaging/claude-code/.claude-plugin/plugin.json'],
  ...['apps/jinn/package.json', 'apps/jinni/package.json', 'apps/mcp-server/package.json', 'packages/sdk/package.json'],
  ...['apps/jinn/src/parse-flags.ts', 'apps/jinn/src/jinn-spec.ts', 'apps/mcp-server/src/mcp-spec.ts'],
];
/** Sentences that are false of a command without the sandbox, or of one in it. */
const FALSE_WITHOUT_SANDBOX =
  /never outside (?:of )?the project|nothing outside of the project|secrets(?: \([^)]*\))? are never opened(?! by file tools)|paths are confined/i;

test.each(HEADLINES)('%s claims only what the defaults keep', (file) => {
  expect(fs.readFileSync(path.join(ROOT, file), 'utf8').replaceAll(/\s+/g, ' ')).not.toMatch(FALSE_WITHOUT_SANDBOX);
});

test('the promises fit on a page', () => {
  expect(fs.readFileSync(path.join(ROOT, 'SECURITY.md'), 'utf8').length).toBeLessThanOrEqual(9_000);
});
