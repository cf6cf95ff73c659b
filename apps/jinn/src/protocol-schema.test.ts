import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { JINN, makePlace, openSession } from './fixture/open-session.ts';

const DOCS = path.resolve(import.meta.dirname, '../../../docs');
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const FILES = { 'a.txt': 'one\n', 'a.png': Buffer.from(PNG, 'base64'), 'gone/a': '' };

const SCHEMA = JSON.parse(spawnSync(process.execPath, [JINN, '--schema=protocol'], { encoding: 'utf8' }).stdout);
const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true, formats: { uri: true } });
ajv.addSchema(SCHEMA);
const check = (name: string, value: unknown) => {
  const validate = ajv.getSchema(`${SCHEMA.$id}#/$defs/${name}`);
  if (!validate) throw new Error(`there is no definition ${name}`);
  return validate(value) ? [] : validate.errors;
};

const call = (tool: string, args: object, more = {}) => ({ tool, args, ...more });
const REQUESTS: readonly (readonly [kind: string, request: object, answer: string])[] = [
  ['call', call('read_file', { path: 'a.txt' }, { request_id: 1, protocol: 1, meta: null, parallel: null }), 'success'],
  ['call', call('edit_file', { path: 'a.txt', old_text: 'one', new_text: 'two' }, { request_id: 'x' }), 'success'],
  ['call', call('write_file', { path: 'b.txt', content: 'b' }, { meta: true }), 'success'],
  ['call', call('search_files', { pattern: 'two', format: 'json' }), 'success'],
  ['call', call('run_shell', { command: 'echo 1; exit 3' }), 'success'],
  ['call', call('read_file', { path: 'a.png' }), 'success'],
  ['call', call('read_file', { path: 'nope' }), 'failure'],
  ['call', call('run_shell', { command: 'rm -rf gone' }), 'question'],
  ['tool_call', { type: 'function', id: 'c', function: { name: 'list_dir', arguments: '{}' } }, 'tool_message'],
  [
    'function_call',
    { type: 'function_call', call_id: 'c', name: 'read_file', arguments: '{}' },
    'function_call_output',
  ],
  ['tool_use', { type: 'tool_use', id: 'c', name: 'read_file', input: { path: 'a.png' } }, 'tool_result'],
  ['tool_use', { type: 'tool_use', id: 'c', name: 'nope', input: {} }, 'tool_result'],
  ['decision', { approval: 'none', answer: 'once' }, 'failure'],
];

test('what is sent and what comes back is as the schema says', { tags: 'slow' }, async () => {
  const session = openSession(['--visualize', '--approvals=stdio'], makePlace(FILES));
  for (const [kind, request, answer] of REQUESTS) {
    expect(check(kind, request)).toEqual([]);
    expect(check('request', request)).toEqual([]);
    session.send(request);
    const line = await session.receive();
    expect([request, check(answer, line)]).toEqual([request, []]);
    expect(check('answer', line)).toEqual([]);
    if (answer !== 'question') continue;
    const decision = { approval: line.approval.id, answer: 'once' };
    expect(check('decision', decision)).toEqual([]);
    session.send(decision);
    expect(check('success', await session.receive())).toEqual([]);
  }
});

test('a report and a canceled call are as the schema says', async () => {
  const session = openSession(['--progress']);
  session.send(call('run_shell', { command: 'sleep 50' }, { request_id: 'a' }));
  expect(check('progress', await session.receive())).toEqual([]);
  const cancel = { cancel: 'a' };
  expect(check('cancel', cancel)).toEqual([]);
  session.send(cancel);
  let line = await session.receive();
  while ('progress' in line) line = await session.receive();
  expect([line.error_code, check('failure', line)]).toEqual(['canceled', []]);
});

test.each([
  ['request', { args: {} }],
  ['request', { tool: 'a', args: [] }],
  ['request', { tool: 'a', protocol: 2 }],
  ['request', { type: 'tool_use', name: 'a' }],
  ['answer', { ok: true, error: 'x' }],
  ['answer', { ok: false, error: 'x', error_code: 'odd' }],
  ['answer', { ok: true, result: '', request_id: null }],
  ['answer', { ok: true, visualization: { type: 'odd' } }],
])('as %s the schema does not take %j', (name, value) => {
  expect(check(name, value)).not.toEqual([]);
});

test('jinn refuses a version that it does not speak, and says which it speaks', async () => {
  const session = openSession();
  session.send(call('list_dir', {}, { protocol: 2, request_id: 1 }));
  expect(await session.receive()).toMatchObject({
    error_code: 'invalid_request',
    error: 'invalid request: "protocol" is 2. This jinn speaks version 1',
    request_id: 1,
  });
});

test('the page has the schema', () => {
  expect(JSON.parse(fs.readFileSync(`${DOCS}/protocol.schema.json`, 'utf8'))).toEqual(SCHEMA);
  expect(fs.readFileSync(`${DOCS}/protocol.md`, 'utf8')).toContain(`version ${SCHEMA.$id.split(':').at(-1)}`);
});
