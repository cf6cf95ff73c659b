import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const README = fs.readFileSync(path.join(ROOT, 'README.md'), 'utf8');
/** What stands for the rest of a line of output. */
const REST = '{…}';

/** The commands of the README, each with the output that it shows. A comment after two blanks is not part of a command. */
const COMMANDS = [...README.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block = '']) =>
  block
    .split(/^(?=\$ |npm |jinn|cd )/m)
    .filter(Boolean)
    .map((text) => {
      const [line = '', ...output] = text.trimEnd().split('\n');
      return { command: line.replace(/^\$ /, '').replace(/ {2,}#.*/, ''), output };
    }),
);
/** These set up or install; `scripts/start.mjs`, CI and the tests of the packed programs run them. */
const isSetup = ({ command }: { command: string }) => command.startsWith('npm ');
/** These run until they are stopped, each with what it prints first. */
const UNENDING = new Map([
  ['jinn ui', /^jinn ui runs until Ctrl-C/],
  ['jinn ui --tail', /^jinn ui prints calls until Ctrl-C/],
]);
const SHOWN = COMMANDS.filter((each) => !isSetup(each));

test('the README has commands of both kinds', () => {
  expect(COMMANDS.filter(isSetup).length).toBeGreaterThan(2);
  expect(SHOWN.length).toBeGreaterThan(6);
});

/** A project of somebody who has installed the programs. */
function makeProject() {
  const home = makeTempDirectory();
  const project = `${home}/project`;
  fs.mkdirSync(`${home}/bin`);
  fs.mkdirSync(project);
  for (const [name, file] of Object.entries({
    jinn: 'apps/jinn/dist/jinn.cjs',
    'jinn-mcp': 'apps/mcp-server/dist/jinn-mcp.cjs',
    jinni: 'apps/jinni/dist/jinni.cjs',
  })) {
    fs.symlinkSync(path.join(ROOT, file), `${home}/bin/${name}`);
  }
  fs.copyFileSync(path.join(ROOT, 'LICENSE'), `${project}/LICENSE`);
  fs.writeFileSync(`${project}/cookie.js`, 'export const parseCookie = (text) => text.split(";");\n');
  const env = { PATH: `${home}/bin:${process.env['PATH']}`, HOME: home, JINN_CONFIG_DIR: `${home}/config` };
  return { cwd: project, env };
}

test.runIf(process.platform === 'linux')(
  'the commands of the README print what it shows, in a fresh project',
  async () => {
    const { cwd, env } = makeProject();
    for (const { command, output } of SHOWN) {
      const first = UNENDING.get(command);
      if (first) {
        await expect(firstOutput(command, { cwd, env }), command).resolves.toMatch(first);
        continue;
      }
      const { status, stdout, stderr } = spawnSync('bash', ['-c', command], { cwd, env, encoding: 'utf8' });
      expect([command, status], stderr).toEqual([command, 0]);
      const printed = stdout.split('\n');
      for (const [i, line] of output.entries()) {
        const [shown = '', isCut] = line.split(REST);
        expect(isCut === undefined ? printed[i] : printed[i]?.slice(0, shown.length)).toBe(shown);
      }
    }
  },
);

/** Starts a command in a terminal, and presses Ctrl-C when it has printed something. */
async function firstOutput(command: string, options: { cwd: string; env: NodeJS.ProcessEnv }): Promise<string> {
  const child = spawn('script', ['-qefc', command, '/dev/null'], { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
  const closed = once(child, 'close');
  const [chunk] = await once(child.stdout, 'data');
  child.stdin.write('\u0003');
  await closed;
  return String(chunk);
}

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
