import fs from 'node:fs';
import path from 'node:path';
import { searchReplace } from '@jinn/fs-tools/search-replace';
import { searchFiles } from '@jinn/search/search-files';
import { call, makeTempDirectory, makeTree } from '@jinn/testkit';
import fc from 'fast-check';
import { expect, test } from 'vitest';

const OPEN = Buffer.from('\x01');
const CLOSE = Buffer.from('\x02');
const MARK = Buffer.from([0xef, 0xbb, 0xbf]);

const piece = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .constantFrom('a', 'b', ' ', '"', 'é', '\u{1f600}', '1', '\n', '\r\n')
      .map((text) => Buffer.from(text)),
  },
  { weight: 2, arbitrary: fc.constantFrom('\r', '中', '\u3000').map((text) => Buffer.from(text)) },
  // Latin-1, GBK, and characters that end too early or too late.
  {
    weight: 3,
    arbitrary: fc
      .constantFrom([0xe9], [0xf6, 0xdf], [0xd6, 0xd0], [0xa9], [0xe2, 0x82], [0xc3], [0x80])
      .map((bytes) => Buffer.from(bytes)),
  },
);
const content = fc
  .tuple(fc.constantFrom(Buffer.alloc(0), Buffer.alloc(0), MARK), fc.array(piece, { maxLength: 40 }))
  .map(([mark, parts]) => Buffer.concat([mark, ...parts]));

const atom = fc.constantFrom(
  ...[
    'a',
    'b',
    '"',
    'é',
    '.',
    '\\w',
    '\\W',
    '\\d',
    '\\D',
    '\\s',
    '\\S',
    '\\h',
    '[ab]',
    '[^a]',
    '[^"\\n]',
    '[^é]',
    '[[:^alpha:]]',
  ],
  ...['\\P{L}', '(?:a|.)', '(?:ab)', '(?:b.)', '(?:[^b]a)', '中', '[ \\r\\n]', '\\x{3000}'],
);
const across = fc.constantFrom(
  '\\n',
  '\\r\\n',
  '\\r?\\n',
  '\\r',
  '\\R',
  '(?s:.)',
  '[\\s\\S]',
  '[^b]',
  '\\s',
  '(?:a(?!\\n))',
  '(?:(?<=\\n).)',
);
const around = fc.constantFrom('', '', '', '^', '$', '\\b', '\\B', '(?=a)', '(?<![ab])', '(?<=.)');
const often = fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,3}', '+?');

/** A pattern that matches no empty text: of that, the end of a text has none in a search. */
function patternOf(one: fc.Arbitrary<string>) {
  const repeated = fc.tuple(around, one, often).map((parts) => parts.join(''));
  return fc
    .tuple(fc.array(repeated, { maxLength: 2 }), around, one, fc.array(repeated, { maxLength: 2 }), around)
    .map(([before, at, sure, behind, end]) => [...before, at, sure, ...behind, end].join(''));
}

async function search(root: string, args: object, environment?: NodeJS.ProcessEnv) {
  const answer = await call(
    searchFiles,
    { ...args, format: 'json', no_ignore: true },
    { root, ...(environment && { environment }) },
  );
  expect([args, answer.error]).toEqual([args, undefined]);
  const found = answer.result as { file: string; line: number; column: number; text: string }[] | string;
  const { meta, ...rest } = answer;
  return { found: typeof found === 'string' ? (JSON.parse(found) as Exclude<typeof found, string>) : found, rest };
}

/** Returns the lines, in the file before, that the marks around the matches are in. */
function markedLines(after: Buffer): Set<number> {
  const lines = new Set<number>();
  let [line, isOpen] = [1, false];
  for (const byte of after) {
    if (byte === OPEN[0]) isOpen = true;
    else if (byte === CLOSE[0]) isOpen = false;
    else if (isOpen) lines.add(line);
    if (byte === 10) line++;
  }
  return lines;
}

function withoutMarks(after: Buffer): Buffer {
  return Buffer.from(after.filter((byte) => byte !== OPEN[0] && byte !== CLOSE[0]));
}

function makeFiles(contents: readonly Buffer[]) {
  const root = makeTempDirectory();
  makeTree(root, Object.fromEntries(contents.map((one, i) => [`f${i}`, one])));
  return root;
}

async function checkSame(contents: readonly Buffer[], pattern: string, multiline: boolean) {
  const root = makeFiles(contents);
  const args = { pattern, multiline, max_matches: 10_000 };
  const [ripgrep, own] = await Promise.all([search(root, args), search(root, args, { JINN_RIPGREP: 'off' })]);
  expect([pattern, ripgrep]).toEqual([pattern, own]);
  if (!multiline) return;
  const marked = { pattern: `(${pattern})`, replacement: '\x01$1\x02', files: contents.map((_, i) => `f${i}`) };
  const replaced = await call(searchReplace, marked, { root });
  expect([pattern, replaced.error]).toEqual([pattern, undefined]);
  for (const [i, before] of contents.entries()) {
    const after = fs.readFileSync(path.join(root, `f${i}`));
    expect([pattern, withoutMarks(after)]).toEqual([pattern, before]);
    const found = own.found.filter(({ file }) => file === `f${i}`);
    const lines = new Set(found.flatMap(({ line, text }) => text.split('\n').map((_, at) => line + at)));
    expect([pattern, before.toString('latin1'), lines]).toEqual([
      pattern,
      before.toString('latin1'),
      markedLines(after),
    ]);
  }
}

const files = fc.array(content, { minLength: 1, maxLength: 5 });

test('replaces what it finds across lines, and nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(files, patternOf(fc.oneof(atom, across)), (contents, pattern) =>
      checkSame(contents, pattern, true),
    ),
    { numRuns: 300 },
  );
}, 300_000);

test('both engines find the same lines', async () => {
  await fc.assert(
    fc.asyncProperty(files, patternOf(atom), (contents, pattern) => checkSame(contents, pattern, false)),
    { numRuns: 300 },
  );
}, 300_000);

test('both engines find the same lines in many files, for which ripgrep starts again', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(content, { minLength: 30, maxLength: 40 }),
      fc.array(patternOf(atom), { minLength: 10, maxLength: 10 }),
      async (contents, patterns) => {
        for (const pattern of patterns) await checkSame(contents, pattern, false);
      },
    ),
    { numRuns: 10 },
  );
}, 300_000);

test('a word ends at a letter of another encoding in no engine', async () => {
  await checkSame([Buffer.from([0x61, 0xe2, 0x82])], 'a\\b', false);
});
