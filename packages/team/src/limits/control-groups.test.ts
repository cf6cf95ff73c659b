import fs from 'node:fs';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { openControlGroups } from './control-groups.ts';

const ALL = { memory_mb: 100, cpus: 0.5, processes: 50 };

/** Makes the files in which a system tells of a process in the group /a, and those of the group. */
function makeSystem({ cgroup = '0::/a\n', controllers = 'cpuset cpu memory pids\n', root = '/' } = {}) {
  const place = makeTempDirectory();
  const mount = `30 23 0:26 ${root} ${place}/mount rw - cgroup2 cgroup2 rw`;
  makeTree(place, {
    'proc/self/cgroup': cgroup,
    'proc/self/mountinfo': `21 1 8:1 / / rw - ext4 /dev/sda rw\n${mount}\n`,
    'mount/a/cgroup.controllers': controllers,
  });
  return { proc: `${place}/proc`, group: `${place}/mount/a` };
}

test('makes way, and gives each person a group with the limits', () => {
  const { proc, group } = makeSystem();
  const groups = openControlGroups(ALL, { proc });
  if ('why' in groups) throw new Error(groups.why);
  const read = (file: string) => fs.readFileSync(file, 'utf8');
  expect(read(`${group}/jinn-server/cgroup.procs`)).toBe(String(process.pid));
  expect(read(`${group}/cgroup.subtree_control`)).toBe('+memory +cpu +pids');
  const ann = groups.groupOf('person ann');
  expect([groups.groupOf('person ann'), groups.groupOf('person bob') === ann]).toEqual([ann, false]);
  expect(['memory.max', 'cpu.max', 'pids.max'].map((file) => read(`${ann}/${file}`))).toEqual([
    '104857600',
    '50000 100000',
    '50',
  ]);
  expect(fs.existsSync(`${ann}/memory.swap.max`)).toBe(false);
});

test('a group that lacks its limits is not used, and one of an earlier process gets the limits of this one', () => {
  const { proc, group } = makeSystem();
  const groups = openControlGroups(ALL, { proc });
  if ('why' in groups) throw new Error(groups.why);
  const ann = groups.groupOf('person ann');
  makeTree(group, { [`${ann.slice(group.length + 1)}/memory.max`]: '1' });
  const later = openControlGroups(ALL, { proc });
  if ('why' in later) throw new Error(later.why);
  expect([later.groupOf('person ann'), fs.readFileSync(`${ann}/memory.max`, 'utf8')]).toEqual([ann, '104857600']);
  // The kernel refuses a limit: each command fails, until that is mended.
  const next = openControlGroups(ALL, { proc });
  fs.rmSync(`${ann}/cpu.max`);
  fs.mkdirSync(`${ann}/cpu.max`);
  if ('why' in next) throw new Error(next.why);
  for (let i = 0; i < 2; i++) expect(() => next.groupOf('person ann')).toThrow('EISDIR');
});

test('finds the group where a container sees a part of the tree alone', () => {
  const { proc, group } = makeSystem({ cgroup: '0::/outside/a\n', root: '/outside' });
  const groups = openControlGroups({ processes: 5 }, { proc });
  expect('why' in groups ? groups.why : groups.groupOf('ann')).toContain(`${group}/jinn-`);
});

test.each([
  [{ cgroup: '12:memory:/\n' }, 'there is no cgroup v2'],
  [{ controllers: 'cpu\n' }, 'the control group has no memory, pids'],
  [{ cgroup: '0::/missing\n' }, 'ENOENT'],
])('says why there are none: %j', (system, why) => {
  const { proc } = makeSystem(system);
  expect(openControlGroups(ALL, { proc })).toEqual({ why: expect.stringContaining(why) });
});
