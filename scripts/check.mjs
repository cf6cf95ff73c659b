import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { COLOURS, install, ROOT, run, runTool } from './setup.mjs';

const CHECKS = [
  ['types', () => runTool('tsc', ['-p', 'tsconfig.json'])],
  ['browser types', () => runTool('tsc', ['-p', 'packages/views/tsconfig.json'])],
  [
    'lint and format',
    () => runTool('biome', ['ci', `--colors=${COLOURS ? 'force' : 'off'}`, '--error-on-warnings', '.']),
  ],
  ['perl', checkPerl],
  ['dead exports', () => runTool('knip', ['--no-progress'])],
  ['generated files', () => run(process.execPath, ['scripts/generate.mjs', '--check'])],
  ['measures', () => run(process.execPath, ['scripts/measure.mjs'])],
  ['pages', () => run(process.execPath, ['scripts/prose.mjs'])],
];

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
export function runChecks() {
  return CHECKS.filter(([name, work]) => !report(name, work)).map(([name]) => name);
}

/** Prints one line on a check, and its output if it failed. */
function report(name, work) {
  const started = Date.now();
  const { ok, output } = work();
  console.log(`${name.padEnd(16)} ${ok ? 'ok' : 'FAILED'} ${Date.now() - started} ms`);
  if (!ok) console.log(`\n${output.trimEnd()}\n`);
  return ok;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  install();
  process.exitCode = runChecks().length === 0 ? 0 : 1;
}
