import { countProcessorTime } from '@jinn/testkit';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { LineFolder } from './line-folder.ts';

function fold(chunks: readonly string[]) {
  const parts: Uint8Array[] = [];
  const folder = new LineFolder((bytes) => parts.push(Uint8Array.from(bytes)));
  for (const chunk of chunks) folder.push(Buffer.from(chunk));
  const pending = folder.pending;
  folder.finish();
  const { lines, cuts, overwritten } = folder;
  return { text: Buffer.concat(parts).toString(), lines, cuts, overwritten, pending };
}

test('folds three equal lines or more into the first and a count', () => {
  expect(fold(['a\na\na\nb\nb\nc\n']).text).toBe('a\n[... 2 identical lines collapsed ...]\nb\nb\nc\n');
  expect(fold(['a\n\n\n\n\nb']).text).toBe('a\n\n[... 3 identical lines collapsed ...]\nb\n');
  expect(fold(['a\na\nab']).text).toBe('a\na\nab\n');
});

test('cuts a long line between characters, and never drops it', () => {
  const { text, cuts, lines } = fold(['x\n', 'é'.repeat(40_000), 'é\n', 'y\n']);
  expect(text).toBe(`x\n${'é'.repeat(16_384)}...\ny\n`);
  expect([cuts, lines]).toEqual([1, 3]);
  expect(fold([`a${'é'.repeat(40_000)}`]).text).toBe(`a${'é'.repeat(16_383)}...\n`);
});

test('does not take long lines for equal by their beginnings', () => {
  const long = 'x'.repeat(40_000);
  expect(fold([`${long}1\n${long}2\n${long}3\n`])).toMatchObject({ cuts: 3, lines: 3 });
});

test('tells what it holds back', () => {
  expect(fold(['a\na\nb']).pending).toBe('a\nb');
  expect(fold(['a\na\na\na\nb']).pending).toBe('[... 3 identical lines collapsed ...]\nb');
  expect(fold(['a\n']).pending).toBe('');
});

test('shows the last state of a line that is written again and again', () => {
  expect(fold(['1%\r2%\r', '3%\r', '\r100%\nend\n'])).toMatchObject({
    text: '100%\nend\n',
    lines: 2,
    overwritten: true,
  });
  expect(fold(['a\nwork 1\r\rwork', ' 2'])).toMatchObject({ text: 'a\nwork 2\n', pending: 'work 2' });
  expect(fold(['\r\r', '\r\rfirst'])).toMatchObject({ text: 'first\n', overwritten: false });
  expect(fold(['last\r'])).toMatchObject({ text: 'last\n', overwritten: false });
  expect(fold(['1%', '\r', '2%\r', '\n']).text).toBe('2%\n');
});

test('ends lines in a newline alone', () => {
  expect(fold(['a\r\nb\r', '\n\r\nc\r\r\n'])).toMatchObject({ text: 'a\nb\n\nc\n', lines: 4, overwritten: false });
  expect(fold(['x\r\nx\r\n', 'x\nx\r\n']).text).toBe('x\n[... 3 identical lines collapsed ...]\n');
});

test('keeps no more of a line that is written again and again than of another', () => {
  const update = Buffer.from(`${'x'.repeat(28)}\r`.repeat(2_200));
  const parts: Uint8Array[] = [];
  const folder = new LineFolder((bytes) => parts.push(bytes));
  const used = countProcessorTime();
  for (let bytes = 0; bytes < 64 * 1024 * 1024; bytes += update.length) {
    folder.push(update);
    if (bytes === 0) expect(folder.unfinished).toBe('x'.repeat(28));
  }
  folder.finish();
  expect(Buffer.concat(parts).toString()).toBe(`${'x'.repeat(28)}\n`);
  expect(used()).toBeLessThan(15_000);
});

test('is linear in what comes', { tags: 'slow' }, () => {
  const used = countProcessorTime();
  expect(fold(Array.from({ length: 100 }, () => 'y\n'.repeat(32_768))).lines).toBe(100 * 32_768);
  expect(fold(Array.from({ length: 1_000 }, () => 'x'.repeat(32_768))).cuts).toBe(1);
  expect(used()).toBeLessThan(15_000);
});

/** The plain way, for all at once. */
function foldPlainly(text: string): string {
  const lines = text.split('\n').map((line) => line.split('\r').findLast((state) => state !== '') ?? '');
  if (/(^|\n)\r*$/.test(text)) lines.pop();
  const out: string[] = [];
  for (let i = 0; i < lines.length; ) {
    const line = lines[i] as string;
    let end = i;
    while (lines[end] === line) end++;
    const count = end - i;
    out.push(line, ...(count > 2 ? [`[... ${count - 1} identical lines collapsed ...]`] : Array(count - 1).fill(line)));
    i = end;
  }
  return out.map((line) => `${line}\n`).join('');
}

test('folds alike however the text is cut into chunks', () => {
  const line = fc.constantFrom('', 'a', 'b', 'ab', 'é', '\r', 'a\r', 'b\ra', '\ré\r\r');
  const text = fc.array(line, { maxLength: 30 }).map((lines) => lines.join('\n'));
  const property = fc.property(text, fc.array(fc.nat(60), { maxLength: 6 }), (whole, cuts) => {
    const bytes = Buffer.from(whole);
    const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
    const parts: Uint8Array[] = [];
    const folder = new LineFolder((piece) => parts.push(Uint8Array.from(piece)));
    for (let i = 1; i < places.length; i++) folder.push(bytes.subarray(places[i - 1], places[i]));
    folder.finish();
    expect(Buffer.concat(parts).toString()).toBe(foldPlainly(whole));
  });
  fc.assert(property, { numRuns: 500 / inject('runsDivisor') });
});
