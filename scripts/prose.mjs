// Measures what readers see, and fails if something breaks a rule: a page starts with its purpose, has an example in its first screen,
// headings and short sentences. Pages, messages and comments use plain phrases. `--flags [TEXT]` lists the others, `--messages` all messages.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { countFlags, pageProse, readSources } from './red-flags.mjs';
import { ROOT } from './setup.mjs';

/** The most red flags per 1,000 words. */
const MAX_FLAGS = { pages: 1, messages: 1.5, comments: 2.7 };
const MAX_AVERAGE = 25;
const MIN_OPENING = 6;
const FIRST_SCREEN = 40;
const MAX_WORDS_UNDER_HEADING = 420;
const PAGES = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md'];
const FENCE = /^\s*(`{3,}|~{3,})/;
/** A sentence ends before a blank and what can begin another one; `e.g. this` and `3.5` are none. */
const SENTENCE_END = /(?<=[.!?][)"*_]*)\s+(?=["(*_]*[^a-z\s])/;

/** Returns the faults of a page by the four rules, and what was measured. */
export function measurePage(text) {
  const blocks = parseBlocks(text);
  const sentences = blocks.flatMap(({ kind, text: prose }) => (kind === 'prose' ? sentencesOf(prose) : []));
  const counts = sentences.map(countWords);
  const average = counts.length === 0 ? 0 : counts.reduce((a, b) => a + b, 0) / counts.length;
  const longest = sentences.toSorted((a, b) => countWords(b) - countWords(a)).slice(0, 10);
  const faults = [...faultsOfOpening(blocks), ...faultsOfExample(blocks), ...faultsOfHeadings(blocks)];
  if (average > MAX_AVERAGE) faults.push(`sentences have ${average.toFixed(1)} words on average, over ${MAX_AVERAGE}`);
  return { faults, average, longest, sentences: counts.length };
}

/** Parts a page into headings, tables, examples and prose. An item of a list is prose of its own. */
function parseBlocks(text) {
  const blocks = [];
  let fence;
  let open;
  for (const [i, line] of text
    .replace(/<!--.*?-->/gs, keepLines)
    .split('\n')
    .entries()) {
    const [, marks] = FENCE.exec(line) ?? [];
    if (fence) {
      if (marks?.startsWith(fence)) fence = undefined;
      continue;
    }
    const kind = marks ? 'example' : kindOf(line);
    if (marks) fence = marks;
    const goesOn = kind === 'prose' && open?.kind === 'prose' && !/^\s*(?:[-*]|\d+\.)\s/.test(line);
    if (goesOn) open.text += ` ${line.trim()}`;
    else open = kind && { kind, line: i + 1, text: line.trim() };
    if (open && !goesOn) blocks.push(open);
  }
  return blocks;
}

function kindOf(line) {
  if (line.trim() === '' || /^\s*!\[[^\]]*\]\([^)]*\)\s*$/.test(line)) return undefined;
  if (/^#{1,6} /.test(line)) return 'heading';
  return /^\s*(?:\||<)/.test(line) ? 'table' : 'prose';
}

function keepLines(comment) {
  return comment.replace(/[^\n]/g, '');
}

function faultsOfOpening([title, opening]) {
  if (!title?.text.startsWith('# ')) return ['does not begin with a title'];
  const isProse = opening?.kind === 'prose' && !/^(?:[-*]|\d+\.)\s/.test(opening.text);
  if (isProse && countWords(opening.text) >= MIN_OPENING) return [];
  return ['does not say below its title what it is for'];
}

function faultsOfExample(blocks) {
  const hasExample = blocks.some(({ kind, line }) => kind === 'example' && line <= FIRST_SCREEN);
  return hasExample ? [] : [`has no example in its first ${FIRST_SCREEN} lines`];
}

/** Looks for a long stretch without a heading, in which nothing can be found. */
function faultsOfHeadings(blocks) {
  const parts = [];
  for (const { kind, line, text } of blocks) {
    if (kind === 'heading') parts.push({ line, words: 0 });
    if (kind === 'prose' && parts.length > 0) parts.at(-1).words += countWords(text);
  }
  return parts
    .filter(({ words }) => words > MAX_WORDS_UNDER_HEADING)
    .map(({ line, words }) => `has ${words} words under the heading of line ${line}, over ${MAX_WORDS_UNDER_HEADING}`);
}

function sentencesOf(prose) {
  const plain = prose
    .replace(/^(?:[-*]|\d+\.)\s+/, '')
    .replace(/`+[^`]*`+/g, 'Code')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1');
  return plain.split(SENTENCE_END).filter((sentence) => countWords(sentence) > 0);
}

function countWords(text) {
  return text
    .replace(/`+[^`]*`+/g, 'code')
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

/** Lists the pages that people read, those that are generated too. */
export function listPages() {
  const docs = fs
    .readdirSync(path.join(ROOT, 'docs'), { recursive: true })
    .filter((name) => name.endsWith('.md') && !name.startsWith('site/'));
  return [...PAGES, ...docs.map((name) => `docs/${name}`).toSorted()];
}

/** Counts the red flags of all pages, messages and comments, each with its file. */
function countAll() {
  const git = spawnSync('git', ['ls-files', 'apps', 'packages'], { cwd: ROOT, encoding: 'utf8' }).stdout.split('\n');
  const sources = git.filter(
    (file) => /\/src\/.*\.tsx?$/.test(file) && !/\.test\.|\.d\.ts$|fixture|testkit/.test(file),
  );
  const pages = listPages().map((file) => ({ file, text: pageProse(fs.readFileSync(path.join(ROOT, file), 'utf8')) }));
  const { comments, messages } = readSources(sources);
  const printed = git.filter((file) => /\/src\/.*\.txt$/.test(file) && !/fixture|corpus/.test(file));
  messages.push(...printed.map((file) => ({ file, text: fs.readFileSync(path.join(ROOT, file), 'utf8') })));
  return Object.entries({ pages, comments, messages }).map(([kind, texts]) => {
    const counted = texts.map(({ file, text }) => ({ file, text, ...countFlags(text) }));
    const words = counted.reduce((sum, each) => sum + each.words, 0);
    const found = counted.flatMap(({ file, found: each }) => each.map((flag) => ({ file, ...flag })));
    return { kind, texts, words, found, rate: (found.length / words) * 1000 };
  });
}

/** Prints how many red flags one kind of text has, and what was asked for. Returns its fault, if there are too many. */
function printCounts({ kind, texts, words, found, rate }, only) {
  console.log(`${kind}: ${found.length} red flags in ${words} words, ${rate.toFixed(2)} per 1,000`);
  const isWanted = ({ file }) => !only || file.includes(only);
  if (process.argv.includes('--flags')) {
    for (const { file, phrase, instead, around } of found.filter(isWanted))
      console.log(`    ${file}: "${phrase}" (${instead}): …${around}…`);
  }
  if (kind === 'messages' && process.argv.includes('--messages')) {
    for (const { file, text } of texts.filter(isWanted)) console.log(`    ${file}: ${text.replaceAll('\n', '\\n')}`);
  }
  return rate > MAX_FLAGS[kind] ? [`${kind} have more than ${MAX_FLAGS[kind]} red flags per 1,000 words`] : [];
}

function main() {
  const [only] = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
  const measured = listPages()
    .filter((page) => !only || page.includes(only))
    .map((page) => ({ page, ...measurePage(fs.readFileSync(path.join(ROOT, page), 'utf8')) }));
  for (const { page, sentences, average, longest } of measured) {
    console.log(
      `${page.padEnd(44)} ${String(sentences).padStart(4)} sentences of ${average.toFixed(1).padStart(4)} words`,
    );
    if (process.argv.includes('--longest')) {
      for (const sentence of longest) console.log(`    ${countWords(sentence)}: ${sentence}`);
    }
  }
  const faults = measured.flatMap(({ page, faults: each }) => each.map((fault) => `${page} ${fault}`));
  faults.push(...countAll().flatMap((counts) => printCounts(counts, only)));
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
