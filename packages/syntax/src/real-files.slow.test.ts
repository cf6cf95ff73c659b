import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { isOutline, type Outline, openSyntax, type SyntaxSymbol, sourceLanguageOf } from './index.ts';

/** Files of npm packages, of every language that they have. */
const ROOT = path.join(import.meta.dirname, '../../../node_modules/.pnpm');
/** With the variable, all ranges of all files are tried. */
const ASKED = process.env['JINN_REAL_FILES'];
/** The selectors of a longer rule of CSS are cut. */
const MOST_SHOWN = 200;
const FILES = Number(ASKED ?? 250);
const MOST_BYTES = 60_000;
/** Ranges that are parsed alone, of each file. */
const RANGES = ASKED === undefined ? 6 : Number.POSITIVE_INFINITY;
/** One of so many files is read twice. */
const STEP = ASKED === undefined ? 10 : 1;
const LANGUAGES = new Set([
  'typescript',
  'tsx',
  'javascript',
  'python',
  'c',
  'cpp',
  'css',
  'json',
  'yaml',
  'bash',
  'go',
]);

const syntax = openSyntax();

interface RealFile {
  readonly file: string;
  readonly language: string;
  readonly content: Buffer;
}

/** A sample that is spread over all packages, and the same in every run. */
function realFiles(): RealFile[] {
  const files: string[] = [];
  for (const entry of fs.readdirSync(ROOT, { withFileTypes: true, recursive: true })) {
    if (entry.isFile() && LANGUAGES.has(sourceLanguageOf(entry.name) ?? ''))
      files.push(path.join(entry.parentPath, entry.name));
  }
  files.sort();
  const step = Math.max(1, files.length / (2 * FILES));
  const sampled = Array.from({ length: 2 * FILES }, (_, i) => files[Math.floor(i * step)] ?? '');
  return [...new Set(sampled)].flatMap((file) => {
    const content = fs.existsSync(file) ? fs.readFileSync(file) : Buffer.alloc(0);
    const language = sourceLanguageOf(file) ?? '';
    return content.length === 0 || content.length > MOST_BYTES || content.includes(0)
      ? []
      : [{ file, language, content }];
  });
}

async function outlineOf(content: Buffer, language: string): Promise<Outline> {
  const outline = await syntax.outline(content, language, { limitMs: 20_000 });
  if (!isOutline(outline)) throw new Error(outline.message);
  return outline;
}

/** What a symbol is put into, so that it can be parsed alone; undefined where that takes more than a pair of braces. */
function wrap(symbol: SyntaxSymbol, { symbols }: Outline, language: string): readonly [string, string] | undefined {
  const parent = symbols[symbol.parent];
  if (!['typescript', 'tsx', 'javascript'].includes(language))
    return !parent && language !== 'json' ? ['', ''] : undefined;
  if (['constant', 'variable', 'function', 'class'].includes(symbol.kind)) {
    // One of several names in a declaration, and a key of an object, are no statements.
    return parent || symbol.signatureStart === symbol.nameStart ? undefined : ['', ''];
  }
  if (!parent) return symbol.kind === 'property' ? ['({', '\n})'] : ['', ''];
  const modifier = language === 'javascript' ? '' : 'abstract ';
  if (parent.kind === 'class') return [`${modifier}class A extends B {`, '}'];
  return parent.kind === 'interface' ? ['interface A {', '}'] : undefined;
}

test('in real files, names are where they are said to be, and each symbol parses alone', async () => {
  const files = realFiles().slice(0, FILES);
  expect(files.length).toBe(FILES);
  const wrong: string[] = [];
  let parsed = 0;
  for (const { file, language, content } of files) {
    const outline = await outlineOf(content, language);
    for (const symbol of outline.symbols) {
      const name = content.toString('utf8', symbol.nameStart, symbol.nameEnd);
      const isCut = name.length >= MOST_SHOWN && plain(name).startsWith(plain(symbol.name));
      if (!isCut && !plain(symbol.name).includes(plain(name)) && symbol.name !== 'default')
        wrong.push(`${file}: name ${symbol.path}`);
    }
    if (outline.faults.length > 0) continue;
    const step = Math.max(1, Math.floor(outline.symbols.length / RANGES));
    for (let i = 0; i < outline.symbols.length; i += step) {
      const symbol = outline.symbols[i] as SyntaxSymbol;
      const around = wrap(symbol, outline, language);
      if (!around) continue;
      const alone = Buffer.concat([
        Buffer.from(around[0]),
        content.subarray(symbol.start, symbol.end),
        Buffer.from(around[1]),
      ]);
      parsed++;
      if ((await outlineOf(alone, outline.language)).faults.length > 0)
        wrong.push(`${file}: ${symbol.kind} ${symbol.path}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(parsed).toBeGreaterThan(FILES);
}, 300_000);

function plain(name: string): string {
  return name.replaceAll('"', '').replace(/\s+/g, ' ').trim().slice(0, 200);
}

test('in real files, each symbol lies in the one that it is in, and an outline is the same when it is read again', async () => {
  const files = realFiles();
  const wrong: string[] = [];
  for (let i = 0; i < files.length; i += STEP) {
    const { file, content, language } = files[i] as RealFile;
    const outline = await outlineOf(content, language);
    for (const { path, start, end, nameStart, nameEnd, parent } of outline.symbols) {
      const around = outline.symbols[parent] ?? { start: 0, end: content.length };
      const offsets = [around.start, start, nameStart, nameEnd, end, around.end];
      if (offsets.some((offset, at) => at > 0 && offset < (offsets[at - 1] as number))) wrong.push(`${file}: ${path}`);
    }
    expect(await outlineOf(Buffer.from(content), language)).toEqual(outline);
  }
  expect(wrong).toEqual([]);
}, 300_000);
