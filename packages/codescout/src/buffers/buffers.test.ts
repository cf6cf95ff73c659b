import fs from 'node:fs';
import { createRegistry, createSession } from '@jinn/core';
import { type CallOptions, call, makeTempDirectory, makeTree, openTestMachine, toolsetOf } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { readFile } from '../read-file.ts';
import { runCommand } from '../run-command.ts';
import { parseReference, referencesIn, replaceReferences } from './buffers.ts';

const numbered = (count: number) => Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join('');

function scene(files: Record<string, string>) {
  const at: CallOptions & { root: string; state: string } = {
    root: makeTempDirectory(),
    state: makeTempDirectory(),
    session: createSession(),
  };
  makeTree(at.root, files);
  const read = async (path: string, args: object = {}) => {
    const answer = await call(readFile, { path, ...args }, at);
    return answer.ok ? JSON.parse(answer.result ?? '') : answer;
  };
  return { at, read };
}

test.for([
  ['@cmd_0123abcd', { kind: 'cmd', id: 'cmd_0123abcd', isError: false }],
  ['"@bg_0123abcd.err" ', { kind: 'bg', id: 'bg_0123abcd', isError: true }],
  ['@cmd_0123abc', undefined],
  ['@cmd_0123ABCD', undefined],
  ['@ack_0123abcd', undefined],
  ['@cmd_0123abcd/../x', undefined],
  ['./@cmd_0123abcd', undefined],
] as const)('parses %s', ([text, reference]) => {
  expect(parseReference(text)).toEqual(reference);
});

test('finds the references in a command, and no others', () => {
  const command = `grep x@file_00000001 '@file_00000002' @cmd_00000003.err @cmd_00000003.error @tool_000000040 @file_00000002`;
  expect(referencesIn(command)).toEqual(['@file_00000002', '@cmd_00000003.err', '@cmd_00000003']);
  expect(replaceReferences('a @cmd_00000003.err', (reference) => `<${reference}>`)).toBe('a <@cmd_00000003.err>');
});

test('keeps the 50 results that were used last, and says of others that they are gone', async () => {
  const names = Array.from({ length: 52 }, (_, i) => `f${i}`);
  const { at, read } = scene(Object.fromEntries(names.map((name) => [name, numbered(201)])));
  const ids: string[] = [];
  for (const name of names.slice(0, 50)) ids.push((await read(name)).file_id);
  await read(ids[0] ?? '', { start_line: 1, end_line: 1 });
  for (const name of names.slice(50)) await read(name);
  expect(await read(ids[0] ?? '', { start_line: 7, end_line: 7 })).toMatchObject({ content: 'line 7\n' });
  for (const id of ids.slice(1, 3)) {
    expect(await read(id)).toMatchObject({
      error_code: 'not_found',
      error: `buffer reference not found: ${id}`,
      suggestion: expect.stringContaining('again'),
    });
  }
  expect(await read(ids[3] ?? '')).toMatchObject({ total_lines: 201 });
  expect(fs.readdirSync(`${at.state}/spill`).filter((name) => name.endsWith('.record'))).toHaveLength(50);
});

function logsIn({ state }: { state: string }): string[] {
  const names = fs.readdirSync(`${state}/spill`, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.log')).map((name) => `${state}/spill/${name}`);
}

test('removes the files of a result that is gone', { tags: 'slow', timeout: 60_000 }, async () => {
  const { at, read } = scene({ f: numbered(201) });
  const run = async () => JSON.parse((await call(runCommand, { command: 'seq 1 5000; seq 1 9 >&2' }, at)).result ?? '');
  const first = (await run()).output_id;
  for (let i = 0; i < 50; i++) await run();
  expect(await read(first)).toMatchObject({ error_code: 'not_found' });
  expect(logsIn(at)).toHaveLength(100);
});

test('keeps a background command while it runs, however many results come after it', {
  tags: 'slow',
  timeout: 60_000,
}, async () => {
  const names = Array.from({ length: 60 }, (_, i) => `f${i}`);
  const { at, read } = scene(Object.fromEntries(names.map((name) => [name, numbered(201)])));
  const run = async (args: object) => JSON.parse((await call(runCommand, args, at)).result ?? '');
  const { output_id } = await run({ command: 'echo up; sleep 300', run_in_background: true });
  for (const name of names) await read(name);
  expect(await read(output_id)).toMatchObject({ content: 'up\n', running: true });
  expect(await run({ command: `kill ${output_id}` })).toMatchObject({ stopped: true });
});

test('says that a result is gone when its file was removed', async () => {
  const { at, read } = scene({});
  const { output_id } = JSON.parse((await call(runCommand, { command: 'seq 1 5000' }, at)).result ?? '');
  expect(await read(`${output_id}.err`)).toMatchObject({ error: expect.stringContaining('nothing was written') });
  for (const log of logsIn(at)) fs.rmSync(log);
  expect(await read(output_id)).toMatchObject({ error_code: 'not_found' });
});

test('closes its files to others', async () => {
  const { at } = scene({});
  await call(runCommand, { command: 'seq 1 5000' }, at);
  for (const entry of fs.readdirSync(`${at.state}/spill`, { recursive: true, withFileTypes: true })) {
    expect(fs.statSync(`${entry.parentPath}/${entry.name}`).mode & 0o777).toBe(entry.isDirectory() ? 0o700 : 0o600);
  }
});

test('does not open a file that another user could have put there', async () => {
  const { at, read } = scene({});
  const { output_id } = JSON.parse((await call(runCommand, { command: 'seq 1 5000' }, at)).result ?? '');
  const [log = ''] = logsIn(at);
  fs.rmSync(log);
  fs.symlinkSync('/etc/passwd', log);
  expect(await read(output_id)).toMatchObject({ error_code: 'not_found' });
});

test('judges the path of a followed file anew', async () => {
  const { at, read } = scene({ f: numbered(201) });
  const { file_id } = await read('f');
  fs.rmSync(`${at.root}/f`);
  fs.symlinkSync('/etc/passwd', `${at.root}/f`);
  expect(await read(file_id)).toMatchObject({ error_code: 'path_outside_sandbox' });
});

test('keeps 200 parallel calls apart', async () => {
  const names = Array.from({ length: 40 }, (_, i) => `f${i}`);
  const { at } = scene(Object.fromEntries(names.map((name, i) => [name, `file ${i}\n${numbered(300)}`])));
  const machine = openTestMachine(at);
  const registry = await createRegistry({ toolsets: [toolsetOf('t', [readFile])], version: '1', onInternalError() {} });
  const read = async (args: object) => {
    const outcome = await registry.call(
      { tool: 'read_file', args },
      { ...machine, session: at.session ?? createSession() },
    );
    return outcome.ok ? (outcome.data as { file_id: string; content: string }) : expect.fail(outcome.error.message);
  };
  const first = await Promise.all(Array.from({ length: 200 }, (_, i) => read({ path: names[i % 40] })));
  expect(new Set(first.map(({ file_id }) => file_id)).size).toBe(40);
  const lines = await Promise.all(first.map(({ file_id }) => read({ path: file_id, start_line: 1, end_line: 1 })));
  for (const [i, { content }] of lines.entries()) expect(content).toBe(`file ${i % 40}\n`);
});

test('what a person has read, run or not yet run is under no reference of anybody else', async () => {
  const { at } = scene({ 'f.txt': numbered(201) });
  const as = (person: string) => ({ ...at, person, session: createSession(), dangerous: 'force' as const });
  const idIn = (answer: object, kind: string) => new RegExp(`@${kind}_[0-9a-f]{8}`).exec(JSON.stringify(answer))?.[0];
  const file = idIn(await call(readFile, { path: 'f.txt' }, as('alice')), 'file');
  const output = idIn(await call(runCommand, { command: 'seq 9000; echo of alice' }, as('alice')), 'cmd');
  const pending = idIn(await call(runCommand, { command: 'rm -rf gone' }, as('alice')), 'ack');
  expect([file, output, pending]).not.toContain(undefined);
  for (const path of [file, output]) {
    expect(await call(readFile, { path }, as('bob'))).toMatchObject({ ok: false, error_code: 'not_found' });
    expect(await call(readFile, { path }, as('alice'))).toMatchObject({ ok: true });
  }
  expect(await call(runCommand, { command: `tail -1 ${output}` }, as('bob'))).toMatchObject({
    error_code: 'not_found',
  });
  expect(await call(runCommand, { command: pending }, as('bob'))).toMatchObject({ error_code: 'not_found' });
  expect(await call(runCommand, { command: pending }, as('alice'))).toMatchObject({ ok: true });
});
