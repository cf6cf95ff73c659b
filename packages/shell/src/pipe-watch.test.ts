import { createSession } from '@jinn/core';
import { findSandbox } from '@jinn/process/sandbox';
import { call } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { PipeWatch, watchPipes } from './exit-class.ts';
import { readCommand } from './risk/index.ts';
import { runShell } from './run-shell.ts';

const canConfine = (await findSandbox({ network: true })).works;
const run = (command: string, args: object = {}) => call(runShell, { command, ...args });

test('tells of a part that failed before the one that decided', async () => {
  const answer = await run('(echo no; exit 3) | tail -1');
  expect(answer).toMatchObject({ ok: true, classification: 'error' });
  expect(answer.result).toBe(
    '[exit: 0, but (echo no; exit 3) ended with 3: tail decided]\nno\n[classification: error — a part of a pipeline failed]',
  );
  expect(answer.meta).toMatchObject({
    exit_code: 0,
    failed_parts: [{ command: '(echo no; exit 3)', exit_code: 3, decided_by: 'tail' }],
  });
});

test.for([
  ['false | true; echo done', '0, but false ended with 1: true decided'],
  ['false | true; true | false', '1, and false ended with 1: true decided'],
  [
    'ls nope 2>&1 | tail -1 && nosuch | cat',
    '0, but ls nope ended with 2: tail decided; nosuch ended with 127: cat decided',
  ],
  ['sh -c "exit 7" | false', '1, and sh ended with 7: false decided'],
  ['(cd / && false | true)', '0, but false ended with 1: true decided'],
  ['if false | true; then false | cat; fi', '0, but false ended with 1: true decided; false ended with 1: cat decided'],
  ['false | true | false | true', '0, but false ended with 1: true decided; false ended with 1: true decided'],
  ['false | grep x', '1, and false ended with 1: grep x decided'],
  ['! false | true', '1, and false ended with 1: true decided'],
  ['grep x nofile | wc -l', '0, but grep x ended with 2: wc decided'],
  ['set -o pipefail; (exit 3) | false | true; true', '0, but (exit 3) ended with 3: false decided'],
  ['false | true;'.repeat(7), `0, but ${'false ended with 1: true decided; '.repeat(5)}2 more`],
  ['false | cat <<E\n|\nE', '0, but false ended with 1: cat decided'],
  ['for i in 1 2; do false | tail -1; done', '0, but false ended with 1: tail decided'],
  [
    'for i in 3 0 4; do (exit $i) | cat; done; false | cat',
    '0, but (exit $i) ended with 3: cat decided; (exit $i) ended with 4: cat decided; false ended with 1: cat decided',
  ],
  [
    'while read -r i; do case $i in a) false | cat;; *) true | cat; esac; done <<<a',
    '0, but false ended with 1: cat decided',
  ],
] as const)('%s: [exit: %s]', async ([command, status]) => {
  const answer = await run(command);
  expect(answer.classification).toBe('error');
  expect(answer.result).toMatch(new RegExp(`^\\[exit: ${status.replace(/[()$]/g, '\\$&')}\\]\n`));
});

test.for([
  ['yes | head -1', 'success'],
  ['true | grep x | wc -l', 'success'],
  ['diff /etc/passwd /dev/null | tail -1', 'success'],
  ['set -o pipefail; false | true', 'error'],
  ['set -o pipefail; yes | head -1; true', 'success'],
  ['true | false', 'error'],
  ['cat /dev/null | grep x', 'expected_nonzero'],
] as const)('has nothing to tell of %s', async ([command, classification]) => {
  const answer = await run(command);
  expect(answer.result).toMatch(/^\[exit: \d+\]\n/);
  expect(answer.classification).toBe(classification);
  expect(answer.meta).not.toHaveProperty('failed_parts');
});

/** A comment that names PIPESTATUS has jinn run the command as it stands. */
const ALONE = '\n# PIPESTATUS';

test.for([
  'false | true; echo $?',
  'true | (exit 4); echo $?',
  'set -o pipefail; (exit 4) | true; echo $?',
  'set -e; (exit 4) | true; true | (exit 5); echo never',
  'set -eu; false | cat && echo yes || echo no',
  'set -x; true | true; echo $?',
  'PS4="> "; set -x; (set +x; false | true); echo $?',
  'IFS=0; false | (exit 100); echo "$?"',
  'readonly IFS; false | true; echo $?',
  'printf() { echo mine; }; exit() { echo mine; }; set() { echo mine; }; yes | head -1; echo $?',
  '! false | true; echo $?',
  'false | true && echo a || echo b; nosuch | nosuch; echo $?',
  'shopt -s lastpipe; echo x | read -r line; echo "$line"',
  'echo a | cat; echo b >&2 | cat; echo c',
  'false | cat <<E; echo $LINENO\n$((1+1))\nE\necho $LINENO',
  'nosuch |\n cat\nnosuch',
  'declare -F; false | true; declare -F; compgen -v | grep -c jinn; ls /proc/self/fd | wc -l',
  'false | sh -c "kill -9 \\$\\$"; echo $?',
  'echo x | (cat; exit 3) &\nwait $!; echo $?',
  'false | true; exit 9',
  'printf "\\036abc" >&2; false | true; printf "\\036" >&2',
  '(false | true) 2>&1; { false | cat; } 2>&1 | cat -A',
  'exec 9<<<nine; false | true; cat <&9',
  'f() { false | true; return 6; }; f | cat; f; echo $?',
  'a=1; false | a=2; echo $a',
  'false | true; exec 2>&1; false | true; echo end',
  'eval "exec 2>&1"; false | true; echo end',
  'eval "exec 2>log"; false | true; echo $?; wc -c <log',
  // A pipe that is full, for a write that does not wait.
  `mkfifo f; eval "exec 2<>f"; perl -MFcntl -e 'fcntl STDERR, F_SETFL, O_NONBLOCK | O_RDWR; 1 while syswrite STDERR, "x" x 4096'; set -e; true | true; echo reached`,
  'false | true 2>&-; echo $?',
  'umask 777; set -C; false | true; echo $?',
  'for i in 1 2 3; do false | cat; [ $i = 2 ] && break; done; echo $? $i',
  'set -e; for i in 1 2; do true | (exit 5); done; echo never',
  'n=0; while echo $n | grep -qv 3; do n=$((n + 1)); done; echo $? $n',
  'shopt -s lastpipe; for i in 1 2; do true | break; done; echo $i',
  'while read -r a; do echo $a | tr a b; done <<<a; case x in x) false | true;; esac; echo $?',
])('%j writes and ends as it does alone', async (command) => {
  const [alone, watched] = await Promise.all(
    [command + ALONE, command].map(async (text) => {
      const { meta } = await run(text, { streams: true, force: true });
      const { stdout, stderr, exit_code } = meta as { stdout: string; stderr: string; exit_code: number };
      return { stdout, stderr: stderr.replace(/\d+ (?=Exit|Killed)/g, ''), exit_code };
    }),
  );
  expect(watched).toEqual(alone);
});

test.skipIf(!canConfine)('tells of it in the sandbox and of background jobs too', async () => {
  const session = createSession();
  const sandbox = { mode: 'require' } as const;
  const at = { session, sandbox };
  const told = { result: expect.stringMatching(/^\[exit: 0, but false ended/) };
  expect(await call(runShell, { command: 'false | cat' }, at)).toMatchObject(told);
  await call(runShell, { command: 'false | cat', background: true }, at);
  await expect.poll(() => call(runShell, { job: 'job-1' }, at)).toMatchObject(told);
  await session.close();
});

test('leaves a command alone that would become too long', () => {
  const commandFor = (text: string, maxBytes: number) =>
    watchPipes({ command: text, verdict: readCommand(text) }, maxBytes).command;
  const command = `true | true #${'x'.repeat(100)}`;
  expect(commandFor(command, 1_000)).not.toBe(command);
  expect(commandFor(command + ALONE, 1_000)).toBe(command + ALONE);
  expect(commandFor(command, 200)).toBe(command);
});

test('finds reports however they are cut, and gives all else as it came', () => {
  const parts = ['a', 'b'].map((name) => ({ name, decider: undefined }));
  const text = 'x\x1eab0 =0;\x1eab0 1;\x1eab0 0;y\x1eab0\x1eab1 é\x1e';
  for (let size = 1; size < 30; size++) {
    const watch = new PipeWatch({ text: '', pipelines: [parts] }, 'ab');
    const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
      text.slice(i * size, (i + 1) * size),
    );
    const taken = [
      ...pieces.map((piece) => watch.take('stderr', Buffer.from(piece, 'latin1'))),
      watch.finish('stderr'),
    ];
    expect(Buffer.concat(taken).toString('latin1')).toBe('xy\x1eab0\x1eab1 é\x1e');
    expect(watch.failedParts).toEqual([{ command: 'a', exit_code: 1, decided_by: 'b' }]);
  }
});

test('does not believe reports that cannot be', () => {
  const watch = new PipeWatch(
    {
      text: '',
      pipelines: [
        [
          { name: 'a', decider: undefined },
          { name: 'b', decider: undefined },
        ],
      ],
    },
    'ab',
  );
  watch.take('stderr', Buffer.from(`\x1eab0 =1;\x1eab7 =1;\x1eab0 =1;\x1eab0 1;\x1eab0 =0;${'\x1eab0 0;'.repeat(9)}`));
  expect(watch.failedParts).toEqual([]);
});
