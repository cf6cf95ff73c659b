// The site of the pages in docs/: its front page is the README, its sidebar the list of docs/README.md. typedoc writes those of
// the library to docs/site/api before.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const API = fileURLToPath(new URL('../api', import.meta.url));
/** Pages of the site beside docs/. */
const PAGES = new Set(['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'AGENTS.md', 'bench/RESULTS.md']);
/** What the README is called here and on the site. */
const FRONT_PAGES = new Set(['README.md', 'index.md']);
const FRONT = {
  layout: 'home',
  hero: {
    name: 'jinn',
    text: 'Tools for coding agents',
    tagline:
      'Read, search and edit the files of a project, with undo, and run commands in a sandbox where one is available.',
    actions: [
      { theme: 'brand', text: 'Quickstart', link: '/docs/quickstart' },
      { theme: 'alt', text: 'Your first agent', link: '/docs/tutorial/first-agent' },
      { theme: 'alt', text: 'All pages', link: '/docs/' },
    ],
  },
  features: [
    {
      title: 'An MCP host',
      details: 'Claude Code, Codex, Cursor and nine more: one command.',
      link: '/docs/integrations/',
    },
    { title: 'Your own agent', details: 'A line of JSON in, a line of JSON out.', link: '/docs/protocol' },
    { title: 'Paste a project', details: 'One document, fitted to a budget of tokens.', link: '/docs/jinni' },
  ],
};

/** The front page has no picture at the right of its title, so the title takes the whole width. */
const FRONT_STYLE = `
.VPHero .main, .VPHero .name, .VPHero .text, .VPHero .tagline { max-width: none !important }
.VPHero { padding-bottom: 24px !important }`;

export default {
  title: 'jinn',
  head: [['style', {}, FRONT_STYLE]],
  description: 'The tools that a coding agent works with',
  lang: 'en',
  srcDir: '../..',
  // Only what the site has; folders that begin with a dot are never looked at.
  srcExclude: ['{apps,examples,packages,scripts,test}/**', 'docs/site/{api/modules.md,node_modules/**}', 'CLAUDE.md'],
  outDir: 'dist',
  cacheDir: '../../node_modules/.cache/vitepress',
  cleanUrls: false,
  rewrites: (page) => page.replace(/^docs\/site\/api\//, 'api/').replace(/(^|\/)README\.md$/, '$1index.md'),
  // A link to nowhere ends the build.
  ignoreDeadLinks: false,
  markdown: {
    // A page may say `<name>`, which is no element.
    html: false,
    anchor: { slugify: toAnchor },
    config: (markdown) => {
      markdown.core.ruler.after('normalize', 'comments', dropComments);
      markdown.core.ruler.push('links', mendLinks);
      markdown.core.ruler.push('title', dropTitleOfFront);
    },
  },
  transformPageData: (page) => (page.relativePath === 'index.md' ? { frontmatter: FRONT, title: 'jinn' } : {}),
  themeConfig: {
    // A short word must be there as it is: one letter makes a risk of a disk.
    search: { provider: 'local', options: { miniSearch: { searchOptions: { fuzzy: 0.1 } } } },
    outline: [2, 3],
    nav: [
      { text: 'Pages', link: '/docs/' },
      { text: 'Tools', link: '/docs/tools/' },
      { text: 'Library API', link: '/api/' },
      { text: 'Security', link: '/SECURITY' },
    ],
    sidebar: [...readSidebar(fs.readFileSync(path.join(ROOT, 'docs/README.md'), 'utf8')), listLibrary()],
  },
};

/** Returns the anchor of a heading as GitHub has it, so that a link holds in both places. */
function toAnchor(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

/** Drops the marks between which a script writes. */
function dropComments(state) {
  state.src = state.src.replace(/^<!--.*-->$/gm, '');
}

/** Points links to a README at the page that the site has of it, and takes away those to files that it does not have. */
function mendLinks({ tokens, env }) {
  for (const inline of tokens.filter(({ type }) => type === 'inline')) {
    for (const link of inline.children.filter(({ type }) => type === 'link_open')) {
      const href = link.attrGet('href');
      if (/^(?:[a-z]+:|#|\/)/.test(href)) continue;
      if (isOnSite(path.join(path.dirname(env.path), href.replace(/#.*/, '')))) {
        link.attrSet('href', href.replace(/README\.md(?=#|$)/, 'index.md'));
      } else {
        link.tag = 'span';
        link.attrs = null;
        closeOf(inline.children, link).tag = 'span';
      }
    }
  }
}

/** Says whether a link leads to a page of the site, or to one that is missing: that one is for the build to find. */
function isOnSite(file) {
  const name = path.relative(ROOT, file);
  return PAGES.has(name) || (/^(?:docs|site\/api)\//.test(name) && name.endsWith('.md'));
}

/** Drops the title of the README, since the front page shows it in large. */
function dropTitleOfFront({ tokens, env }) {
  if (FRONT_PAGES.has(path.relative(ROOT, env.path)) && tokens[0].tag === 'h1') tokens.splice(0, 3);
}

function closeOf(children, link) {
  return children.slice(children.indexOf(link)).find(({ type }) => type === 'link_close');
}

/** Reads the kinds of pages, and the pages of each. */
function readSidebar(index) {
  return index
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      text: section.slice(0, section.indexOf('\n')),
      items: [...section.matchAll(/^- \[(.*?)\]\((.*?)\.md\)/gm)].map(([, text, page]) => ({
        text,
        link: path.posix.join('/docs', page).replace(/README$/, ''),
      })),
    }));
}

/** Lists the modules of the library. */
function listLibrary() {
  const names = fs.readdirSync(API).flatMap((file) => (/^(?!index|modules)(.*)\.md$/.exec(file) ?? []).slice(1));
  const items = names.toSorted().map((name) => ({ text: `jinn-sdk/${name}`, link: `/api/${name}` }));
  return { text: 'Library API', items: [{ text: 'jinn-sdk', link: '/api/' }, ...items] };
}
