import { countProcessorTime } from '@jinn/testkit';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { EscapeCodes } from './output-capture.ts';

function clean(chunks: readonly (string | Buffer)[], keepsColor = false): string {
  const parts: Buffer[] = [];
  const codes = new EscapeCodes({ keepsColor }, (bytes) => parts.push(bytes));
  for (const chunk of chunks) codes.push(Buffer.from(chunk));
  codes.finish();
  return Buffer.concat(parts).toString();
}

test.for([
  ['plain é\n', 'plain é\n'],
  ['\x1b[1;31mred\x1b[0m', 'red'],
  ['\x1b[38:2::1:2:3mrgb\x1b[m', 'rgb'],
  ['\x1b[3A\x1b[?25lup\x1b[?25h\x1b[K', 'up'],
  ['\x1b[2J\x1b[H\x1b[10;20Htop', 'top'],
  ['\x1b]0;title\x07text', 'text'],
  ['\x1b]8;;https://a.example/\x1b\\link\x1b]8;;\x1b\\', 'link'],
  ['\x1bP1$r0m\x1b\\dcs \x1b_apc\x1b\\end', 'dcs end'],
  ['\x1b(B\x1b7\x1b=\x1bMtext', 'text'],
  ['one\x1b[2K\x1b[1Gtwo\x1b[Gthree', 'one\r\rtwo\rthree'],
  ['bare \x1b', 'bare '],
  ['\x1b\n', '\n'],
  ['\x1b\x1b[1mbold', 'bold'],
  ['\x1b[1\nnext', '[1\nnext'],
  ['\x1b]open\nnext', ']open\nnext'],
  ['\x1b[12', '[12'],
  ['\x1bé', 'é'],
] as const)('makes %j %j', ([text, wanted]) => {
  expect(clean([text])).toBe(wanted);
});

test('keeps colors, and nothing else, when it is told to', () => {
  const text = '\x1b[1;31mred\x1b[0m\x1b[K\x1b]0;title\x07\x1b[?25l\x1b[2m.';
  expect(clean([text], true)).toBe('\x1b[1;31mred\x1b[0m\x1b[2m.');
});

test('does not take what never ends for a code', () => {
  const text = 'x'.repeat(10_000);
  expect(clean([`\x1b]${text}`])).toBe(`]${text}`);
  expect(clean([`\x1b[${'1'.repeat(10_000)}m`])).toBe(`[${'1'.repeat(10_000)}m`);
  expect(clean(['\x1b]', ...Array.from({ length: 100 }, () => 'x'.repeat(100))])).toBe(`]${text}`);
});

test('gives the same whatever the chunks are', () => {
  const piece = fc.constantFrom(
    '\x1b',
    '[',
    ']',
    '1',
    ';',
    'm',
    'K',
    '2K',
    'a',
    '\n',
    '\r',
    '\x07',
    '\\',
    '(',
    'é',
    '\x1b[0m',
  );
  const texts = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));
  const property = fc.property(
    texts,
    fc.array(fc.nat(80), { maxLength: 8 }),
    fc.boolean(),
    (text, cuts, keepsColor) => {
      const bytes = Buffer.from(text);
      const at = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
      const chunks = at.slice(1).map((end, i) => bytes.subarray(at[i], end));
      expect(clean(chunks, keepsColor)).toBe(clean([bytes], keepsColor));
      if (!keepsColor) expect(clean([bytes])).not.toContain('\x1b');
    },
  );
  fc.assert(property, { numRuns: 2_000 / inject('runsDivisor') });
});

test('is linear in what comes', { tags: 'slow' }, () => {
  const used = countProcessorTime();
  const codes = new EscapeCodes({ keepsColor: false }, () => {});
  for (const text of ['\x1b[1mx', '\x1b]', '\x1b[', '\x1b', `\x1b]${'x'.repeat(4_090)}`]) {
    const chunk = Buffer.from(text.repeat(65_536 / text.length));
    for (let i = 0; i < 256; i++) codes.push(chunk);
    for (let i = 0; i < 50_000; i++) codes.push(chunk.subarray(i % chunk.length, (i % chunk.length) + 1));
  }
  codes.finish();
  expect(used()).toBeLessThan(15_000);
});
