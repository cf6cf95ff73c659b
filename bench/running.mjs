import { spawnSync } from 'node:child_process';
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
    run: () => inSession([]),
  },
  {
    what: 'the same in the sandbox',
    peer: '`bash -c true`',
    target: { extraMs: 8 },
    run: () => inSession(['--sandbox=require']),
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
async function inSession(flags) {
  const session = openSession(scratch('shell'), { flags });
  const [ours, theirs] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(await timeOf(() => ask(session)));
    theirs.push(await timeOf(() => spawnSync(BASH.command, BASH.args)));
  }
  session.close();
  return { ours: median(ours), theirs: median(theirs) };
}

async function ask(session) {
  session.send(REQUEST);
  const answer = await session.receive();
  if (!answer.startsWith('{"ok":true')) throw new Error(answer);
}

async function timeOf(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
