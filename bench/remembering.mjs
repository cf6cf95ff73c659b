import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { BARE_NODE, callsPerSecond, makeTree, medians, oneShot, STATE, scratch } from './measure.mjs';

const TEXTS = 10_000;
const RECALL = { tool: 'memory', args: { action: 'recall', key: 'k7' } };

/** Measures the memory beside its peers. */
export const remembering = [
  {
    what: 'one-shot `memory` recall',
    peer: '`node -e 0`',
    target: { extraMs: 20 },
    run() {
      const cwd = remembered();
      const [theirs, ours] = medians([BARE_NODE, oneShot(RECALL, cwd)], 41);
      return { ours, theirs };
    },
  },
  {
    what: '`memory` recalls a second in a session, one core',
    peer: '5,000 a second',
    unit: '/s',
    target: { atLeast: 5_000 },
    async run() {
      return { ours: await callsPerSecond(remembered(), RECALL, 20_000) };
    },
  },
  {
    what: '`memory` list by a word of 10,000 texts, one-shot',
    peer: '`grep -rliw` of as many files',
    target: { ratio: 1 },
    run() {
      fs.mkdirSync(STATE, { recursive: true });
      const entries = Object.fromEntries(Array.from({ length: TEXTS }, (_, n) => [`k${n}`, { value: textOf(n) }]));
      fs.writeFileSync(path.join(STATE, 'memory.json'), JSON.stringify({ version: 1, entries }));
      const files = makeTree('texts', { count: TEXTS, perDirectory: 50, contentOf: textOf });
      const request = { tool: 'memory', args: { action: 'list', query: 'word77', scope: 'global' } };
      const peer = { command: 'grep', args: ['-rliw', 'word77', '.'], cwd: files };
      const [theirs, ours] = medians([peer, oneShot(request, files)]);
      return { ours, theirs };
    },
  },
];

/** Makes a directory whose project has a saved text. */
function remembered() {
  const cwd = scratch('remembered');
  const request = { tool: 'memory', args: { action: 'save', key: 'k7', value: textOf(7) } };
  const { command, args, input } = oneShot(request, cwd);
  const env = { ...process.env, JINN_CONFIG_DIR: path.dirname(STATE) };
  const { stdout } = spawnSync(command, args, { cwd, env, input, encoding: 'utf8' });
  if (!stdout.startsWith('{"ok":true')) throw new Error(stdout);
  return cwd;
}

function textOf(n) {
  return `the service of word${n} answers on port ${n}, behind the proxy that was set up for word${(n * 7) % TEXTS}\n`.repeat(
    3,
  );
}
