import { defineConfig } from 'vitest/config';
import type { Reporter, TestModule, Vitest } from 'vitest/node';

// It makes every Node process of the tests read certificates at its start, which is slow; what runs npm puts it back.
if (process.env['NODE_EXTRA_CA_CERTS']) process.env['JINN_TEST_CA_CERTS'] = process.env['NODE_EXTRA_CA_CERTS'];
delete process.env['NODE_EXTRA_CA_CERTS'];

/** Names the skipped tests and why they are, which the default reporter only counts. */
class SkippedTests implements Reporter {
  private filtered = false;

  onInit(vitest: Vitest): void {
    this.filtered = vitest.config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (this.filtered) return;
    for (const module of modules) {
      for (const test of module.children.allTests('skipped')) {
        const { note } = test.result() as { note?: string };
        console.log(` skipped: ${module.relativeModuleId} > ${test.fullName}${note ? ` (${note})` : ''}`);
      }
    }
  }
}

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'apps/*/src/**/*.test.ts', '*.test.ts'],
    pool: 'forks',
    maxWorkers: '100%',
    testTimeout: 20_000,
    reporters: [new SkippedTests(), 'default'],
  },
});
