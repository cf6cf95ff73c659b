import fs from 'node:fs';
import path from 'node:path';
import {
  BARE_NODE,
  callsPerSecond,
  makeTree,
  median,
  medians,
  oneShot,
  openSession,
  scratch,
  spilledBytes,
} from './measure.mjs';

const LARGE_BYTES = 40 * 1024 * 1024;
const ROUNDS = 12;
const CALLS_A_ROUND = 2_000;
const READ_SMALL = { tool: 'read_file', args: { path: 'README.md' } };

/** Answers each request with the numbered lines of the file that it names. */
const PLAIN_LOOP = `const fs = require('node:fs');
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { args } = JSON.parse(line);
  const lines = fs.readFileSync(args.path, 'utf8').trimEnd().split('\\n');
  const result = lines.map((text, i) => String(i + 1).padStart(2) + '\\t' + text).join('\\n');
  process.stdout.write(JSON.stringify({ ok: true, result }) + '\\n');
});
`;

/** Measures the tools that read, each beside its peer. */
export const reading = [
  {
    what: 'one-shot `read_file` of a small file',
    peer: '`node -e 0`',
    target: { ratio: 1.25 },
    run() {
      const [theirs, ours] = medians([BARE_NODE, oneShot(READ_SMALL, withSmallFile())], 41);
      return { ours, theirs };
    },
  },
  {
    what: '`read_file` calls a second in a session, one core',
    peer: '3,000 a second',
    unit: '/s',
    target: { atLeast: 3_000 },
    async run() {
      return { ours: await callsPerSecond(withSmallFile(), READ_SMALL, 20_000) };
    },
  },
  {
    what: '`read_file` of 40 lines in a session, processor time of a call',
    peer: 'a Node loop that parses, reads and answers the same lines',
    unit: ' µs',
    target: { ratio: 5 },
    run: besidePlainLoop,
  },
  ...['head', 'tail'].map((end) => ({
    what: `five lines at the ${end} of a 40 MB file`,
    peer: '`node -e 0`',
    target: { extraMs: 30, peakMb: 100, spilled: 0 },
    missed: end === 'tail' ? 'all 40 MB are read, to count the lines before the window' : undefined,
    async run() {
      const cwd = largeFile();
      const window = end === 'tail' ? { tail: 5 } : { start_line: 1, end_line: 5 };
      const request = { tool: 'read_file', args: { path: 'large.log', ...window } };
      const [theirs, ours] = medians([BARE_NODE, oneShot(request, cwd)]);
      return { ours, theirs, peakMb: await peakMemory(cwd, request), spilled: spilledBytes() };
    },
  })),
  {
    what: '`checksum_tree` of 20,000 files, 1 GB',
    peer: '`find | xargs -P2 sha256sum`',
    target: { ratio: 1 },
    run() {
      const content = Buffer.alloc(53_687, 'jinn');
      const cwd = makeTree('sums', { count: 20_000, perDirectory: 20, contentOf: (i) => withNumber(content, i) });
      const peer = { command: 'bash', args: ['-c', 'find . -type f -print0 | xargs -0 -P2 -n 500 sha256sum'], cwd };
      const [theirs, ours] = medians([peer, oneShot({ tool: 'checksum_tree', args: {} }, cwd)], 5);
      fs.rmSync(cwd, { recursive: true });
      return { ours, theirs };
    },
  },
  {
    what: '`list_dir` of 60,000 files, 10,000 entries, in a session, walked before',
    peer: '`find`',
    target: { ratio: 1 },
    async run() {
      const cwd = makeTree('names', { count: 60_000, perDirectory: 40, contentOf: () => '' });
      const request = { tool: 'list_dir', args: { depth: 10, max_entries: 10_000 } };
      const ours = await sessionMs(cwd, request, 41);
      const [theirs] = medians([{ command: 'find', args: ['.'], cwd }]);
      return { ours, theirs };
    },
  },
  {
    what: '120 KB of nested brackets, refused',
    peer: '`node -e 0`',
    target: { extraMs: 50, peakMb: 100 },
    async run() {
      const input = '['.repeat(120_000);
      const refused = { ...oneShot(input, scratch('small')), check: (stdout) => stdout.includes('nested deeper') };
      const [theirs, ours] = medians([BARE_NODE, refused]);
      return { ours, theirs, peakMb: await peakMemory(scratch('small'), input) };
    },
  },
];

function withSmallFile() {
  const cwd = scratch('small');
  fs.writeFileSync(path.join(cwd, 'README.md'), 'a line of text\n'.repeat(40));
  return cwd;
}

/** Returns the processor time of a call, of jinn and of a loop without any check; they take turns. */
async function besidePlainLoop() {
  const cwd = withSmallFile();
  const script = path.join(scratch('loop'), 'loop.cjs');
  fs.writeFileSync(script, PLAIN_LOOP);
  const sessions = [openSession(cwd), openSession(cwd, { program: script })];
  const line = `${JSON.stringify(READ_SMALL)}\n`;
  const sums = [0, 0];
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, session] of sessions.entries()) {
      const before = session.cpuMs();
      session.send(line.repeat(CALLS_A_ROUND));
      for (let call = 0; call < CALLS_A_ROUND; call++) {
        if (!(await session.receive()).startsWith('{"ok":true')) throw new Error('failed');
      }
      if (round > 0) sums[i] += session.cpuMs() - before; // The first round warms.
    }
  }
  for (const session of sessions) session.close();
  const [ours, theirs] = sums.map((ms) => (ms * 1_000) / ((ROUNDS - 1) * CALLS_A_ROUND));
  return { ours, theirs };
}

/** Returns the median time of a call in a warm session. */
async function sessionMs(cwd, request, rounds) {
  const session = openSession(cwd);
  const times = [];
  for (let i = 0; i < rounds; i++) {
    const start = performance.now();
    session.send(request);
    await session.receive();
    times.push(performance.now() - start);
  }
  session.close();
  return median(times.slice(rounds >> 1));
}

async function peakMemory(cwd, request) {
  const session = openSession(cwd);
  session.send(request);
  await session.receive();
  const peak = session.peakMemory();
  session.close();
  return peak;
}

function largeFile() {
  const cwd = scratch('large');
  const file = path.join(cwd, 'large.log');
  const line = `${'x'.repeat(79)}\n`;
  if (!fs.existsSync(file)) fs.writeFileSync(file, line.repeat(LARGE_BYTES / line.length));
  return cwd;
}

function withNumber(content, number) {
  content.writeUInt32LE(number);
  return content;
}
