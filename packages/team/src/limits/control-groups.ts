import { createHash } from 'node:crypto';
import fs from 'node:fs';
import type { LimitSettings } from '../people/team-settings.ts';

/** The group that jinn-mcp itself moves to: one that has processes can hand no controllers down. */
const SERVER_GROUP = 'jinn-server';
const PERIOD_US = 100_000;
const BYTES_IN_MB = 1024 * 1024;
const NAME_LENGTH = 16;

/** Makes the control groups of owners, or says why it cannot. */
export type ControlGroups = { readonly groupOf: (owner: string) => string } | { readonly why: string };

export interface ControlGroupOptions {
  readonly proc?: string;
  readonly moves?: boolean;
}

/** Prepares a control group (cgroup v2) for the commands of each person, below that of this process, which moves to one of its own. */
export function openControlGroups(
  limits: LimitSettings,
  { proc = '/proc', moves = true }: ControlGroupOptions = {},
): ControlGroups {
  const needed = toFiles(limits);
  const controllers = [...new Set(needed.map(([file]) => file.split('.')[0] ?? ''))];
  try {
    const base = findOwnGroup(proc);
    if (base === undefined) return { why: 'there is no cgroup v2' };
    const there = fs.readFileSync(`${base}/cgroup.controllers`, 'utf8').split(/\s+/);
    const missing = controllers.filter((name) => !there.includes(name));
    if (missing.length > 0) return { why: `the control group has no ${missing.join(', ')}` };
    if (moves) makeWay(base, controllers);
    const ready = new Set<string>();
    return {
      groupOf: (owner) => {
        const group = `${base}/jinn-${digest(owner)}`;
        if (!ready.has(group)) openGroup(group, needed);
        ready.add(group);
        return group;
      },
    };
  } catch (error) {
    return { why: (error as Error).message };
  }
}

function makeWay(base: string, controllers: readonly string[]): void {
  makeGroup(`${base}/${SERVER_GROUP}`);
  fs.writeFileSync(`${base}/${SERVER_GROUP}/cgroup.procs`, String(process.pid));
  fs.writeFileSync(`${base}/cgroup.subtree_control`, controllers.map((name) => `+${name}`).join(' '));
}

function toFiles({ memory_mb: memory, cpus, processes }: LimitSettings): [string, string][] {
  const files: [string, string][] = [];
  if (memory !== undefined) files.push(['memory.max', String(memory * BYTES_IN_MB)], ['memory.swap.max', '0']);
  if (cpus !== undefined) files.push(['cpu.max', `${Math.ceil(cpus * PERIOD_US)} ${PERIOD_US}`]);
  if (processes !== undefined) files.push(['pids.max', String(processes)]);
  return files;
}

function openGroup(group: string, limits: readonly [string, string][]): void {
  makeGroup(group);
  for (const [file, value] of limits) {
    // Systems without swap have no such file.
    if (file !== 'memory.swap.max' || fs.existsSync(`${group}/${file}`)) fs.writeFileSync(`${group}/${file}`, value);
  }
}

function makeGroup(group: string): void {
  if (!fs.existsSync(group)) fs.mkdirSync(group);
}

function findOwnGroup(proc: string): string | undefined {
  const own = /^0::(\/.*)$/m.exec(fs.readFileSync(`${proc}/self/cgroup`, 'utf8'))?.[1];
  const mount = fs
    .readFileSync(`${proc}/self/mountinfo`, 'utf8')
    .split('\n')
    .find((line) => line.includes(' - cgroup2 '));
  const [, , , root, point] = mount?.split(' ') ?? [];
  if (own === undefined || root === undefined || point === undefined) return undefined;
  const below = root !== '/' && own.startsWith(root) ? own.slice(root.length) : own;
  return `${point}${below}`.replace(/\/$/, '');
}

function digest(owner: string): string {
  return createHash('sha256').update(owner).digest('hex').slice(0, NAME_LENGTH);
}
