import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, COLOURS, install, ROOT, run, runBeside, toolPath } from './setup.mjs';

/** What the compiler knows of the files of the last run takes most of its time. */
const INCREMENTAL = ['--incremental', '--tsBuildInfoFile', 'node_modules/.cache/types.tsbuildinfo'];

const CHECKS = [
  ['types', () => runBeside(toolPath('tsc'), ['-p', 'tsconfig.json', ...INCREMENTAL])],
  ['dead exports', () => runBeside(toolPath('knip'), ['--no-progress'])],
  [
    'lint and format',
    () => runBeside(toolPath('biome'), ['ci', `--colors=${COLOURS ? 'force' : 'off'}`, '--error-on-warnings', '.']),
  ],
  ['measures', () => runBeside('scripts/measure.mjs', [])],
  ['generated files', () => runBeside('scripts/generate.mjs', ['--check'])],
  ['browser types', () => runBeside(toolPath('tsc'), ['-p', 'packages/views/tsconfig.json'])],
  ['library', () => runBeside('scripts/check-library.mjs', [])],
  ['pages', () => runBeside('scripts/prose.mjs', [])],
  ['costs', () => runBeside('scripts/count-costs.mjs', ['--check'])],
  ['perl', checkPerl],
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

/** Runs all checks, so many at once, even after one has failed. Returns what `reportOn` takes. */
export async function runChecks(lanes) {
  const waiting = [...CHECKS];
  const done = [];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) done.push(await runCheck(...next));
  };
  await Promise.all(Array.from({ length: lanes }, work));
  return done;
}

async function runCheck(name, work) {
  const started = Date.now();
  const { ok, output } = await work();
  return { name, ok, output, ms: Date.now() - started };
}

/** Prints one line on a check, and its output if it failed. */
export function reportOn({ name, ok, output, ms }) {
  console.log(`${name.padEnd(16)} ${ok ? 'ok' : 'FAILED'} ${ms} ms`);
  if (!ok) console.log(`\n${output.trimEnd()}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  install();
  build('jinn, jinn-mcp and the library', ['--filter=jinn', '--filter=jinn-mcp', '--filter=jinn-sdk']);
  const checked = await runChecks(2);
  for (const check of checked) reportOn(check);
  process.exitCode = checked.every(({ ok }) => ok) ? 0 : 1;
}
