import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { bashTool, makeScene, resultOf, toolMd } from './fixture/custom-registry.ts';
import { expectEcho, OTHER_ECHO } from './fixture/echo.ts';
import { has } from './fixture/installed-runtimes.ts';

test.for(OTHER_ECHO)('runs a script of %s', { timeout: 120_000 }, expectEcho);

test('runs a compiled program', async ({ skip }) => {
  if (!has('gcc')) skip('there is no gcc');
  const scene = await makeScene({
    config: { 'tools/t/tool.md': toolMd({ runtime: 'binary', script: 'bin/program' }) },
  });
  const source = `${makeTempDirectory()}/program.c`;
  fs.writeFileSync(source, '#include <stdio.h>\nint main(void) { puts("{\\"compiled\\": true}"); return 0; }\n');
  fs.mkdirSync(`${scene.state}/tools/t/bin`);
  execFileSync('gcc', ['-o', `${scene.state}/tools/t/bin/program`, source]);
  expect(resultOf(await scene.call('tool'))).toEqual({ compiled: true });
});

test('a tool that writes without end is stopped', async () => {
  const scene = await makeScene({ config: bashTool('yes') });
  expect(await scene.call('tool')).toMatchObject({ error_code: 'resource_limit' });
});

test('a deadline holds while a tool writes short lines to standard error', async () => {
  const scene = await makeScene({ config: bashTool('yes e >&2', { timeout: 1_000 }) });
  const started = process.uptime();
  const { error_code } = await scene.call('tool');
  expect(process.uptime() - started).toBeLessThan(15);
  expect(['timeout', 'resource_limit']).toContain(error_code);
});
