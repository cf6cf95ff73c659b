import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, COLOURS, install, ROOT, run, runBeside, toolPath } from './setup.mjs';

const CHECKS = [
  ['types', () => runBeside(toolPath('tsc'), ['-p', 'tsconfig.json'])],
  ['dead exports', () => runBeside(toolPath('knip'), ['--no-progress'])],
  [
    'lint and format',
    () => runBeside(toolPath('biome'), ['ci', `--colors=${COLOURS ? 'force' : 'off'}`, '--error-on-warnings', '.']),
  ],
  ['measures', () => runBeside('scripts/measure.mjs', [])],
  ['generated files', () => runBeside('scripts/generate.mjs', ['--check'])],
  ['browser types', () => runBeside(toolPath('tsc'), ['-p', 'packages/views/tsconfig.json'])],
  ['pages', () => runBeside('scripts/prose.mjs', [])],
  ['costs', () => runBeside('scripts/count-costs.mjs', ['--check'])],
  ['perl', checkPerl],
];
/** How many run at once. */
const LANES = 2;

/** Compiles every script. They run without `strict` and `warnings`, which take half as long to load as perl. */
function checkPerl() {
  const folders = readdirSync(join(ROOT, 'packages')).map((name) => `packages/${name}/src`);
  const scripts = folders
    .filter((folder) => existsSync(join(ROOT, folder)))
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true })
        .filter((name) => name.endsWith('.pl'))
        .map((name) => `${folder}/${name}`),
    );
  const results = scripts.map((file) => run('perl', ['-Mstrict', '-Mwarnings=FATAL,all', '-c', file]));
  const failed = results.filter(({ ok }) => !ok);
  return { ok: scripts.length > 0 && failed.length === 0, output: failed.map(({ output }) => output).join('') };
}

/** Runs all checks, even after one has failed. Returns the names of those that failed. */
export async function runChecks() {
  const waiting = [...CHECKS];
  const failed = [];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) if (!(await report(...next))) failed.push(next[0]);
  };
  await Promise.all(Array.from({ length: LANES }, work));
  return failed;
}

/** Prints one line on a check, and its output if it failed. */
async function report(name, work) {
  const started = Date.now();
  const { ok, output } = await work();
  console.log(`${name.padEnd(16)} ${ok ? 'ok' : 'FAILED'} ${Date.now() - started} ms`);
  if (!ok) console.log(`\n${output.trimEnd()}\n`);
  return ok;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  install();
  build('jinn and jinn-mcp', ['--filter=jinn', '--filter=jinn-mcp']);
  process.exitCode = (await runChecks()).length === 0 ? 0 : 1;
}
