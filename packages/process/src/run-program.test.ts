import fs from 'node:fs';
import { ToolError } from '@jinn/core/errors';
import { makeTempDirectory } from '@jinn/testkit';
import { describe, expect, test } from 'vitest';
import { runProgram } from './run-program.ts';

const SHELL = '/bin/sh';

const onLinux = test.runIf(process.platform === 'linux');

interface Options {
  readonly limitMs?: number;
  readonly signal?: AbortSignal;
  readonly onData?: (chunk: Buffer) => void;
  readonly refusesFifos?: boolean;
}

async function run(script: string, { limitMs = 10_000, signal, onData, refusesFifos = false }: Options = {}) {
  let output = '';
  const collect = (chunk: Buffer) => {
    output += chunk;
  };
  const program = { command: SHELL, args: ['-c', script], cwd: makeTempDirectory(), env: { NAME: 'value' }, limitMs };
  const ended = await runProgram({ ...program, signal, refusesFifos, onData: onData ?? collect });
  return { ...ended, output };
}

async function codeOf(running: Promise<unknown>): Promise<unknown> {
  return running.then(
    () => 'none',
    (error) => (error instanceof ToolError ? error.code : (error.code ?? error)),
  );
}

describe('a program', () => {
  test('gives the status, the output and the beginning of what it said of errors', async () => {
    expect(await run('echo out; echo bad >&2; exit 3')).toEqual({
      status: 3,
      stderr: 'bad\n',
      output: 'out\n',
    });
    expect((await run('yes | head -c 100000 >&2')).stderr).toHaveLength(4_096);
  });

  test('gives no input, and no environment but the one that is named', async () => {
    const { output } = await run('cat; env');
    expect(output.split('\n').filter((line) => !/^(PWD|OLDPWD|SHLVL|_)=/.test(line))).toEqual(['NAME=value', '']);
  });

  test('ends a program at its limit, or when the request is canceled', async () => {
    expect(await codeOf(run('sleep 2; true', { limitMs: 50 }))).toBe('timeout');
    const canceling = new AbortController();
    const running = codeOf(run('exec sleep 60', { signal: canceling.signal }));
    canceling.abort();
    expect(await running).toBe('canceled');
    expect(await codeOf(run('exec sleep 60', { signal: AbortSignal.abort() }))).toBe('canceled');
  });

  test('tells of a program that dies, is not there, or cannot be listened to', async () => {
    expect(await codeOf(run('kill -9 $$'))).toBe('internal');
    const missing = { command: '/nowhere/rg', args: [], cwd: '/', env: {}, limitMs: 1_000, onData: () => {} };
    expect(await codeOf(runProgram({ ...missing }))).toBe('ENOENT');
    const script = `${makeTempDirectory()}/script`;
    fs.writeFileSync(script, '#!/no/such/interpreter\n', { mode: 0o755 });
    expect(await codeOf(runProgram({ ...missing, command: script }))).not.toBe('none');
    const fault = new Error('no');
    const onData = () => {
      throw fault;
    };
    expect(await codeOf(run('exec yes', { onData }))).toBe(fault);
  });

  onLinux.each([
    ['opens', 'mkfifo f; exec cat f'],
    ['opens, which is removed then', 'mkfifo f; (sleep 0.1; rm f) & exec cat f'],
    ['reads, of which a writer says nothing', 'mkfifo f; exec 3<>f; exec cat f'],
  ])('ends a program at a FIFO that it %s', async (_, script) => {
    expect(await codeOf(run(script, { refusesFifos: true }))).toBe('not_a_file');
  });

  onLinux('lets a program wait for what it has started', async () => {
    const { output } = await run('mkfifo f; x=$(sleep 0.7; echo late); echo $x', { refusesFifos: true });
    expect(output).toBe('late\n');
  });
});
