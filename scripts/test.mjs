import { runChecks } from './check.mjs';
import { COLOURS, runTool, setUp, stop } from './setup.mjs';

setUp();
const failed = runChecks();
const colour = COLOURS ? '--color' : '--no-color';
const tests = runTool('vitest', ['run', colour].concat(process.argv.slice(2)), {
  stdio: ['ignore', 'inherit', 'inherit'],
});
if (!tests.ok) failed.push('tests');
if (failed.length > 0) stop(`npm test failed in: ${failed.join(', ')}`);
