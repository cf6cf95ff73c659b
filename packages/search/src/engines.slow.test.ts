import { call, makeTempDirectory, makeTree } from '@jinn/testkit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { searchFiles } from './search-files.ts';

const OWN = { JINN_RIPGREP: 'off' };

async function searchBoth(root: string, args: object) {
  const [ripgrep, own] = await Promise.all([
    call(searchFiles, args, { root }),
    call(searchFiles, args, { root, environment: OWN }),
  ]);
  const engineOf = ({ meta }: typeof own) => (meta as { engine?: string } | undefined)?.engine;
  if (own.ok) expect(engineOf(own)).toBe('built-in');
  const withoutEngine = ({ meta, ...rest }: typeof own) => ({ ...rest, meta: { ...meta, engine: undefined } });
  return { engine: engineOf(ripgrep), ripgrep: withoutEngine(ripgrep), own: withoutEngine(own) };
}

const piece = fc.constantFrom(
  'a',
  'b',
  'A',
  'é',
  'É',
  '1',
  '٣',
  '_',
  ' ',
  '\t',
  '.',
  '-',
  '\n',
  '\n',
  '\r\n',
  '\r',
  '\u{1f600}',
  '\u2028',
  'ß',
  '\u0000',
);
const bytes = fc
  .array(
    fc.oneof(
      { weight: 30, arbitrary: piece.map((text) => Buffer.from(text)) },
      { weight: 1, arbitrary: fc.constantFrom(Buffer.from([0xff]), Buffer.from([0xc3]), Buffer.from([0xe2, 0x82])) },
    ),
    { maxLength: 60 },
  )
  .map((parts) => Buffer.concat(parts));
/** Lines of Windows, and lines that are cut when they are shown. */
const windowsLines = fc
  .array(bytes, { maxLength: 4 })
  .map((lines) => Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\r\n')])));
const longLine = fc
  .tuple(bytes, fc.nat(400), fc.constantFrom('x', 'é', '\u{1f600}', 'a '), bytes, fc.nat(9_000))
  .map(([head, count, filler, tail, behind]) =>
    Buffer.concat([head, Buffer.from(filler.repeat(count)), tail, Buffer.from('y'.repeat(behind)), Buffer.from('b\n')]),
  );
const content = fc.oneof(
  { weight: 6, arbitrary: bytes },
  { weight: 2, arbitrary: windowsLines },
  { weight: 3, arbitrary: longLine },
  { weight: 1, arbitrary: bytes.map((plain) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), plain])) },
  {
    weight: 1,
    arbitrary: bytes.map((plain) => Buffer.from(`\ufeff${plain.toString().replaceAll('\0', '')}`, 'utf16le')),
  },
  {
    weight: 1,
    arbitrary: bytes.map((plain) => Buffer.from(`\ufeff${plain.toString().replaceAll('\0', '')}`, 'utf16le').swap16()),
  },
);

const atom = fc.constantFrom(
  'a',
  'b',
  'é',
  '.',
  '\\w',
  '\\W',
  '\\d',
  '\\D',
  '\\s',
  '\\S',
  '[ab]',
  '[^a]',
  '[[:alpha:]]',
  '[[:^alpha:]]',
  '[^\\s]',
  '[\\W_]',
  '\\p{L}',
  '\\P{L}',
  '\\p{Greek}',
  '^',
  '$',
  '\\b',
  '\\B',
  '\\<',
  '\\>',
  '\\A',
  '\\z',
  '(a|b)',
  '(?:ab)',
  '\\x61',
  '\\t',
  '(?<n>a)',
  '[a-c&&b]',
  '[\\w&&[^b]]',
  '(?=a)',
  '(?<!b)',
);
const pattern = fc
  .array(fc.tuple(atom, fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,2}', '+?')), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) =>
    parts.map(([what, often]) => (/^(\^|\$|\\[bBAz<>]|\(\?[=<][a!].*)$/.test(what) ? what : what + often)).join(''),
  )
  .chain((one) => fc.constantFrom(one, `${one}|b`, `(?i)${one}`, `(a|b)${one}\\1`, 'a', 'é', 'a b', '_-', 'ab'))
  .chain((one) => fc.constantFrom(one, one, `${one}\\n`, `\\n${one}`, `a\\n*${one}`));

test('both engines find the same in any files', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(content, { minLength: 1, maxLength: 6 }),
      fc.array(pattern, { minLength: 5, maxLength: 5 }),
      fc.record({
        case_insensitive: fc.boolean(),
        multiline: fc.boolean(),
        context_lines: fc.nat(2),
        max_matches: fc.nat(6),
        offset: fc.nat(3),
      }),
      async (contents, patterns, options) => {
        const root = makeTempDirectory();
        makeTree(root, Object.fromEntries(contents.map((one, i) => [i % 2 ? `d/${i}` : `${i}`, one])));
        for (const one of patterns) {
          const { engine, ripgrep, own } = await searchBoth(root, { ...options, pattern: one, no_ignore: true });
          if (ripgrep.ok && !options.multiline && !/\\B|\(\?[=<][a!]|\\1/.test(one)) expect(engine).toMatch(/^ripgrep/);
          expect([one, ripgrep]).toEqual([one, own]);
        }
      },
    ),
    { numRuns: 25 },
  );
}, 120_000);
