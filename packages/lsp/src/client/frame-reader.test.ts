import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FrameReader } from './frame-reader.ts';

/** Reads what comes in these pieces; gives the messages and the first error. */
async function read(pieces: readonly Buffer[], frameBytes = 1_000): Promise<{ messages: object[]; error?: string }> {
  const input = new PassThrough();
  const reader = new FrameReader(input, { frameBytes });
  const messages: object[] = [];
  let error: string | undefined;
  reader.onError((found) => {
    error ??= found.message;
  });
  reader.listen((message) => {
    messages.push(message);
    reader.handled(message);
  });
  const closed = new Promise<void>((resolve) => void reader.onClose(resolve));
  for (const piece of pieces) input.write(piece);
  input.end();
  await closed;
  return { messages, ...(error !== undefined && { error }) };
}

function frame(message: object): Buffer {
  const body = Buffer.from(JSON.stringify(message));
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\nContent-Type: x\r\n\r\n`), body]);
}

/** Cuts bytes at some of their indices. */
function cut(bytes: Buffer, at: readonly number[]): Buffer[] {
  const indices = [...new Set(at.map((index) => index % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...indices, bytes.length].map((end, i) => bytes.subarray(indices[i - 1] ?? 0, end));
}

test('messages are the same however the stream is cut', async () => {
  const message = fc.record({
    jsonrpc: fc.constant('2.0'),
    method: fc.string(),
    params: fc.dictionary(fc.string(), fc.json()),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(message, { maxLength: 5 }), fc.array(fc.nat()), async (sent, at) => {
      const bytes = Buffer.concat([Buffer.from('a banner\n'), ...sent.map(frame)]);
      const { messages, error } = await read(cut(bytes, at), 1_000_000);
      expect(error).toBeUndefined();
      expect(messages).toEqual(JSON.parse(JSON.stringify(sent)));
    }),
  );
});

test('bytes of any kind give messages or an error, and throw nothing', async () => {
  const piece = fc.oneof(
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
    fc
      .constantFrom('Content-Length: 2', 'Content-Length: 99999', '\r\n', '\n', '{}', '{"id":1}', '{"method":"x"}')
      .map((text) => Buffer.from(text)),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece), async (pieces) => {
      const { messages } = await read(pieces);
      for (const message of messages) expect(typeof message).toBe('object');
    }),
  );
});

test('a frame that is too large is refused by its header', async () => {
  expect(await read([Buffer.from('Content-Length: 1001\r\n\r\n')])).toEqual({
    messages: [],
    error: 'a message of 1001 bytes is too large',
  });
});

test.each([
  ['Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} ', 'a header with two lengths'],
  ['Content-Length: 0\r\n\r\n', 'a header without a message'],
  [
    'Content-Length: 99999999999999999999\r\n\r\n',
    'output that is not a message: "Content-Length: 99999999999999999999"',
  ],
  ['a banner\nContent-Length: -5\r\n\r\n', 'output that is not a message: "Content-Length: -5"'],
])('%j is refused at once', async (header, error) => {
  expect(await read([Buffer.from(header)])).toEqual({ messages: [], error });
  expect(await read([frame({ method: 'x' }), Buffer.from(header.replace('a banner\n', ''))])).toMatchObject({ error });
});

test('a message has the fields that the library relies on, and no others', async () => {
  const sent = [
    { id: null, method: 'x', params: 'y' },
    { id: 'a', method: 'x', params: [1], result: 2 },
    { id: 1, error: { code: 'x', message: { toString: 1 } } },
    { id: null },
  ];
  expect((await read(sent.map(frame))).messages).toEqual([
    { jsonrpc: '2.0', method: 'x' },
    { jsonrpc: '2.0', id: 'a', method: 'x', params: [1] },
    { jsonrpc: '2.0', id: 1, error: { code: -32001, message: '' } },
    { jsonrpc: '2.0', id: null, result: null },
  ]);
});

test('a header and a banner without end are refused', async () => {
  expect((await read([Buffer.alloc(70_000, 'x')])).error).toMatch(/not a message/);
  const header = Buffer.concat([frame({ method: 'x' }), Buffer.alloc(9_000, 'x')]);
  expect(await read([header])).toMatchObject({
    messages: [{ method: 'x' }],
    error: expect.stringMatching(/not a message/),
  });
});

test('the stream rests while too many messages wait, and flows on when they were handled', async () => {
  const input = new PassThrough({ highWaterMark: 1_000_000 });
  const reader = new FrameReader(input);
  const waiting: Parameters<FrameReader['handled']>[0][] = [];
  reader.listen((message) => void waiting.push(message));
  const messages = Buffer.concat(Array.from({ length: 600 }, () => frame({ method: 'x' })));
  for (let i = 0; i < 5; i++) input.write(messages);
  await expect.poll(() => input.isPaused()).toBe(true);
  expect(waiting.length).toBeLessThan(2_000);
  let handled = 0;
  await expect
    .poll(() => {
      for (const message of waiting.splice(0)) {
        reader.handled(message);
        handled++;
      }
      return handled;
    })
    .toBe(3_000);
  expect(input.isPaused()).toBe(false);
});

test('the stream rests while one large message waits, and while what was sent is not taken', async () => {
  const input = new PassThrough({ highWaterMark: 10_000_000 });
  const reader = new FrameReader(input);
  const waiting: Parameters<FrameReader['handled']>[0][] = [];
  reader.listen((message) => void waiting.push(message));
  input.write(frame({ method: 'x', params: ['y'.repeat(2_000_000)] }));
  await expect.poll(() => input.isPaused()).toBe(true);
  expect(waiting).toHaveLength(1);
  for (const message of waiting) reader.handled(message);
  expect(input.isPaused()).toBe(false);
  const releases = Array.from({ length: 2_000 }, () => reader.hold());
  expect(input.isPaused()).toBe(true);
  for (const release of releases) release();
  expect(input.isPaused()).toBe(false);
});

test('a request is taken once while another of its id waits, so that none is waited for in vain', () => {
  const input = new PassThrough();
  const reader = new FrameReader(input);
  const waiting: Parameters<FrameReader['handled']>[0][] = [];
  reader.listen((message) => void waiting.push(message));
  const ask = frame({ id: 1, method: 'x' });
  input.emit('data', Buffer.concat([ask, ask, frame({ id: '1', method: 'x' })]));
  expect(waiting).toMatchObject([{ id: 1 }, { id: '1' }]);
  for (const message of waiting.splice(0)) reader.handled(message);
  input.emit('data', ask);
  expect(waiting).toMatchObject([{ id: 1 }]);
});
