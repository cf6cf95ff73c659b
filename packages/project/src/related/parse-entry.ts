import { type LooseValue, readLooseFrontMatter } from '@jinn/core/text/yaml/front-matter';

const MAX_DESCRIPTION = 240;
const MAX_TITLE = 160;
const MAX_NAME = 100;
const MAX_BODY = 16 * 1024;
const MAX_HEADINGS = 50;
const MAX_LIST = 50;
/** File names without a meaning. The name of the directory is used instead. */
const UNTELLING = new Set(['skill', 'readme', 'index']);
/** An underline, which makes the line of text above it a heading. */
const UNDERLINE = /^(?:={2,}|-{2,})$/;
/** A line without text: a rule, the underline of a heading, a comment. */
const SILENT = /^(?:=+|-{2,}|\*{3,}|_{3,}|<!--.*-->)$/;
/** A line of a quotation, a table or a list. An underline does not make it a heading. */
const BLOCK = /^(?:[>|]|[-+*] |\d+[.)] )/;

/** The facts in a Markdown file about itself. */
export interface ParsedEntry {
  readonly name: string;
  readonly title: string;
  readonly description: string | undefined;
  readonly tags: readonly string[];
  readonly headings: readonly string[];
  readonly origin: string | undefined;
  readonly body: string;
}

/** Reads a Markdown file of any content. `path` is below the directory that is indexed. */
export function parseEntry(text: string, path: string): ParsedEntry {
  const { fields, body } = readLooseFrontMatter(text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n'));
  const outline = outlineOf(body);
  const name = cut(textOf(fields.get('name')) || nameOf(path), MAX_NAME);
  const origin = textOf(fields.get('source_file')) || textOf(fields.get('source_task')) || textOf(fields.get('source'));
  return {
    name,
    title: cut(textOf(fields.get('title')) || outline.title || name, MAX_TITLE),
    description: cut(textOf(fields.get('description')) || outline.paragraph, MAX_DESCRIPTION) || undefined,
    tags: [...listOf(fields.get('tags')), ...listOf(fields.get('aliases'))],
    headings: outline.headings,
    origin: cut(origin, MAX_TITLE) || undefined,
    body: body.slice(0, MAX_BODY),
  };
}

interface EntryOutline {
  /** The first heading of level 1, or else the first line. */
  readonly title: string;
  readonly headings: readonly string[];
  readonly paragraph: string;
}

function outlineOf(body: string): EntryOutline {
  let title: string | undefined;
  let first: string | undefined;
  const headings: string[] = [];
  const paragraph: string[] = [];
  let isOver = false;
  for (const { text, level } of linesOf(body)) {
    if (text !== '') first ??= text;
    if (level === 1) title ??= text;
    if (level > 0 && headings.length < MAX_HEADINGS) headings.push(text);
    if (level > 0 || text === '') isOver ||= paragraph.length > 0;
    else if (!isOver) paragraph.push(text);
  }
  return { title: title ?? first ?? '', headings, paragraph: paragraph.join(' ') };
}

interface EntryLine {
  readonly text: string;
  /** The level of a heading, 1 to 6, or 0 for other lines. */
  readonly level: number;
}

function* linesOf(body: string): Generator<EntryLine> {
  const lines = proseOf(body);
  for (const [i, line] of lines.entries()) {
    const hashes = /^#{1,6}(?=[ \t])/.exec(line)?.[0].length ?? 0;
    const level = hashes || underlineLevel(line, lines[i + 1] ?? '');
    if (level > 0) yield { text: cut(line.slice(hashes).trim(), MAX_TITLE), level };
    else yield { text: SILENT.test(line) ? '' : line, level };
  }
}

function underlineLevel(line: string, next: string): number {
  if (!UNDERLINE.test(next) || line === '' || SILENT.test(line) || BLOCK.test(line)) return 0;
  return next.startsWith('=') ? 1 : 2;
}

function proseOf(body: string): string[] {
  let fence: string | undefined;
  return body.split('\n').map((line) => {
    const text = line.slice(0, 4 * MAX_DESCRIPTION).trim();
    const mark = text.startsWith('```') || text.startsWith('~~~') ? text.slice(0, 3) : undefined;
    const isCode = fence !== undefined || mark !== undefined;
    if (mark !== undefined && (fence === undefined || fence === mark)) fence = fence === undefined ? mark : undefined;
    return isCode ? '' : text;
  });
}

function nameOf(path: string): string {
  const segments = path.split('/');
  const stem = (segments.pop() ?? '').replace(/\.md$/i, '');
  return UNTELLING.has(stem.toLowerCase()) ? (segments.pop() ?? stem) : stem;
}

function textOf(value: LooseValue | undefined): string {
  return (typeof value === 'string' ? value : (value ?? []).join(', ')).replace(/\s+/g, ' ').trim();
}

function listOf(value: LooseValue | undefined): string[] {
  const items = typeof value === 'string' ? value.split(',') : (value ?? []);
  return items
    .slice(0, MAX_LIST)
    .map((item) => cut(item.trim(), MAX_NAME))
    .filter(Boolean);
}

/** Cuts a text between characters, never within one. */
function cut(text: string, length: number): string {
  return text.length <= length ? text : [...text.slice(0, 2 * length)].slice(0, length).join('').trimEnd();
}
