import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '../..');
const TYPEDOC = path.join(ROOT, 'docs/site/node_modules/typedoc/bin/typedoc');
const OPTIONS = path.join(ROOT, 'docs/site/typedoc.config.mjs');
/** What a page makes a browser load: scripts, styles, fonts and pictures. */
const LOADED =
  /<(?:script|img|iframe|source)\b[^>]*\bsrc="([^"]+)"|<link\b[^>]*\bhref="([^"]+)"|url\(["']?([^"')]+)|@import ["']([^"']+)/g;

const copies: string[] = [];
let copy: string;

/** Copies what the site is made of, so that a build leaves nothing here, and a page may be spoiled. */
function copySources(): string {
  const to = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'jinn-site-'));
  copies.push(to);
  for (const name of [
    'package.json',
    'README.md',
    'SECURITY.md',
    'CONTRIBUTING.md',
    'AGENTS.md',
    'bench/RESULTS.md',
    'docs',
  ])
    fs.cpSync(path.join(ROOT, name), path.join(to, name), { recursive: true, filter: isSource });
  // While it builds, VitePress puts a link to its Vue into the node_modules beside package.json.
  fs.mkdirSync(path.join(to, 'node_modules'));
  return to;
}

/** Says whether a file belongs to what the site is made of, and not to what was made. */
function isSource(file: string): boolean {
  return !/\/site\/(?:api|dist|node_modules)$/.test(file);
}

/** Writes the pages of the library by some options. */
function describeLibrary(to: string, options: object = {}) {
  const file = path.join(to, 'typedoc.json');
  fs.writeFileSync(file, JSON.stringify({ extends: [OPTIONS], out: 'docs/site/api', ...options }));
  const env = { ...process.env, NO_COLOR: '1' };
  const { status, stdout, stderr } = spawnSync(process.execPath, [TYPEDOC, '--options', file], {
    env,
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}

function build(root: string) {
  const program = path.join(ROOT, 'node_modules/vitepress/bin/vitepress.js');
  const env = { ...process.env, NO_COLOR: '1', NODE_ENV: 'production' };
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'build', 'docs/site'], {
    cwd: root,
    env,
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}

function builtFiles(...extensions: string[]): string[] {
  const folder = path.join(copy, 'docs/site/dist');
  return fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => extensions.includes(path.extname(name)))
    .map((name) => path.join(folder, name));
}

beforeAll(() => {
  copy = copySources();
  expect(describeLibrary(copy)).toMatchObject({ status: 0 });
  expect(build(copy)).toMatchObject({ status: 0 });
}, 300_000);

afterAll(() => {
  for (const folder of copies) fs.rmSync(folder, { recursive: true, force: true });
});

test('every page is built, the README as the front page', () => {
  const pages = fs
    .readdirSync(path.join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.startsWith('site/'));
  const wanted = pages
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.replace(/README\.md$/, 'index.md').replace(/md$/, 'html')}`);
  for (const name of [...wanted, 'index.html', 'SECURITY.html', 'CONTRIBUTING.html'])
    expect(fs.existsSync(path.join(copy, 'docs/site/dist', name)), name).toBe(true);
  expect(fs.readFileSync(path.join(copy, 'docs/site/dist/index.html'), 'utf8')).toContain('Use it in your project');
});

test('the pages load nothing from another server', () => {
  const loaded = builtFiles('.html', '.css').flatMap((file) =>
    [...fs.readFileSync(file, 'utf8').matchAll(LOADED)].map(([, ...urls]) => urls.find(Boolean) ?? ''),
  );
  expect(loaded.length).toBeGreaterThan(100);
  expect(loaded.filter((url) => /^(?:[a-z]+:)?\/\//.test(url))).toEqual([]);
});

test('every link leads to a page, and to a heading that is there', () => {
  const pages = new Map(builtFiles('.html').map((file) => [file, fs.readFileSync(file, 'utf8')]));
  const links = [...pages].flatMap(([file, text]) =>
    [...text.matchAll(/<a\b[^>]*\bhref="([^"#]*)(?:#([^"]*))?"/g)].map(([, to = '', anchor]) => ({ file, to, anchor })),
  );
  const inside = links.filter(({ to }) => !/^[a-z]+:/.test(to));
  const dead = inside.filter(({ file, to, anchor }) => {
    const text = pages.get(pageAt(file, to));
    return text === undefined || (anchor !== undefined && !text.includes(`id="${decodeURIComponent(anchor)}"`));
  });
  expect(inside.length).toBeGreaterThan(500);
  expect(dead.map(({ file, to, anchor }) => `${path.basename(file)}: ${to}#${anchor}`)).toEqual([]);
});

function pageAt(from: string, to: string): string {
  if (to === '') return from;
  const base = to.startsWith('/') ? path.join(copy, 'docs/site/dist') : path.dirname(from);
  const file = path.join(base, to.endsWith('/') ? `${to}index.html` : to);
  return path.extname(file) === '' ? `${file}.html` : file;
}

test('each module of the library has a page, which the sidebar names', () => {
  const { exports } = JSON.parse(fs.readFileSync(path.join(ROOT, 'packages/sdk/package.json'), 'utf8'));
  const list = fs.readFileSync(path.join(copy, 'docs/site/dist/docs/index.html'), 'utf8');
  for (const name of Object.keys(exports)) {
    const page = `api/${name === '.' ? 'index' : name.slice(2)}.html`;
    const text = fs.readFileSync(path.join(copy, 'docs/site/dist', page), 'utf8');
    expect(text).toMatch(name === '.' ? /createJinn/ : /jinn(?:Tools|Server|Backend)/);
    expect(text).toContain('<h1 id="jinn-sdk');
    expect(list).toContain(`href="/${page.replace('index.html', '')}"`);
  }
});

test.each([
  ['function', 'export declare function secret(): void;'],
  ['member', '/** Holds a thing. */\nexport interface Holder { readonly secret: string }'],
])('a %s without a word about it ends the build', { timeout: 300_000 }, (_, code) => {
  const folder = copySources();
  fs.writeFileSync(path.join(folder, 'module.d.ts'), code);
  fs.writeFileSync(path.join(folder, 'tsconfig.json'), '{ "files": ["module.d.ts"] }');
  const { status, output } = describeLibrary(folder, { entryPoints: ['module.d.ts'], tsconfig: 'tsconfig.json' });
  expect([status === 0, output]).toEqual([false, expect.stringMatching(/secret.*does not have any documentation/)]);
});

test('the text of the pages can be searched', () => {
  const index = builtFiles('.js').find((file) => path.basename(file).startsWith('@localSearchIndex'));
  const text = index && fs.readFileSync(index, 'utf8');
  for (const heading of ['Saved approvals', 'createJinn']) expect(text).toContain(heading);
});

test('a link to nowhere ends the build', { timeout: 300_000 }, () => {
  const spoiled = copySources();
  fs.cpSync(path.join(copy, 'docs/site/api'), path.join(spoiled, 'docs/site/api'), { recursive: true });
  fs.appendFileSync(path.join(spoiled, 'docs/errors.md'), '\n[gone](no-such-page.md)\n');
  const { status, output } = build(spoiled);
  expect([status, output]).toEqual([1, expect.stringContaining('Found dead link ./no-such-page')]);
});
