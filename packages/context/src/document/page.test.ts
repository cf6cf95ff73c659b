import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pageOf } from './page.ts';

test('the pages of any text join to it, and each fits', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'grapheme', maxLength: 80 }), { maxLength: 200 }),
      fc.integer({ min: 1_100, max: 4_000 }),
      (lines, maxResult) => {
        const whole = `${lines.map((line) => line.replaceAll('\n', ' ')).join('\n')}x`;
        const bytes = Buffer.from(whole);
        let [joined, offset] = ['', 0];
        for (;;) {
          const { text = '', truncated } = pageOf(bytes, offset, { maxResult });
          expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxResult);
          const next = truncated && /pass offset: (\d+), or name targets\]$/.exec(text);
          if (!next) {
            expect(joined + text).toBe(whole);
            return;
          }
          const end = Number(next[1]);
          expect(end).toBeGreaterThan(offset);
          joined += bytes.toString('utf8', offset, end);
          expect(text.startsWith(bytes.toString('utf8', offset, end).replace(/\n$/, ''))).toBe(true);
          offset = end;
        }
      },
    ),
  );
});

test('names the files that begin later, as many as there is room for', () => {
  const file = (name: string) => `\`\`\`path=${name}\n${'text\n'.repeat(200)}\`\`\`\n`;
  const names = Array.from({ length: 200 }, (_, i) => `some-name-${i}.txt`);
  const { text = '' } = pageOf(Buffer.from(names.map(file).join('')), 0, { maxResult: 4_000 });
  expect(text).toMatch(
    /\n\[not shown yet: path=some-name-\d+\.txt, .* and \d+ more\]\n\[bytes 0 to \d+ of \d+\. For more /,
  );
});

test('refuses an offset past the end', () => {
  expect(() => pageOf(Buffer.from('four'), 4, {})).toThrow('offset 4 is past the end: the answer has 4 bytes');
  expect(pageOf(Buffer.from('four'), 2, {})).toEqual({ text: 'ur' });
});
