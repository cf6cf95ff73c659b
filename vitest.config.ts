import { defineConfig } from 'vitest/config';
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';
import { scriptText } from './scripts/script-text.mjs';

// It makes every Node process of the tests read certificates at its start, which is slow; what runs npm puts it back.
if (process.env['NODE_EXTRA_CA_CERTS']) process.env['JINN_TEST_CA_CERTS'] = process.env['NODE_EXTRA_CA_CERTS'];
delete process.env['NODE_EXTRA_CA_CERTS'];

/** Which tests run: the quick ones, those of `*.slow.test.ts` alone, or all, as when vitest is called directly. */
const MODE = process.env['JINN_TESTS'] ?? 'all';
/** The quick tests of a person take a fifth of the cases of each property; CI and `npm run test:all` take all. */
const RUNS_DIVISOR = MODE === 'quick' && !process.env['CI'] ? 5 : 1;
const FOLDERS = ['packages/*/src/**/', 'apps/*/src/**/', ''];
const SLOW = '*.slow.test.ts';
const SHOWN_SLOWEST = 20;

declare module 'vitest' {
  interface ProvidedContext {
    /** By what a test divides the number of cases of a property. */
    runsDivisor: number;
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
    for (const test of tests.filter((each) => each.result().state === 'skipped')) {
      const { note } = test.result() as { note?: string };
      console.log(` skipped: ${nameOf(test)}${note ? ` (${note})` : ''}`);
    }
    const slowest = tests.toSorted((a, b) => secondsOf(b) - secondsOf(a)).slice(0, SHOWN_SLOWEST);
    for (const test of slowest) console.log(` ${secondsOf(test).toFixed(1).padStart(5)} s: ${nameOf(test)}`);
  }
}

const nameOf = (test: TestCase) => `${test.module.relativeModuleId} > ${test.fullName}`;
const secondsOf = (test: TestCase) => (test.diagnostic()?.duration ?? 0) / 1000;

export default defineConfig({
  plugins: [scriptText()],
  test: {
    include: FOLDERS.map((folder) => folder + (MODE === 'slow' ? SLOW : '*.test.ts')),
    exclude: MODE === 'quick' ? [`**/${SLOW}`] : [],
    pool: 'forks',
    provide: { runsDivisor: RUNS_DIVISOR },
    maxWorkers: '100%',
    // These only end what hangs, also on a slow machine that does other work: no test is about them.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
    reporters: [new TestLists(), 'default'],
  },
});
