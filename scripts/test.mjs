// npm test: the checks and the quick tests. --all: the slow tests (*.slow.test.ts) too. --rest: the slow tests alone.
// Other arguments go to vitest.
import { reportOn, runChecks } from './check.mjs';
import { COLOURS, runShownBeside, setUp, stop, toolPath } from './setup.mjs';

const given = process.argv.slice(2);
// `npm run test:all -- --rest` gives both flags.
const mode = given.includes('--rest') ? 'slow' : given.includes('--all') ? 'all' : 'quick';

process.env.JINN_TESTS = mode;
setUp();
const colour = COLOURS ? '--color' : '--no-color';
const flags = ['run', colour, ...given.filter((flag) => flag !== '--all' && flag !== '--rest')];
// The tests wait for much, and one check at a time runs meanwhile. They report at the end, since the tests own the terminal.
const testing = runShownBeside(toolPath('vitest'), flags);
const checked = mode === 'slow' ? [] : await runChecks(1);
const passed = await testing;
const failed = checked.filter(({ ok }) => !ok).map(({ name }) => name);
for (const check of checked) reportOn(check);
if (!passed) failed.push('tests');
if (failed.length > 0) stop(`the tests failed in: ${failed.join(', ')}`);
if (mode === 'quick')
  console.log('\n`npm run test:all` also runs the slow tests: real hosts and servers, packs, attacks, long fuzzing.');
