import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { BARE_NODE, median, medians, oneShot, openSession, scratch } from './measure.mjs';

const BASH = { command: 'bash', args: ['-c', 'true'] };
const REQUEST = { tool: 'run_shell', args: { command: 'true' } };
const ROUNDS = 101;

/** Measures a command through jinn beside the command itself. */
export const running = [
  {
    what: '`run_shell` of `true` in a session',
    peer: '`bash -c true`',
    target: { extraMs: 3 },
    run: () => inSession(['--sandbox=off']),
  },
  {
    what: 'the same in the sandbox',
    peer: '`bash -c true`',
    target: { extraMs: 8 },
    run: () => inSession(['--sandbox=require']),
  },
  {
    what: 'the same in the sandbox',
    peer: '`bwrap` with the same mounts, `bash -c true`',
    target: { ratio: 2 },
    run: () => inSession(['--sandbox=require'], bareBubblewrap),
  },
  {
    what: 'one-shot `run_shell` of `true`',
    peer: '`node -e 0` and `bash -c true`',
    target: { extraMs: 15 },
    run() {
      const [node, bash, ours] = medians([BARE_NODE, BASH, oneShot(REQUEST, scratch('shell'))], 41);
      return { ours, theirs: node + bash };
    },
  },
];

/** Returns the median times of a call and of the command alone; they take turns. */
async function inSession(flags, findPeer = () => BASH) {
  const session = openSession(scratch('shell'), { flags });
  const peer = await findPeer(session);
  const [ours, theirs] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(await timeOf(() => ask(session)));
    theirs.push(await timeOf(() => runPeer(peer)));
  }
  session.close();
  return { ours: median(ours), theirs: median(theirs) };
}

async function ask(session, request = REQUEST) {
  session.send(request);
  const answer = await session.receive();
  if (!answer.startsWith('{"ok":true')) throw new Error(answer);
  return JSON.parse(answer).result;
}

function runPeer({ command, args }) {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command}: ${stderr}`);
}

/** Returns the command of a plain bubblewrap that makes every mount that a command in the sandbox of a session sees. */
async function bareBubblewrap(session) {
  const inside = await ask(session, { tool: 'run_shell', args: { command: 'cat /proc/self/mountinfo' } });
  const outside = new Set(readMounts(fs.readFileSync('/proc/self/mountinfo', 'utf8')).map(({ place }) => place));
  const mounts = readMounts(inside).filter(({ place }) => !outside.has(place) && !/^\/(proc|dev|run)\b/.test(place));
  const spaces = ['user', 'pid', 'ipc', 'uts'].map((name) => `--unshare-${name}`);
  const system = ['--cap-drop', 'ALL', '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/run'];
  const args = [...spaces, ...system, ...mounts.flatMap(toArguments), '--', BASH.command, ...BASH.args];
  return { command: 'bwrap', args };
}

/** Reads proc_pid_mountinfo(5). */
function readMounts(text) {
  const lines = text.split('\n').map((line) => line.split(' '));
  const mounts = lines.filter((fields) => fields.length > 6 && fields[4].startsWith('/'));
  return mounts.map(([, , , from, place, options]) => ({ from, place, isWritable: options.startsWith('rw') }));
}

/** What is hidden has an empty file or directory of the sandbox in its place. */
function toArguments({ from, place, isWritable }) {
  if (from.startsWith('/jinn/')) {
    return fs.statSync(place).isDirectory() ? ['--tmpfs', place] : ['--ro-bind', '/dev/null', place];
  }
  return [isWritable ? '--bind' : '--ro-bind', from, place];
}

async function timeOf(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
