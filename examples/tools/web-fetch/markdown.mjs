// Turns HTML into Markdown in one pass, in time that is linear in its length.
const SKIPPED = new Set([
  'script',
  'style',
  'noscript',
  'svg',
  'template',
  'iframe',
  'head',
  'nav',
  'select',
  'textarea',
]);
const BLOCKS = new Set(
  'address article aside details div dl dd dt fieldset figcaption figure footer form header main p section summary table'.split(
    ' ',
  ),
);
const MARKS = { strong: '**', b: '**', em: '*', i: '*', del: '~~', code: '`' };
const ENTITIES = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  copy: '©',
  reg: '®',
  trade: '™',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  bull: '•',
  middot: '·',
  times: '×',
  rarr: '→',
  larr: '←',
  deg: '°',
  euro: '€',
  pound: '£',
  sect: '§',
  para: '¶',
  shy: '',
};
const MAX_DEPTH = 200;
const MAX_QUOTES = 10;

export function titleOf(html) {
  const start = html.search(/<title[\s>]/i);
  if (start < 0) return '';
  const from = html.indexOf('>', start) + 1;
  const end = html.indexOf('<', from);
  return from === 0
    ? ''
    : decode(html.slice(from, end < 0 ? from : end))
        .replace(/\s+/g, ' ')
        .trim()
        .slice(0, 300);
}

export function toMarkdown(html, base) {
  const writer = new Writer(base);
  const lower = html.toLowerCase();
  for (let at = 0; at < html.length; ) {
    const open = html.indexOf('<', at);
    writer.text(html.slice(at, open < 0 ? html.length : open));
    if (open < 0) break;
    at = afterTag(html, lower, open, writer);
  }
  return writer.finish();
}

/** Handles what begins with the `<` at `open`; returns where the rest begins. */
function afterTag(html, lower, open, writer) {
  if (html.startsWith('<!--', open)) return endOf(html, '-->', open);
  const name = /^<\/?([a-z][a-z0-9-]*)/.exec(lower.slice(open, open + 40))?.[1];
  if (name === undefined) {
    if (/^<[!?]/.test(html.slice(open, open + 2))) return endOf(html, '>', open);
    writer.text('<');
    return open + 1;
  }
  const end = endOf(html, '>', open);
  if (html[open + 1] === '/') writer.close(name);
  else if (SKIPPED.has(name)) {
    if (html[end - 2] === '/') return end;
    const close = lower.indexOf(`</${name}`, end);
    return close < 0 ? html.length : endOf(html, '>', close);
  } else writer.open(name, html.slice(open, end));
  return end;
}

function endOf(html, text, from) {
  const at = html.indexOf(text, from);
  return at < 0 ? html.length : at + text.length;
}

function attribute(tag, name) {
  const match = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s>"']+))`, 'i').exec(tag.slice(0, 4_000));
  return match ? decode(match[1] ?? match[2] ?? match[3]) : undefined;
}

function decode(text) {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));?/gi, (all, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[name] ?? all;
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
  });
}

class Writer {
  #base;
  #out = [''];
  #lists = [];
  #links = [];
  #quotes = [];
  #pre = 0;
  #cells = 0;
  #rows = 0;

  constructor(base) {
    this.#base = base;
  }

  text(raw) {
    const text = decode(raw);
    if (this.#pre > 0) this.#add(text);
    else this.#inline(text.replace(/\s+/g, ' '));
  }

  open(name, tag) {
    if (/^h[1-6]$/.test(name)) this.#block(`${'#'.repeat(Number(name[1]))} `);
    else if (name === 'br') this.#add(this.#pre > 0 ? '\n' : '  \n');
    else if (name === 'hr') this.#block('---\n\n');
    else if (name === 'pre') this.#fence(1);
    else if (name === 'ul' || name === 'ol') this.#list(name);
    else if (name === 'li') this.#item();
    else if (name === 'blockquote') this.#openQuote();
    else if (name === 'tr') this.#row();
    else if (name === 'td' || name === 'th') this.#cell();
    else if (name === 'a') this.#links.push({ at: this.#out.length, href: attribute(tag, 'href') });
    else if (name === 'img') this.#image(tag);
    else if (name in MARKS && this.#pre === 0) this.#add(MARKS[name]);
    else if (BLOCKS.has(name)) this.#block('');
    if (name === 'table') this.#rows = 0;
  }

  close(name) {
    if (name === 'pre') this.#fence(-1);
    else if (name === 'ul' || name === 'ol') {
      this.#lists.pop();
      if (this.#lists.length === 0) this.#block('');
    } else if (name === 'blockquote') this.#closeQuote();
    else if (name === 'tr') this.#endRow();
    else if (name === 'a') this.#link();
    else if (name in MARKS && this.#pre === 0) this.#mark(MARKS[name]);
    else if (/^h[1-6]$/.test(name) || BLOCKS.has(name)) this.#block('');
  }

  finish() {
    while (this.#quotes.length > 0) this.#closeQuote();
    const text = this.#out.join('');
    return text
      .replace(/[ \t]+\n/g, (end) => (end === '  \n' ? end : '\n'))
      .replace(/\n{3,}/g, '\n\n')
      .trim();
  }

  #add(text) {
    if (text !== '') this.#out.push(text);
  }

  get #last() {
    return this.#out.at(-1);
  }

  #inline(text) {
    const isAtStart = this.#last === '' || /\s$/.test(this.#last);
    this.#add(isAtStart ? text.trimStart() : text);
  }

  #block(start) {
    if (this.#cells > 0) return this.#inline(' ');
    this.#add(`\n\n${start}`);
  }

  #fence(step) {
    if (this.#pre + step < 0) return;
    this.#pre += step;
    if (step > 0 ? this.#pre === 1 : this.#pre === 0) this.#add(step > 0 ? '\n\n```\n' : '\n```\n\n');
  }

  #list(name) {
    if (this.#lists.length < MAX_DEPTH) this.#lists.push({ isOrdered: name === 'ol', count: 0 });
    if (this.#lists.length === 1) this.#block('');
  }

  #item() {
    const list = this.#lists.at(-1) ?? { count: 0 };
    const indent = '  '.repeat(Math.max(0, this.#lists.length - 1));
    list.count++;
    this.#add(`\n${indent}${list.isOrdered ? `${list.count}.` : '-'} `);
  }

  #openQuote() {
    this.#block('');
    if (this.#quotes.length < MAX_QUOTES) this.#quotes.push(this.#out.length);
  }

  #closeQuote() {
    const at = this.#quotes.pop();
    if (at === undefined) return;
    const text = this.#out
      .splice(at)
      .join('')
      .trim()
      .replace(/\n{3,}/g, '\n\n');
    this.#add(text.replace(/^/gm, '> '));
    this.#block('');
  }

  #row() {
    this.#cells = 0;
    this.#add(this.#rows === 0 ? '\n\n' : '\n');
  }

  #cell() {
    this.#add(this.#cells++ === 0 ? '| ' : ' | ');
  }

  #endRow() {
    if (this.#cells === 0) return;
    this.#add(' |');
    if (this.#rows++ === 0) this.#add(`\n${'| --- '.repeat(this.#cells)}|`);
    this.#cells = 0;
  }

  #mark(mark) {
    if (this.#last === mark) this.#out.pop();
    else this.#add(mark);
  }

  #link() {
    const link = this.#links.pop();
    if (!link?.href || this.#pre > 0) return;
    const label = this.#out.splice(link.at).join('').replace(/\s+/g, ' ').trim();
    const href = this.#resolve(link.href);
    this.#add(label && href ? `[${label}](${href})` : label);
  }

  #image(tag) {
    const src = this.#resolve(attribute(tag, 'src') ?? '');
    const alt = attribute(tag, 'alt') ?? '';
    if (src && alt) this.#add(`![${alt.replace(/\s+/g, ' ')}](${src})`);
  }

  #resolve(href) {
    try {
      const url = new URL(href, this.#base);
      return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : '';
    } catch {
      return '';
    }
  }
}
