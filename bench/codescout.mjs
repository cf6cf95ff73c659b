import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { countTokens } from './mcp-http.mjs';
import { BARE_NODE, median, medians, oneShot, openSession, scratch } from './measure.mjs';

const FLAGS = ['--toolset', 'codescout'];
const COMMAND = 'seq 5000 | tail -1';
const ROUNDS = 41;

/** Measures the toolset codescout: a read that makes a buffer, and a command. */
export const codescout = [
  {
    what: 'codescout: one-shot `read_file` of 3,000 lines, with a `@file_` reference',
    peer: '`node -e 0`',
    target: { extraMs: 25 },
    run() {
      const cwd = scratch('codescout');
      fs.writeFileSync(path.join(cwd, 'f.txt'), 'a line of text\n'.repeat(3_000));
      const ours = oneShot({ tool: 'read_file', args: { path: 'f.txt' } }, cwd);
      const [theirs, time] = medians([BARE_NODE, { ...ours, args: [...ours.args, ...FLAGS] }], ROUNDS);
      return { ours: time, theirs };
    },
  },
  {
    what: `codescout: \`run_command\` of \`${COMMAND}\` in a session`,
    peer: `\`bash -c '${COMMAND}'\``,
    target: { extraMs: 25 },
    async run() {
      const session = openSession(scratch('codescout'), { flags: FLAGS });
      const [ours, theirs] = [[], []];
      for (let round = 0; round < ROUNDS; round++) {
        ours.push(await timeOf(() => ask(session)));
        theirs.push(await timeOf(() => spawnSync('bash', ['-c', COMMAND])));
      }
      session.close();
      return { ours: median(ours), theirs: median(theirs) };
    },
  },
  {
    what: 'codescout: the list of tools, with those for symbols, o200k_base',
    peer: '5,000 tokens',
    unit: ' tokens',
    target: { atMost: 5_000 },
    run: async () => ({ ours: await countTokens(FLAGS) }),
  },
];

async function ask(session) {
  session.send({ tool: 'run_command', args: { command: COMMAND } });
  const answer = await session.receive();
  if (!answer.includes('5000')) throw new Error(answer);
}

async function timeOf(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
