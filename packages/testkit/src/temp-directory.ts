import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { inject, onTestFinished } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** The directory of vitest.config.ts: for the compiler, this package has a vitest of its own. */
    temporary: string;
  }
}

const MAX_ATTEMPTS = 50;
const WAIT_MS = 100;

/**
 * Makes a fresh directory that is removed when the running test ends. Returns its real path. It may be in memory; a test that is
 * about the directory for temporary files names that as the parent.
 */
export function makeTempDirectory(parent = inject('temporary')): string {
  const directory = fs.realpathSync(fs.mkdtempSync(path.join(parent, 'jinn-test-')));
  onTestFinished(() => remove(directory));
  return directory;
}

/**
 * Removes a directory, again and again while a program that is being ended still writes its cache there. The retries of
 * `rmSync` are not enough: they do not remove files that came meanwhile. Directories that are closed to the user are
 * opened first.
 */
function remove(directory: string): void {
  for (let left = MAX_ATTEMPTS; ; left--) {
    try {
      fs.rmSync(directory, { recursive: true, force: true });
      return;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (left === 1 || (code !== 'EACCES' && code !== 'ENOTEMPTY')) throw error;
      if (code === 'EACCES') spawnSync('chmod', ['-R', 'u+rwX', directory]);
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS);
    }
  }
}
