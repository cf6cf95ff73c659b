import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** Makes a fresh directory that is removed when the running test ends. Returns its real path. */
export function makeTempDirectory(): string {
  const directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'jinn-test-')));
  onTestFinished(() => {
    execFileSync('chmod', ['-R', 'u+rwX', directory]);
    // A program that is being ended may still write its cache there.
    fs.rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  });
  return directory;
}
