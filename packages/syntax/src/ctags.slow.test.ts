import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { isOutline, openSyntax, type SyntaxSymbol } from './index.ts';

const NPM = path.join(import.meta.dirname, '../../../node_modules/.pnpm');
const FILES = 25;
const MOST_BYTES = 60_000;

/** A language, where real files of it lie, what ctags calls it, and the letters of its kinds that are symbols here too. */
interface Compared {
  readonly language: string;
  readonly from: readonly string[];
  readonly file: RegExp;
  readonly ctags: string;
  readonly kinds: string;
  /** How many of a hundred names that ctags finds may be missing. 2 if absent. */
  readonly mostMissing?: number;
}

const LANGUAGES: readonly Compared[] = [
  { language: 'typescript', from: [NPM], file: /\.[cm]?ts$/, ctags: 'TypeScript', kinds: 'cefginm' },
  // ctags also takes what is assigned to `this` or to a property, and functions that are values, for declarations.
  { language: 'javascript', from: [NPM], file: /\.[cm]?js$/, ctags: 'JavaScript', kinds: 'fgms', mostMissing: 30 },
  {
    language: 'python',
    from: ['/usr/lib/python3.11', '/usr/lib/python3'],
    file: /\.py$/,
    ctags: 'Python',
    kinds: 'cfm',
  },
  { language: 'go', from: ['/usr/share/go/src/'], file: /\.go$/, ctags: 'Go', kinds: 'fcitsv' },
  { language: 'c', from: ['/usr/include/linux', '/usr/include/openssl'], file: /\.h$/, ctags: 'C', kinds: 'degstu' },
  { language: 'cpp', from: ['/usr/include/c++'], file: /\.(?:hpp|tcc)$/, ctags: 'C++', kinds: 'cfgs' },
  { language: 'ruby', from: ['/usr/lib/ruby'], file: /\.rb$/, ctags: 'Ruby', kinds: 'cfmS' },
  { language: 'bash', from: ['/usr/share/go/src/'], file: /\.(?:sh|bash)$/, ctags: 'Sh', kinds: 'f' },
  { language: 'html', from: [NPM, '/usr/share/go/src/'], file: /\.html?$/, ctags: 'HTML', kinds: 'I' },
  { language: 'css', from: ['/usr/share/go/', '/usr/lib/ruby'], file: /\.css$/, ctags: 'CSS', kinds: 'cis' },
  { language: 'markdown', from: [NPM], file: /\.md$/, ctags: 'Markdown', kinds: 'csSt' },
  { language: 'json', from: [NPM], file: /package\.json$/, ctags: 'JSON', kinds: 'oa' },
];

const hasCtags = spawnSync('ctags', ['--version'], { encoding: 'utf8' }).stdout?.includes('Universal') ?? false;
const syntax = openSyntax();

interface Tag {
  readonly name: string;
  readonly line: number;
  readonly kind: string;
}

test.skipIf(!hasCtags).for(LANGUAGES)(
  '$language has the names that universal-ctags finds',
  { timeout: 120_000 },
  async (compared, { skip }) => {
    const files = sample(compared);
    if (files.length === 0) skip(`no files in ${compared.from.join(', ')}`);
    let all = 0;
    const missing: string[] = [];
    for (const file of files) {
      const content = fs.readFileSync(file);
      const outline = await syntax.outline(content, compared.language, { limitMs: 20_000 });
      if (!isOutline(outline)) throw new Error(`${file}: ${outline.message}`);
      if (outline.faults.length > 0) continue;
      const names = new Set(outline.symbols.flatMap((symbol) => namesOf(symbol, content)));
      for (const { name, line, kind } of tagsOf(file, compared)) {
        all++;
        if (!names.has(name) && !names.has(plain(name))) missing.push(`${file}:${line}: ${kind} ${name}`);
      }
    }
    expect(all).toBeGreaterThan(0);
    const most = ((compared.mostMissing ?? 2) / 100) * all;
    expect(missing.length, missing.join('\n')).toBeLessThanOrEqual(most);
  },
);

function tagsOf(file: string, { ctags, kinds }: Compared): Tag[] {
  const options = ['--options=NONE', '--output-format=json', '--fields=+n', '-o', '-', `--language-force=${ctags}`];
  const text = execFileSync('ctags', [...options, `--kinds-${ctags}=${kinds}`, file], {
    encoding: 'utf8',
    cwd: '/',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const tags = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Tag);
  // Items of lists and the signatures of constructors (`new (): T`) have no names of their own.
  const isNamed = ({ name }: Tag) =>
    !/^(?:__anon|anonymous|\d+$)/i.test(name) && (ctags !== 'TypeScript' || name !== 'new');
  return tags.filter(isNamed);
}

/** Returns all names by which a symbol can be found. A heading in HTML is named by its text, and its tag has the id. */
function namesOf({ name, signatureStart, end }: SyntaxSymbol, content: Buffer): string[] {
  const start = content.subarray(signatureStart, Math.min(end, signatureStart + 200)).toString();
  const ids = [...start.matchAll(/\bid\s*=\s*["']?([^"'\s>]+)/gi)].map(([, id = '']) => id);
  return [name, plain(name), ...name.split(/::|[.:/#\s]/), ...ids];
}

/** Returns a name without blanks, and without the links of a heading. */
function plain(name: string): string {
  return name.replace(/!?\[[^\]]*\]\([^)]*\)|\[!.*/g, '').replace(/[\s\\`*_]+/g, '');
}

/** A sample that is spread over all files, and the same in every run. */
function sample({ from, file }: Compared): string[] {
  const files = from
    .filter((directory) => fs.existsSync(directory))
    .flatMap((directory) => fs.readdirSync(directory, { withFileTypes: true, recursive: true }))
    .filter((entry) => entry.isFile() && file.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
  const step = Math.max(1, files.length / (2 * FILES));
  const spread = Array.from({ length: 2 * FILES }, (_, i) => files[Math.floor(i * step)] ?? '');
  return [...new Set(spread)].filter(isSource).slice(0, FILES);
}

function isSource(file: string): boolean {
  if (!fs.existsSync(file)) return false;
  const content = fs.readFileSync(file);
  return content.length > 0 && content.length < MOST_BYTES && !content.includes(0);
}
