import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeTempDirectory } from '../../packages/testkit/src/index.ts';

const CLIENT = 'clients/python';
const EXAMPLE = 'examples/agents/python';
const FOLDERS = [`${CLIENT}/tests`, EXAMPLE];
const JINN = path.resolve('apps/jinn/dist/jinn.cjs');
const NEW_ENOUGH = 'import sys; sys.exit(sys.version_info < (3, 10))';

const isThere = (command: string, ...args: string[]) => spawnSync(command, args).status === 0;
const hasPython = isThere('python3', '-c', NEW_ENOUGH);

/** Runs a program with the client on the path of Python, and the real `jinn` on the path. */
function expectToEndWell(cwd: string, command: string, ...args: string[]): void {
  const bin = makeTempDirectory();
  fs.symlinkSync(JINN, `${bin}/jinn`);
  const env = {
    ...process.env,
    PATH: `${bin}:${process.env['PATH']}`,
    PYTHONPATH: path.resolve(CLIENT, 'src'),
    PYTHONDONTWRITEBYTECODE: '1',
  };
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8', timeout: 280_000 });
  expect(status, `${stdout}\n${stderr}`).toBe(0);
}

const suites = FOLDERS.flatMap((folder) =>
  fs
    .readdirSync(folder)
    .filter((name) => /^test_.*\.py$/.test(name))
    .map((name) => [folder, name] as const),
);

test.skipIf(!hasPython).each(suites)('Python: %s/%s', { timeout: 300_000 }, (folder, name) => {
  expectToEndWell(folder, 'python3', '-W', 'error', '-m', 'unittest', name);
});

test.skipIf(!hasPython || !isThere('mypy', '--version'))('Python: the types of the client and of the example', () => {
  expectToEndWell(CLIENT, 'mypy', 'src', 'tests', 'backend', path.resolve(EXAMPLE));
});
