import { makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { connectNew, connectOld, converseHere } from '../fixture/connect-here.ts';
import { fitLines } from './tool-list.ts';

const MB = 1024 * 1024;
const LINE = `${'ä'.repeat(49)}\n`;

test.for([
  ['the client of the 1.x line', connectOld],
  ['the client of the 2.x line', connectNew],
] as const)('%s gets a large result in part, and reads the rest by ranges', async ([, connectTo]) => {
  const { client, connect } = await connectTo({ cwd: makeTempDirectory(), standIn: true });
  await connect();
  const { content } = await client.callTool({ name: 'large', arguments: { text: String(99 * 50_000) } });
  const [shown, link] = content as [{ text: string }, { type: string; uri: string; size: number }];
  expect(link).toMatchObject({ type: 'resource_link', name: 'large', mimeType: 'text/plain', size: 99 * 50_000 });

  const [, text = '', next = ''] =
    /^(.*)\n\[Showing the first \d+ of 4950000 bytes\. Read (\S+) to continue\.\]$/s.exec(shown.text) ?? [];
  let whole = text;
  const address = new URL(next);
  expect(address.href.startsWith(link.uri)).toBe(true);
  address.searchParams.set('limit', '1048576');
  for (let part = '?'; part !== ''; whole += part) {
    address.searchParams.set('offset', String(Buffer.byteLength(whole)));
    const { contents } = await client.readResource({ uri: address.href });
    part = (contents[0] as { text: string }).text;
    expect(Buffer.byteLength(part)).toBeLessThanOrEqual(MB + 1);
  }
  expect(whole === LINE.repeat(50_000)).toBe(true);
});

test('a range that cuts a character goes on to its end, and the next one begins after it', async () => {
  const { client, connect } = await connectNew({
    cwd: makeTempDirectory(),
    standIn: true,
    args: ['--max-result', '2'],
  });
  await connect();
  const { content } = await client.callTool({ name: 'large', arguments: { text: '3960' } });
  const { uri } = (content as { uri: string }[])[1] as { uri: string };
  const read = async (range: string) => {
    const { contents } = await client.readResource({ uri: `${uri}${range}` });
    return (contents[0] as { text: string }).text;
  };
  expect(await read('?offset=0&limit=3')).toBe('ää');
  expect(await read('?offset=3&limit=3')).toBe('ä');
  expect(await read('?offset=96&limit=4')).toBe('ä\nä');
  expect(await read('?offset=3959&limit=9')).toBe('\n');
  expect(await read('?offset=3960')).toBe('');
  expect(await read('?offset=-1&limit=x')).toBe(LINE.repeat(40));
});

test('a result is whole up to the limit', async () => {
  const { client, connect } = await connectOld({
    cwd: makeTempDirectory(),
    standIn: true,
    args: ['--max-result', '99'],
  });
  await connect();
  const { content } = await client.callTool({ name: 'large', arguments: { text: String(99 * 1024) } });
  expect(content).toEqual([{ type: 'text', text: LINE.repeat(1024) }]);
});

test.each([
  [0, 2_048],
  [10, 4_096],
  [90, 10_240],
  [10_000, 24_576],
])('warnings and diagnostics share the limit with %i lines of text in %i bytes', async (lines, maxBytes) => {
  const args = ['--max-result', String(maxBytes / 1024)];
  const { client, connect } = await connectOld({ cwd: makeTempDirectory(), standIn: true, args });
  await connect();
  const { content } = await client.callTool({ name: 'remark', arguments: { text: String(99 * lines) } });
  const [text = '', diagnostics = '', warnings = ''] = (content as { text?: string }[]).map((block) => block.text);
  const bytes = Buffer.byteLength(text + diagnostics + warnings);
  expect([bytes <= maxBytes, bytes > maxBytes * 0.9]).toEqual([true, true]);
  if (99 * lines <= maxBytes - 400) expect(text).toBe(LINE.repeat(lines));
  else expect(text).toMatch(/\n\[Showing the first \d+ of \d+ bytes\. Read jinn:\S+ to continue\.\]$/);
  const told = [...diagnostics.matchAll(/^a\.ts:(\d+):1 error: wrong$/gm)].map(([, i]) => Number(i));
  expect(told).toEqual(told.map((_, i) => i));
  expect(diagnostics).toMatch(new RegExp(`^This change causes:\n.*\n\\[${200 - told.length} more lines\\]$`, 's'));
  expect(warnings).toMatch(/^(\[warning: warning \d+ about ä{60}\]\n)+\[\d+ more lines\]$/);
});

test('a line that alone is too long is cut between characters', () => {
  expect(fitLines('ä'.repeat(100), 50)).toBe(`${'ä'.repeat(11)}…`);
  expect(fitLines(`${'ä'.repeat(100)}\nb`, 50)).toBe(`${'ä'.repeat(11)}…\n[1 more lines]`);
  expect(fitLines('a\nb', 3)).toBe('a\nb');
});

test.each([
  ['2025-03-26', ['text']],
  ['2025-06-18', ['text', 'resource_link']],
])('in revision %s a large result has %j', async (protocolVersion, types) => {
  const { send, receive } = await converseHere({
    cwd: makeTempDirectory(),
    standIn: true,
    args: ['--max-result', '2'],
  });
  const clientInfo = { name: 'test', version: '1.0.0' };
  await send({ id: 1, method: 'initialize', params: { protocolVersion, capabilities: {}, clientInfo } });
  await receive();
  await send({ id: 2, method: 'tools/call', params: { name: 'large', arguments: { text: '9900' } } });
  const content = (await receive()).result?.['content'] as { type: string }[];
  expect(content.map(({ type }) => type)).toEqual(types);
});

test.each([
  'jinn://results/nothing.0123456789abcdef.txt',
  'jinn://results/../../state.db',
  'jinn://results/',
  'file:///etc/passwd',
])('there is no resource %s', async (uri) => {
  const { client, connect } = await connectNew({ cwd: makeTempDirectory(), standIn: true });
  await connect();
  await expect(client.readResource({ uri })).rejects.toThrow(`Resource not found: ${uri}`);
});
