import { expect, test } from 'vitest';
import { answerLost, markStream } from './http-handler.ts';

const SSE = { 'content-type': 'text/event-stream' };
const markOf = (id: unknown) => `answer-${Buffer.from(JSON.stringify(id)).toString('base64url')}`;
const requestWith = (headers: Record<string, string>, method = 'POST') =>
  new Request('http://127.0.0.1/mcp', { method, headers });
const call = (id?: unknown) => ({ jsonrpc: '2.0', id, method: 'tools/call' });

function streamed(body: unknown, { version = '2026-07-28', headers = SSE as Record<string, string> } = {}) {
  const response = new Response('data: {}\n\n', { headers });
  return markStream(response, requestWith({ 'mcp-protocol-version': version }), body).text();
}

test('begins a stream of answers with the id of its request', async () => {
  for (const id of [7, 0, 'seven', 'x'.repeat(200)])
    expect(await streamed(call(id))).toBe(`id: ${markOf(id)}\ndata: {}\n\n`);
  expect(await streamed(call(7), { version: '2025-11-25' })).toBe(`id: ${markOf(7)}\ndata: \n\ndata: {}\n\n`);
});

test('marks nothing else', async () => {
  const bodies = [
    call(),
    call(null),
    call({}),
    call('x'.repeat(201)),
    { id: 7, result: {} },
    [call(7)],
    undefined,
    null,
  ];
  for (const body of bodies) expect(await streamed(body)).toBe('data: {}\n\n');
  expect(await streamed(call(7), { headers: { 'content-type': 'application/json' } })).toBe('data: {}\n\n');
  expect(await streamed(call(7), { headers: {} })).toBe('data: {}\n\n');
  const empty = markStream(new Response(null, { status: 202, headers: SSE }), requestWith({}), call(7));
  expect(empty.body).toBeNull();
});

test('tells of a lost answer whoever asks for it by a mark, and nobody else', async () => {
  const ask = (last: string, method = 'GET') => answerLost(requestWith({ 'last-event-id': last }, method));
  for (const id of [7, 'seven']) {
    const answer = ask(markOf(id));
    expect(answer?.headers.get('content-type')).toBe('text/event-stream');
    const [, data = ''] = /^event: message\ndata: (.*)\n\n$/.exec((await answer?.text()) ?? '') ?? [];
    expect(JSON.parse(data)).toMatchObject({ id, error: { message: expect.stringContaining('was lost') } });
  }
  for (const last of ['answer-', 'answer-%', markOf({}), markOf(null), markOf('x'.repeat(201)), 'Nw', 'foreignNw'])
    expect([last, ask(last)]).toEqual([last, undefined]);
  for (const method of ['POST', 'DELETE']) expect(ask(markOf(7), method)).toBeUndefined();
  expect(answerLost(requestWith({}, 'GET'))).toBeUndefined();
});
