import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { defineConfig } from 'vitest/config';
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';
import { scriptText } from './scripts/script-text.mjs';

// It makes every Node process of the tests read certificates at its start, which is slow; what runs npm puts it back.
if (process.env['NODE_EXTRA_CA_CERTS']) process.env['JINN_TEST_CA_CERTS'] = process.env['NODE_EXTRA_CA_CERTS'];
delete process.env['NODE_EXTRA_CA_CERTS'];

/** Which tests run: the quick ones, those of `*.slow.test.ts` alone, or all, as when vitest is called directly. */
const MODE = process.env['JINN_TESTS'] ?? 'all';
/**
 * A person waits for the quick tests. They leave out what is tagged slow, take a fifth of the cases of each property, one of the two
 * eras of MCP where each test starts a server, keep their files in memory, and share processes.
 */
const IS_AWAITED = MODE === 'quick' && !process.env['CI'];
const RUNS_DIVISOR = IS_AWAITED ? 5 : 1;
/** More than there are cores, since many tests wait for a deadline or for another process. */
const WORKERS = Math.ceil(os.availableParallelism() * 1.5);
const MEMORY = '/dev/shm';
const MIN_MEMORY = 2 * 1024 ** 3;
/** What a run that was killed has left in memory is removed then. */
const LEFT_AFTER_MS = 6 * 3_600_000;
const FOLDERS = ['packages/*/src/**/', 'apps/*/src/**/', 'test/repository/'];
const SLOW = '*.slow.test.ts';
const SHOWN_SLOWEST = 20;

declare module 'vitest' {
  interface ProvidedContext {
    /** By what a test divides the number of cases of a property. */
    runsDivisor: number;
    /** Where the temporary directories of the tests are. */
    temporary: string;
    /** Whether a person waits for the tests. */
    isAwaited: boolean;
  }
}

/** Names the skipped tests and why they are, which the default reporter only counts, and the slowest tests. */
class TestLists implements Reporter {
  private filtered = false;

  onInit(vitest: Vitest): void {
    this.filtered = vitest.config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (this.filtered) return;
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    for (const test of tests.filter((each) => each.result().state === 'skipped' && !isLeftOut(each))) {
      const { note } = test.result() as { note?: string };
      console.log(` skipped: ${nameOf(test)}${note ? ` (${note})` : ''}`);
    }
    const slowest = tests.toSorted((a, b) => secondsOf(b) - secondsOf(a)).slice(0, SHOWN_SLOWEST);
    for (const test of slowest) console.log(` ${secondsOf(test).toFixed(1).padStart(5)} s: ${nameOf(test)}`);
  }
}

/** Says whether there is a file system in memory that has room for the tests and lets programs run. */
function hasMemory(): boolean {
  let probe: string | undefined;
  try {
    removeLeft();
    probe = fs.mkdtempSync(path.join(MEMORY, 'jinn-test-'));
    const program = path.join(probe, 'program');
    fs.writeFileSync(program, '', { mode: 0o700 });
    fs.accessSync(program, fs.constants.X_OK);
    const { bavail, bsize } = fs.statfsSync(probe);
    return bavail * bsize >= MIN_MEMORY;
  } catch {
    return false;
  } finally {
    if (probe) fs.rmSync(probe, { recursive: true });
  }
}

function removeLeft(): void {
  const directories = fs.readdirSync(MEMORY).filter((name) => name.startsWith('jinn-test-'));
  for (const directory of directories.map((name) => path.join(MEMORY, name))) {
    try {
      const isOld = Date.now() - fs.statSync(directory).mtimeMs > LEFT_AFTER_MS;
      if (isOld) fs.rmSync(directory, { recursive: true, force: true });
    } catch {
      // Another run has removed it meanwhile, or it is of somebody else.
    }
  }
}

const isLeftOut = ({ tags }: TestCase) => IS_AWAITED && tags.includes('slow');
const nameOf = (test: TestCase) => `${test.module.relativeModuleId} > ${test.fullName}`;
const secondsOf = (test: TestCase) => (test.diagnostic()?.duration ?? 0) / 1000;

const include = FOLDERS.map((folder) => folder + (MODE === 'slow' ? SLOW : '*.test.ts'));
const exclude = MODE === 'quick' ? [`**/${SLOW}`] : [];

export default defineConfig({
  plugins: [scriptText()],
  test: {
    include,
    exclude,
    // A process of its own costs a file more time than most tests take.
    isolate: !IS_AWAITED,
    tags: [{ name: 'slow', description: 'Takes long, or is about time. It runs where nobody waits for it.' }],
    ...(IS_AWAITED && { tagsFilter: ['!slow'] }),
    pool: 'forks',
    provide: {
      isAwaited: IS_AWAITED,
      runsDivisor: RUNS_DIVISOR,
      temporary: IS_AWAITED && hasMemory() ? MEMORY : os.tmpdir(),
    },
    maxWorkers: WORKERS,
    // These only end what hangs, also on a slow machine that does other work: no test is about them.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
    reporters: [new TestLists(), 'default'],
  },
});
