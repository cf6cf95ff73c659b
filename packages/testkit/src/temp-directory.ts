import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

const MAX_ATTEMPTS = 50;
const WAIT_MS = 100;

/** Makes a fresh directory that is removed when the running test ends. Returns its real path. */
export function makeTempDirectory(): string {
  const directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'jinn-test-')));
  onTestFinished(() => {
    // It fails for what a program that is being ended removes meanwhile.
    spawnSync('chmod', ['-R', 'u+rwX', directory]);
    remove(directory);
  });
  return directory;
}

/**
 * Removes a directory, again and again while a program that is being ended still writes its cache there. The retries of
 * `rmSync` would not do: they do not remove what came meanwhile.
 */
function remove(directory: string): void {
  for (let left = MAX_ATTEMPTS; ; left--) {
    try {
      fs.rmSync(directory, { recursive: true, force: true });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY' || left === 1) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS);
    }
  }
}
