import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { expect, test } from 'vitest';
import { makePlace, serve, TOKENS } from '../fixture/serve-isolated.ts';

const canConfine = spawnSync('bwrap', ['--dev-bind', '/', '/', 'true']).status === 0;

test.skipIf(!canConfine)(
  'a sandbox that does not answer is given up, and used as soon as it works',
  { timeout: 90_000 },
  async () => {
    const place = makePlace();
    const program = `${place}/bwrap`;
    fs.writeFileSync(program, '#!/bin/sh\nexec sleep 100\n', { mode: 0o755 });
    const { call, ready, log } = await serve(place, { env: { JINN_MCP_TOKEN: TOKENS }, inPlaceOfBubblewrap: program });
    expect(await ready()).toContain('no command runs');
    await expect.poll(log).toContain('bubblewrap did not end within 10 seconds: no command runs');
    expect(await call('run_shell', { command: 'echo fine' })).toContain('command_blocked');
    fs.copyFileSync('/usr/bin/bwrap', program);
    await expect.poll(ready, { timeout: 30_000, interval: 500 }).toContain('sandbox: bubblewrap');
    expect(await call('run_shell', { command: 'echo fine' })).toContain('fine');
  },
);
