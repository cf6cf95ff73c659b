import fs from 'node:fs';
import path from 'node:path';
import { BARE_NODE, medians, oneShot, openSession, scratch } from './measure.mjs';

const LINES = 20_000;

/** Measures the tools that write, each beside its peer. */
export const changing = [
  {
    what: 'one-shot `edit_file` of a small file, durable, with history',
    peer: '`node -e 0`, twice, and three fsyncs',
    target: { ratio: 1 },
    run() {
      const cwd = scratch('edit');
      const file = path.join(cwd, 'a.txt');
      fs.writeFileSync(file, `${'a line of text\n'.repeat(40)}count: 0.\n`);
      // Each round changes the file back and forth, so that every one of them writes.
      const edits = [0, 1].map((n) => ({ path: 'a.txt', old_text: `count: ${n}.`, new_text: `count: ${1 - n}.` }));
      const [bare, there, back] = medians([
        BARE_NODE,
        ...edits.map((args) => oneShot({ tool: 'edit_file', args }, cwd)),
      ]);
      return { ours: (there + back) / 2, theirs: 2 * bare + 3 * fsyncMs(cwd) };
    },
  },
  ...[
    ['`apply_patch` of one changed line in 20,000', false],
    ['the same as a dry run', true],
  ].map(([what, dry_run]) => ({
    what,
    peer: '`node -e 0`',
    target: { extraMs: 100 },
    run() {
      const cwd = scratch('patch');
      const line = (n) => `line ${n} of a text that is long\n`;
      fs.writeFileSync(
        path.join(cwd, 'a.txt'),
        `${Array.from({ length: LINES }, (_, n) => line(n)).join('')}state: 0.\n`,
      );
      const patches = [0, 1].map((n) => {
        const hunk = `@@\n ${line(LINES - 1)}-state: ${dry_run ? 0 : n}.\n+state: ${dry_run ? 2 : 1 - n}.\n`;
        return `*** Begin Patch\n*** Update File: a.txt\n${hunk}*** End Patch`;
      });
      const commands = patches.map((patch) => oneShot({ tool: 'apply_patch', args: { patch, dry_run } }, cwd));
      const [theirs, there, back] = medians([BARE_NODE, ...commands]);
      return { ours: (there + back) / 2, theirs };
    },
  })),
  {
    what: '`edit_file` calls a second in a session, on tmpfs',
    peer: '500 a second',
    unit: '/s',
    target: { atLeast: 500 },
    run: () => editsPerSecond(1_000),
  },
];

async function editsPerSecond(count) {
  const memory = fs.existsSync('/dev/shm') ? fs.mkdtempSync('/dev/shm/jinn-bench-') : scratch('tmpfs');
  try {
    fs.writeFileSync(path.join(memory, 'a.txt'), `${'a line of text\n'.repeat(40)}count: 0.\n`);
    const session = openSession(memory, { state: path.join(memory, '.state') });
    const start = performance.now();
    for (let n = 0; n < count; n++) {
      session.send({
        tool: 'edit_file',
        args: { path: 'a.txt', old_text: `count: ${n}.`, new_text: `count: ${n + 1}.` },
      });
      if (!(await session.receive()).startsWith('{"ok":true')) throw new Error('an edit failed');
    }
    session.close();
    return { ours: count / ((performance.now() - start) / 1_000) };
  } finally {
    fs.rmSync(memory, { recursive: true, force: true });
  }
}

function fsyncMs(directory) {
  const file = path.join(directory, 'synced');
  const times = Array.from({ length: 21 }, () => {
    const fd = fs.openSync(file, 'w');
    fs.writeSync(fd, 'x'.repeat(600));
    const start = performance.now();
    fs.fsyncSync(fd);
    fs.closeSync(fd);
    return performance.now() - start;
  });
  return times.toSorted((a, b) => a - b)[10];
}
