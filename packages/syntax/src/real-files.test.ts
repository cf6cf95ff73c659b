import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { isOutline, languageOf, type Outline, openSyntax, type SyntaxSymbol } from './index.ts';

/** Files of npm packages, of every language that they have. */
const ROOT = path.join(import.meta.dirname, '../../../node_modules/.pnpm');
const FILES = Number(process.env['JINN_REAL_FILES'] ?? 250);
const MOST_BYTES = 60_000;
/** Ranges that are parsed alone, of each file. */
const RANGES = 6;
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
    if (entry.isFile() && LANGUAGES.has(languageOf(entry.name) ?? ''))
      files.push(path.join(entry.parentPath, entry.name));
  }
  files.sort();
  const step = Math.max(1, files.length / (2 * FILES));
  const sampled = Array.from({ length: 2 * FILES }, (_, i) => files[Math.floor(i * step)] ?? '');
  return [...new Set(sampled)].flatMap((file) => {
    const content = fs.existsSync(file) ? fs.readFileSync(file) : Buffer.alloc(0);
    const language = languageOf(file) ?? '';
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
    // One of several names in a declaration is no statement.
    return parent || symbol.start === symbol.nameStart ? undefined : ['', ''];
  }
  if (!parent) return ['', ''];
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
      if (!plain(symbol.name).includes(plain(name)) && symbol.name !== 'default')
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

test('in real files, replacing any symbol by itself changes no byte and no outline', async () => {
  const files = realFiles();
  for (let i = 0; i < files.length; i += 10) {
    const { content, language } = files[i] as RealFile;
    const outline = await outlineOf(content, language);
    for (const { start, end } of outline.symbols) {
      const text = content.toString('latin1', start, end);
      const replaced = Buffer.concat([content.subarray(0, start), Buffer.from(text, 'latin1'), content.subarray(end)]);
      expect(replaced.equals(content)).toBe(true);
    }
    expect(await outlineOf(Buffer.from(content), language)).toEqual(outline);
  }
}, 300_000);
