import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const README = fs.readFileSync(path.join(ROOT, 'README.md'), 'utf8');
/** What stands for the rest of a line of output. */
const REST = '{…}';

/** The commands of the README, each with the output that it shows. */
const COMMANDS = [...README.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block = '']) =>
  block
    .split(/^(?=\$ |npm )/m)
    .filter(Boolean)
    .map((text) => {
      const [line = '', ...output] = text.trimEnd().split('\n');
      return { command: line.replace(/^\$ /, ''), output };
    }),
);
/** These set up or install; `scripts/start.mjs`, CI and the tests of the packed programs run them. */
const isSetup = ({ command }: { command: string }) => command.startsWith('npm ');

test('the README has commands of both kinds', () => {
  expect(COMMANDS.filter(isSetup).length).toBeGreaterThan(2);
  expect(COMMANDS.filter((command) => !isSetup(command)).length).toBeGreaterThan(3);
});

test.skipIf(spawnSync('python3', ['--version']).status !== 0)('the commands of the README print what it shows', () => {
  const home = makeTempDirectory();
  fs.mkdirSync(`${home}/bin`);
  fs.symlinkSync(path.join(ROOT, 'apps/jinn/dist/jinn.cjs'), `${home}/bin/jinn`);
  const env = { PATH: `${home}/bin:${process.env['PATH']}`, HOME: home, JINN_CONFIG_DIR: `${home}/config` };
  for (const { command, output } of COMMANDS.filter((each) => !isSetup(each))) {
    const { status, stdout, stderr } = spawnSync('bash', ['-c', command], { cwd: ROOT, env, encoding: 'utf8' });
    expect([command, status], stderr).toEqual([command, 0]);
    const printed = stdout.split('\n');
    for (const [i, line] of output.entries()) {
      const [shown = '', isCut] = line.split(REST);
      expect(isCut === undefined ? printed[i] : printed[i]?.slice(0, shown.length)).toBe(shown);
    }
  }
});

test('the commands that set up name scripts and programs that are there', () => {
  const { scripts } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  for (const { command } of COMMANDS.filter(isSetup)) {
    const [, script] = /^npm (\w+)(?: {2,}#|$)/.exec(command) ?? [];
    const [, app] = /^npm install -g "\$\(npm pack --silent \.\/(apps\/[\w-]+)\)"/.exec(command) ?? [];
    expect(
      script === undefined ? fs.existsSync(path.join(ROOT, `${app}/package.json`)) : script in scripts,
      command,
    ).toBe(true);
  }
});

test('the terminal in the README shows what the commands print', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/cast.mjs', '--check'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
});
