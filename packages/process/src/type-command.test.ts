import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startCommand } from './start-command.ts';

function start(script: string, input: 'pipe' | 'terminal') {
  let said = '';
  const environment = { PATH: process.env['PATH'] ?? '', TERM: 'dumb' };
  const command = { argv: ['/bin/bash', '-c', script], cwd: '/', environment, stdin: undefined, input };
  const running = startCommand(command, (_, chunk) => {
    said += chunk.toString();
  });
  return { ...running, send: (text: string) => running.type?.(Buffer.from(text)), said: () => said };
}

test('a pipe takes text, and its end', async () => {
  const { send, said, ended } = start('while read -r line; do echo "<$line>"; done; echo over', 'pipe');
  send('one\ntw');
  await expect.poll(said).toBe('<one>\n');
  send('o\n');
  await expect.poll(said).toBe('<one>\n<two>\n');
  send('');
  expect(await ended).toMatchObject({ exitCode: 0, leftRunning: false });
  expect(said()).toBe('<one>\n<two>\nover\n');
});

test('a text larger than a pipe arrives whole, and what no one reads is counted', async () => {
  const { send, said, ended, typing } = start('sleep 0.3; wc -c; exec <&-', 'pipe');
  send('x'.repeat(1_000_000));
  expect(typing?.().waiting).toBeGreaterThan(900_000);
  send('');
  await ended;
  expect(said().trim()).toBe('1000000');
  const deaf = start('exec <&-; sleep 0.5', 'pipe');
  await sleep(200);
  deaf.send('x'.repeat(500_000));
  await expect.poll(() => deaf.typing?.().waiting).toBe(0);
  await deaf.ended;
});

test.runIf(process.platform === 'linux')(
  'a terminal is one, has a size and echoes, and says when it hides',
  async () => {
    const script = `test -t 0 && test -t 1 && test -t 2 && stty size </dev/tty; read -rp "name: " n; read -rsp "word: " w; echo; echo "$n:\${#w}"`;
    const { send, said, ended, typing } = start(script, 'terminal');
    await expect.poll(said).toBe('40 200\r\nname: ');
    expect(typing?.().isHidden).toBe(false);
    send('me\n');
    await expect.poll(said).toContain('word: ');
    await expect.poll(() => typing?.().isHidden).toBe(true);
    send('hunter2\n');
    expect(await ended).toMatchObject({ exitCode: 0 });
    expect(said()).toBe('40 200\r\nname: me\r\nword: \r\nme:7\r\n');
  },
);

test.runIf(process.platform === 'linux')(
  'Ctrl-C and Ctrl-D work, and the next command has its order of output again',
  async () => {
    const one = start('trap "echo; echo stopped" INT; cat; echo over', 'terminal');
    one.send('a\n');
    await expect.poll(one.said).toContain('a\r\na\r\n');
    one.send('\u0003');
    await expect.poll(one.said).toContain('stopped');
    expect(await one.ended).toMatchObject({ exitCode: 0 });
    const two = start('cat; echo over', 'terminal');
    two.send('\u0004');
    await two.ended;
    expect(two.said()).toContain('over');
    const late = start('exit 3', 'pipe');
    late.send('for no one\n');
    expect(await late.ended).toMatchObject({ exitCode: 3 });
    late.send('too late\n');
    for (let i = 0; i < 20; i++) {
      const racing = start('exit 4', 'pipe');
      const sending = setInterval(() => racing.send('x\n'), 0);
      expect(await racing.ended).toMatchObject({ exitCode: 4 });
      clearInterval(sending);
    }
  },
);

test('stopping ends a command at a terminal, and what it started', async () => {
  const { send, said, ended, stop } = start('bash -i', process.platform === 'linux' ? 'terminal' : 'pipe');
  send("sleep 300 &\nsetsid sleep 301 &\necho u''p\n");
  await expect.poll(said).toMatch(/^up/m);
  stop();
  expect(await ended).toMatchObject({ exitCode: 137 });
});
