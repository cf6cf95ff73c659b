import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { ToolError } from '@jinn/core/errors';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { openWorkspace, type Workspace } from './workspace.ts';

const ROUNDS = 3_000;
const HIDDEN = ['OUTSIDE', 'SECRET', 'hidden.txt'];
const MODES = process.platform === 'linux' ? [true, false] : [false];

/** Lets names change places as fast as it can: each pair of its arguments after the first, which is where they are. */
const SWAPPER = `
  const fs = require('node:fs');
  const [place, ...names] = process.argv.slice(1);
  process.chdir(place);
  process.on('disconnect', () => process.exit());
  const turn = () => {
    for (let i = 0; i < 200; i++) {
      for (let at = 0; at < names.length; at += 2) {
        fs.renameSync(names[at], 'spare');
        fs.renameSync(names[at + 1], names[at]);
        fs.renameSync('spare', names[at + 1]);
      }
    }
    setImmediate(turn);
  };
  turn();
  process.send('ready');
`;

/** A workspace in which another process swaps a directory, a file and a link for what must not be opened. */
async function openSwappedWorkspace(useProc: boolean): Promise<Workspace> {
  const base = makeTempDirectory();
  makeTree(base, {
    'out/e/f.txt': 'OUTSIDE',
    'out/e/hidden.txt': 'OUTSIDE',
    'ws/.git/e/f.txt': 'the SECRET',
    'ws/.git/e/hidden.txt': 'the SECRET',
    'ws/d/e/f.txt': 'inside',
    'ws/d-other': { symlink: '../out' },
    'ws/s/e/f.txt': 'inside',
    'ws/s-other': { symlink: '.git' },
    'ws/f.txt': 'inside',
    'ws/f-other': { symlink: '../out/e/f.txt' },
    'ws/p.txt': 'inside',
    'ws/p-other': { fifo: true },
    'ws/l': { symlink: 'd/e' },
    'ws/l-other': { symlink: '.git/e' },
  });
  const pairs = ['d', 's', 'f.txt', 'p.txt', 'l'].flatMap((name) => [name, `${name.replace('.txt', '')}-other`]);
  const swapper = spawn(process.execPath, ['-e', SWAPPER, `${base}/ws`, ...pairs], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = new Promise((resolve) => swapper.once('exit', resolve));
  onTestFinished(async () => {
    swapper.kill();
    await ended;
  });
  await new Promise((resolve) => swapper.once('message', resolve));
  const workspace = openWorkspace({ root: `${base}/ws`, useProc });
  onTestFinished(() => workspace.close());
  return workspace;
}

type Seen = Map<string, number>;

/** Counts what a look gave: text, or the code of a refusal. */
async function tally(seen: Seen, look: () => unknown): Promise<void> {
  let answer: string;
  try {
    answer = String(await look());
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    answer = error instanceof ToolError ? error.code : `system: ${error.code}`;
  }
  seen.set(answer, (seen.get(answer) ?? 0) + 1);
}

const read = (workspace: Workspace, asked: string) => workspace.withFile(asked, (file) => file.slice(0, 99).toString());

const CODES = ['inside', 'path_outside_sandbox', 'file_not_found', 'conflict', 'not_a_file', 'not_a_directory'];

test.each(MODES)('reads nothing hidden while links are swapped in (descriptors: %s)', async (useProc) => {
  const workspace = await openSwappedWorkspace(useProc);
  const seen: Seen = new Map();
  for (let round = 0; round < ROUNDS; round++) {
    for (const asked of ['d/e/f.txt', 's/e/f.txt', 'f.txt', 'p.txt', 'l/f.txt'])
      await tally(seen, () => read(workspace, asked));
  }
  for (const answer of seen.keys()) expect(CODES).toContain(answer);
  expect(seen.get('inside')).toBeGreaterThan(0);
  expect(seen.get('path_outside_sandbox')).toBeGreaterThan(0);
});

test.each(MODES)('tells the size of nothing hidden while links are swapped in (descriptors: %s)', async (useProc) => {
  const workspace = await openSwappedWorkspace(useProc);
  fs.writeFileSync(`${workspace.root}/../out/e/f.txt`, 'more than what lies inside');
  const seen: Seen = new Map();
  for (let round = 0; round < ROUNDS; round++) {
    for (const asked of ['d/e/f.txt', 'l/f.txt']) await tally(seen, () => workspace.status(asked).size);
  }
  expect(seen.get('6')).toBeGreaterThan(0);
  for (const answer of seen.keys()) expect([...CODES, '6']).toContain(answer);
});

test.each(MODES)('holds a directory while its name is swapped (descriptors: %s)', async (useProc) => {
  const workspace = await openSwappedWorkspace(useProc);
  const seen: Seen = new Map();
  for (let round = 0; round < ROUNDS; round++) {
    for (const asked of ['d/e', 's/e']) {
      await tally(seen, () =>
        workspace.withDirectory(asked, async (directory) => {
          await tally(seen, () => {
            const file = directory.openFile('f.txt');
            try {
              return file.slice(0, 99).toString();
            } finally {
              file.close();
            }
          });
          await tally(seen, () => directory.within((prefix) => fs.readdirSync(prefix)));
          return 'inside';
        }),
      );
    }
  }
  expect(seen.get('inside')).toBeGreaterThan(0);
  expect(seen.get('f.txt')).toBeGreaterThan(0);
  for (const answer of seen.keys()) for (const hidden of HIDDEN) expect(answer).not.toContain(hidden);
});
