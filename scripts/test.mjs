// npm test: the checks and the quick tests. --all: the slow tests (*.slow.test.ts) too. --rest: the slow tests alone.
// Other arguments go to vitest.
import { runChecks } from './check.mjs';
import { COLOURS, runTool, setUp, stop } from './setup.mjs';

const given = process.argv.slice(2);
// `npm run test:all -- --rest` gives both flags.
const mode = given.includes('--rest') ? 'slow' : given.includes('--all') ? 'all' : 'quick';

process.env.JINN_TESTS = mode;
setUp();
const failed = mode === 'slow' ? [] : await runChecks();
const colour = COLOURS ? '--color' : '--no-color';
const tests = runTool('vitest', ['run', colour, ...given.filter((flag) => flag !== '--all' && flag !== '--rest')], {
  stdio: ['ignore', 'inherit', 'inherit'],
});
if (!tests.ok) failed.push('tests');
if (failed.length > 0) stop(`the tests failed in: ${failed.join(', ')}`);
if (mode === 'quick')
  console.log('\n`npm run test:all` also runs the slow tests: real hosts and servers, packs, attacks, long fuzzing.');
