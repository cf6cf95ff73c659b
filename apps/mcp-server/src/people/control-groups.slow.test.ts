import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';

const REPOSITORY = path.resolve(import.meta.dirname, '../../../..');
const KERNEL = 'linux.uml';
const hasKernel = spawnSync(KERNEL, ['--version']).status === 0;
const TEST = ['vitest', 'run', 'apps/mcp-server/src/people/limits.slow.test.ts', '-t', 'commands have so much memory'];
const MINUTES = 60_000;

/** The first program of the kernel: it runs a test of this repository where all controllers are free. */
const init = (place: string) => `#!/bin/sh
export PATH='${process.env['PATH']}' HOME='${place}/home' CI=1
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t tmpfs tmp /dev/shm
mount -t cgroup2 none /sys/fs/cgroup
ip link set lo up
cd '${REPOSITORY}'
npx ${TEST.map((word) => `'${word}'`).join(' ')} > '${place}/output' 2>&1
halt -f
`;

test.skipIf(!hasKernel)(
  'a kernel with cgroup v2 holds commands to memory, processes and CPU (user-mode-linux)',
  { timeout: 6 * MINUTES },
  () => {
    const place = makeTempDirectory();
    makeTree(place, { init: { content: init(place), mode: 0o755 }, 'home/.keep': '' });
    const root = ['root=/dev/root', 'rootfstype=hostfs', 'rootflags=/', 'rw', `init=${place}/init`];
    const given = ['mem=2500M', ...root, 'con=null', 'con0=fd:0,fd:1'];
    spawnSync(KERNEL, given, { cwd: place, timeout: 5 * MINUTES, env: { ...process.env, HOME: place } });
    const output = fs.readFileSync(`${place}/output`, 'utf8');
    expect(output).toMatch(/1 passed/);
    expect(output).not.toContain('failed');
  },
);
