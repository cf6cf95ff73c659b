import fs from 'node:fs';
import path from 'node:path';
import { type Answer, createSession, type Question } from '@jinn/core';
import { findSandbox } from '@jinn/process/sandbox';
import { expect, test } from 'vitest';
import { scene } from './fixture/command-scene.ts';

const canConfine = (await findSandbox({ network: true })).works;
const SANDBOXES = canConfine ? (['off', 'require'] as const) : (['off'] as const);

const directories = () => fs.readdirSync('/tmp').filter((name) => /^jinn-[0-9a-f]{24}$/.test(name));

/** Expects that no directory stays that has come since. Other tests make some too, at the same time, and remove them. */
async function expectNoneLeft(before: readonly string[]): Promise<void> {
  const come = directories().filter((name) => !before.includes(name));
  await expect.poll(() => directories().filter((name) => come.includes(name))).toEqual([]);
}

test('answers short output as it is', async () => {
  const { run } = scene();
  const answer = await run('printf "a\\nb\\n"; echo oops >&2; exit 3');
  expect(answer).toMatchObject({ ok: true, classification: 'error', risk: 'safe' });
  expect(answer.data).toEqual({ stdout: 'a\nb\n', stderr: 'oops\n', exit_code: 3 });
  expect((await run('grep x /dev/null')).classification).toBe('expected_nonzero');
  expect((await run("printf '\\033[31mred\\033[0m'")).data.stdout).toBe('red');
});

test('puts long output into a buffer, and shows its first and last lines', async () => {
  const { run, read } = scene();
  const { data, truncated } = await run('seq 1 5000; seq 1 3000 >&2');
  expect(data).toMatchObject({
    exit_code: 0,
    total_lines: 5_000,
    stderr_lines: 3_000,
    truncated: true,
  });
  expect(data.output_id).toMatch(/^@cmd_[0-9a-f]{8}$/);
  const lines = data.stdout.split('\n');
  expect([...lines.slice(0, 3), lines.at(-1), lines.length]).toEqual([
    '1',
    '[4,799 lines like `2`]',
    '4801',
    '5000',
    202,
  ]);
  expect(truncated).toBe(true);
  expect(await read({ path: data.output_id, start_line: 4_999 })).toEqual({
    content: '4999\n5000\n',
    total_lines: 5_000,
  });
  expect((await read({ path: `${data.output_id}.err` })).total_lines).toBe(3_000);
});

test('shows the failures in the middle of a long output', async () => {
  const command = 'seq 1 3000; for i in {1..9}; do echo "a.c:$i:1: error: x$i"; done >&2; seq 1 3000 | tee /dev/stderr';
  const { data } = await scene().run(`${command}; seq 1 300; echo "Killed: not found"; seq 1 300`);
  for (let i = 1; i <= 9; i++) expect(data.stderr).toContain(`a.c:${i}:1: error: x${i}\n`);
  expect(data.stdout).toContain('Killed: not found\n');
});

test.for(SANDBOXES)('runs queries of buffers, with the sandbox %s, and leaves no file behind', async (mode) => {
  const { run } = scene({ sandbox: { mode } });
  const before = directories();
  const first = (await run("seq 1 5000; printf 'é\\377\\n' >&2")).data.output_id;
  const second = (await run('seq 2 5001')).data.output_id;
  expect((await run(`grep -n '^777$' ${first}`)).data).toMatchObject({ stdout: '777:777\n', exit_code: 0 });
  expect((await run(`sed -n '42,43p' ${first}`)).data.stdout).toBe('42\n43\n');
  expect((await run(`diff ${first} ${second}`)).data).toMatchObject({
    stdout: '1d0\n< 1\n5000a5000\n> 5001\n',
    exit_code: 1,
  });
  expect((await run(`wc -c < ${first}.err; cat ${first}.err ${first} | head -c 4 | od -An -tx1`)).data.stdout).toBe(
    '4\n c3 a9 ff 0a\n',
  );
  expect((await run(`grep -c 1 ${first} ${second}`)).data.stdout).toContain(`${first}:`);
  expect((await run(`wc -l ${first}; false`)).data).toMatchObject({ stdout: `5000 ${first}\n`, exit_code: 1 });
  await expectNoneLeft(before);
});

test('never puts the answer of a query into a buffer, and keeps the line numbers', async () => {
  const { run, at } = scene();
  const id = (await run('seq 1 50000')).data.output_id;
  const records = () => fs.readdirSync(`${at.state}/spill`).filter((name) => name.endsWith('.record')).length;
  const count = records();
  const { data, truncated } = await run(`grep -n 1 ${id}; awk '{print > "/dev/stderr"}' ${id}`);
  expect(data.output_id).toBeUndefined();
  expect(data).toMatchObject({
    truncated: true,
    stderr_shown: 20,
    stderr_total: 50_000,
    stdout_shown: 80,
    exit_code: 0,
  });
  expect(data.stdout.split('\n')[1]).toBe('10:10');
  expect(data.hint).toContain("put { and ; } around the whole command, and add | sed -n '81,180p'");
  expect(truncated).toBe(true);
  expect(records()).toBe(count);
});

test('names a next page that follows, in a pipeline and in several', async () => {
  const { run } = scene();
  const id = (await run('seq 1 9000')).data.output_id;
  const one = (await run(`cat ${id}`)).data;
  expect(one.hint).toMatch(/page: add \| sed -n '101,200p'$/);
  expect((await run(`cat ${id} | sed -n '101,200p'`)).data.stdout.split('\n')[0]).toBe('101');
  const two = (await run(`cat ${id}; cat ${id}`)).data;
  const [, page] = /put \{ and ; \} around the whole command, and add (.*)/.exec(two.hint) ?? expect.fail(two.hint);
  const next = (await run(`{ cat ${id}; cat ${id}; } ${page}`)).data;
  expect(next.stdout.split('\n')[0]).toBe(String(two.stdout_shown + 1));
});

test.for([
  'cat REF; seq 1 5000',
  'grep -c 1 REF && bash gen.sh',
  'cat REF | xargs -n 50 echo',
  'echo "$(bash gen.sh)"; cat REF',
  '{ wc -l REF; bash gen.sh; }',
] as const)('keeps the output of %s, which does more than query a buffer', async (command) => {
  const { run, read } = scene({ files: { 'gen.sh': 'seq 1 5000\n' } });
  const script = (await run("seq 1 3000 | sed 's/.*/echo &/'")).data.output_id;
  const { data } = await run(command.replace('REF', script));
  expect(data.output_id).toMatch(/^@cmd_/);
  expect(JSON.stringify(await read({ path: data.output_id, start_line: data.total_lines }))).toMatch(/[35]000/);
});

test.for([
  'cat REF REF',
  'grep 1 REF | sort -r; echo ---; cat REF',
  'for i in 1 2; do grep $i REF; done',
  'while read -r line; do echo $line; done < REF',
  'set -o pipefail; x=$(cat REF); cat REF',
])('keeps nothing of %s, which only queries a buffer', async (command) => {
  const { run } = scene();
  const id = (await run('seq 1 9000')).data.output_id;
  const { data } = await run(command.replaceAll('REF', id));
  expect(data).toMatchObject({ exit_code: 0, truncated: true, stdout_total: expect.any(Number) });
  expect(data).not.toHaveProperty('output_id');
});

test.for(['echo x > REF', 'cat a >> REF', '{ echo x; } &> "REF"', '(ls | cat >| REF.err)'])(
  'refuses %s, which would write to a buffer',
  async (command) => {
    const { run, at } = scene({ files: { a: 'a\n' } });
    const id = (await run('seq 1 5000')).data.output_id;
    const answer = await run(`touch made; ${command.replace('REF', id)}`);
    expect(answer).toMatchObject({
      error_code: 'invalid_args',
      suggestion: expect.stringContaining('nothing was run'),
    });
    expect(answer.error).toContain(`cannot write to a buffer: ${id}`);
    expect(fs.existsSync(path.join(at.root, 'made'))).toBe(false);
  },
);

test('does not let a program change a buffer in the sandbox', async () => {
  const { run } = scene({ sandbox: { mode: 'require' } });
  const id = (await run('seq 1 5000')).data.output_id;
  const changed = await run(`dd if=/dev/zero of=${id} count=1; head -1 ${id}`, { acknowledge_risk: true });
  expect(changed.data).toMatchObject({ stdout: '1\n', stderr: expect.stringContaining('Read-only') });
});

test('reads buffers whose paths need quotes, in quotes too', async () => {
  const { run, read } = scene({ files: { "it's a.txt": `${'x'.repeat(70)}\n`.repeat(300) } });
  const { file_id } = await read({ path: "it's a.txt" });
  expect((await run(`wc -l < "${file_id}"; head -c 3 '${file_id}'`)).data.stdout).toBe('300\nxxx');
});

test.for(SANDBOXES)('tells of parts of pipelines that failed, with the sandbox %s', async (mode) => {
  const { run } = scene({ sandbox: { mode } });
  const failed = { exit_code: 0, failed_parts: [{ command: 'cat nofile', exit_code: 1, decided_by: 'tail' }] };
  const filtered = await run('cat nofile | tail -1');
  expect(filtered).toMatchObject({ classification: 'error', data: failed });
  const id = (await run('seq 1 5000')).data.output_id;
  const query = await run(`cat ${id} nofile | tail -1`);
  expect(query).toMatchObject({ classification: 'error', data: { stdout: '5000\n', exit_code: 0 } });
  expect(query.data.failed_parts).toMatchObject([{ exit_code: 1, decided_by: 'tail' }]);
  expect((await run(`yes | head -1; head -1 ${id} | wc -l`)).data).not.toHaveProperty('failed_parts');
});

test('ends a command at its deadline, and says what to do', async () => {
  const before = directories();
  const { run } = scene();
  const { data, classification } = await run('echo begun; sleep 60 | cat | grep x', { timeout_secs: 2 });
  expect(data).toMatchObject({
    timed_out: true,
    exit_code: 124,
    stdout: 'begun\n',
    hint: expect.stringContaining('run_in_background'),
  });
  expect(classification).toBe('timeout');
  await expectNoneLeft(before);
});

test('stops a command that writes too much, and keeps what it wrote', { tags: 'slow' }, async () => {
  const { run, read } = scene();
  const answer = await run('yes 0123456789012345678901234567890123456789');
  expect(answer).toMatchObject({ ok: false, error_code: 'resource_limit' });
  const id = /@cmd_[0-9a-f]{8}/.exec(answer.suggestion ?? '')?.[0];
  expect((await read({ path: id })).total_lines).toBeGreaterThan(1_000_000);
});

test('reads source files and pipes without redirects by policy', async () => {
  const { run } = scene({ files: { 'a.ts': 'one\ntwo\n' } });
  expect((await run('cat a.ts | head -1')).data.stdout).toBe('one\n');
  expect((await run("sed -n '2p' a.ts")).data.stdout).toBe('two\n');
});

test('runs in a directory of the project', async () => {
  const { run } = scene({ files: { 'd/x': '' } });
  expect((await run('ls', { cwd: 'd' })).data.stdout).toBe('x\n');
  expect(await run('ls', { cwd: '..' })).toMatchObject({ error_code: 'path_outside_sandbox' });
});

test('ends the command when the request is canceled, and leaves no file behind', async () => {
  const before = directories();
  const controller = new AbortController();
  const { run } = scene({ signal: controller.signal });
  setTimeout(() => controller.abort(), 300);
  expect(await run('sleep 60 | tail -1')).toMatchObject({ ok: false, error_code: 'canceled' });
  await expectNoneLeft(before);
});

test.for([
  ["printf '%s' 'a @cmd_00000000 b'", 'a @cmd_00000000 b'],
  ['echo "@file_00000000.err" \\@x', '@file_00000000.err @x\n'],
  ["echo it\\'s '@cmd_00000000'", "it's @cmd_00000000\n"],
])('what is in quotes and is no buffer is text: %s', async ([command = '', stdout]) => {
  const { data, meta } = await scene().run(command);
  expect(data.stdout).toBe(stdout);
  const warning = expect.stringMatching(/^there is no buffer @\w+(\.err)?: it was taken as text$/);
  expect(meta).toMatchObject({ warnings: [warning] });
});

test('a buffer in quotes is read, and one that is unknown beside it is text', async () => {
  const { run } = scene();
  const { data } = await run('seq 1 5000');
  const query = await run(`grep -c '' "${data.output_id}"; echo '@cmd_00000000' @'${data.output_id.slice(1)}'`);
  expect(query.data.stdout).toBe(`5000\n@cmd_00000000 ${data.output_id}\n`);
  for (const command of [`echo "@cmd_00000000" @cmd_00000000`, "echo \\'@cmd_00000000\\'"]) {
    expect(await run(command)).toMatchObject({ ok: false, error_code: 'not_found' });
  }
});

test('takes timeout for timeout_secs', async () => {
  expect((await scene().run('sleep 60', { timeout: '1' })).data.timed_out).toBe(true);
});

test.for([
  ['an empty command', ' ', 'invalid_args'],
  ['a NUL', 'echo \0', 'invalid_args'],
  ['a command that is too long', `echo ${'x'.repeat(140_000)}`, 'invalid_args'],
  ['an unknown reference', 'cat @cmd_00000000', 'not_found'],
  ['an unknown handle', '@ack_00000000', 'not_found'],
  ['a job of another session', 'kill @bg_00000000', 'not_found'],
] as const)('refuses %s', async ([, command, error_code]) => {
  expect(await scene().run(command)).toMatchObject({ ok: false, error_code, suggestion: expect.any(String) });
});

test('refuses a dangerous command until it is acknowledged, on stdio', async () => {
  const { run, at } = scene({ files: { 'd/x': '' } });
  const refused = await run('rm -rf d');
  expect(refused).toMatchObject({ ok: false, error_code: 'command_blocked', risk: 'dangerous' });
  const handle = (refused.meta as { pending_ack: string }).pending_ack;
  expect(refused.suggestion).toContain(handle);
  expect(fs.existsSync(path.join(at.root, 'd/x'))).toBe(true);
  expect(await run(handle)).toMatchObject({ ok: true, risk: 'dangerous' });
  expect(fs.existsSync(path.join(at.root, 'd'))).toBe(false);
  expect(await run('rm -rf d', { acknowledge_risk: true })).toMatchObject({ ok: true });
});

test('a handle is good for one run, and stands for the call as it was refused', async () => {
  const { run, at } = scene({ files: { 'a/d/x': '', 'd/x': '' } });
  const handleOf = async (args: object) => ((await run('rm -rf d', args)).meta as { pending_ack: string }).pending_ack;
  const handle = await handleOf({ cwd: 'a' });
  const inRoot = await handleOf({});
  expect(await run(handle, { cwd: 'd' })).toMatchObject({ ok: true });
  expect([fs.existsSync(`${at.root}/a/d`), fs.existsSync(`${at.root}/d/x`)]).toEqual([false, true]);
  fs.mkdirSync(`${at.root}/a/d`);
  expect(await run(handle)).toMatchObject({ ok: false, error_code: 'not_found' });
  const both = await Promise.all([run(inRoot, { cwd: 'a' }), run(inRoot)]);
  expect(both.map(({ ok }) => ok).sort()).toEqual([false, true]);
  expect([fs.existsSync(`${at.root}/a/d`), fs.existsSync(`${at.root}/d`)]).toEqual([true, false]);
});

test('"always" is for the directory and the background too, and not offered for what reads buffers', async () => {
  const asked: Question[] = [];
  const ask = async (question: Question): Promise<Answer> => {
    asked.push(question);
    return 'always';
  };
  const { run } = scene({ files: { 'd/x': '' }, dangerous: 'ask', ask });
  const { data } = await run('seq 1 5000');
  for (const args of [{}, { cwd: 'd' }, { run_in_background: true }]) {
    await run('rm -rf e', args);
    await run('rm -rf e', args);
  }
  expect(asked).toHaveLength(3);
  for (let times = 0; times < 2; times++) await run(`rm -rf e ${data.output_id}`);
  expect(asked).toHaveLength(5);
  expect(asked[4]?.message).toContain('reads buffers, which are not shown');
});

test('lets no handle and no argument answer for the person', async () => {
  const asked: Question[] = [];
  const ask = (answer: Answer) => async (question: Question) => {
    asked.push(question);
    return answer;
  };
  const files = { 'd/x': '' };
  const base = scene({ files });
  const handle = ((await base.run('rm -rf d')).meta as { pending_ack: string }).pending_ack;
  const denied = scene({ ...base.at, dangerous: 'ask', ask: ask('deny') });
  expect(await denied.run(handle, { acknowledge_risk: true })).toMatchObject({ error_code: 'command_blocked' });
  expect(asked[0]?.message).toContain('rm -rf d');
  const alone = scene({ ...base.at, dangerous: 'ask' });
  const refused = await alone.run('rm -rf d', { acknowledge_risk: true });
  expect(refused).toMatchObject({ error_code: 'command_blocked' });
  expect(JSON.stringify(refused)).not.toContain('@ack_');
  const off = scene({ ...base.at, dangerous: 'deny', ask: ask('once') });
  expect(await off.run(handle, { acknowledge_risk: true })).toMatchObject({ error_code: 'command_blocked' });
  expect(fs.existsSync(path.join(base.at.root, 'd/x'))).toBe(true);
  const allowed = scene({ ...base.at, dangerous: 'ask', ask: ask('once') });
  expect(await allowed.run(handle)).toMatchObject({ ok: true });
  expect(fs.existsSync(path.join(base.at.root, 'd'))).toBe(false);
});

test('answers early for a background command, whose output can be read and which can be ended', async () => {
  const { run, read } = scene();
  const { data } = await run('echo up; echo warm >&2; sleep 300', { run_in_background: true });
  expect(data).toMatchObject({
    running: true,
    stdout: 'up',
    stderr: 'warm',
    output_id: expect.stringMatching(/^@bg_[0-9a-f]{8}$/),
  });
  expect(data.hint).toContain(
    `"kill ${data.output_id}". It stops with this session: at once, if this process serves one`,
  );
  expect(await read({ path: data.output_id })).toEqual({ content: 'up\n', total_lines: 1, running: true });
  expect((await run(`tail -1 ${data.output_id}`)).data.stdout).toBe('up\n');
  expect((await run(`kill ${data.output_id}`)).data).toEqual({ output_id: data.output_id, stopped: true });
  expect(await read({ path: data.output_id })).toEqual({ content: 'up\n', total_lines: 1 });
  expect((await run(`kill ${data.output_id}`)).data.stopped).toBe(false);
});

test('answers at once for a background command that ends', async () => {
  const session = createSession();
  const { run } = scene({ session });
  const ended = run('echo done; exit 7', { run_in_background: true });
  const running = run('sleep 300', { run_in_background: true });
  const { data } = await Promise.race([ended, running]);
  expect(data).toMatchObject({ running: false, exit_code: 7, stdout: 'done' });
  expect(data.hint).not.toContain('kill');
  await session.close();
  await running;
});

test('runs at most 16 background commands, however many start at once', { tags: 'slow', timeout: 60_000 }, async () => {
  const { run } = scene();
  const background = () => run('sleep 300', { run_in_background: true });
  const answers = await Promise.all(Array.from({ length: 18 }, background));
  expect(answers.filter(({ ok }) => ok)).toHaveLength(16);
  expect(await background()).toMatchObject({
    error_code: 'resource_limit',
    suggestion: expect.stringContaining('kill'),
  });
});

test('ends background commands with the session', { tags: 'slow' }, async () => {
  const session = createSession();
  const { run, at } = scene({ session });
  await run('while :; do date +%s%N > tick; sleep 0.05; done', { run_in_background: true });
  await session.close();
  const tick = () => fs.readFileSync(path.join(at.root, 'tick'), 'utf8');
  const last = tick();
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(tick()).toBe(last);
});

test('reads a buffer in the next process', async () => {
  const { run, at } = scene();
  const { data } = await run('seq 1 5000');
  const next = scene({ root: at.root, state: at.state });
  expect((await next.run(`sed -n 4999p ${data.output_id}`)).data.stdout).toBe('4999\n');
});
