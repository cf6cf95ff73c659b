import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../scripts/setup.mjs';
import { BARE_NODE, callsPerSecond, ENV, medians, scratch } from './measure.mjs';

const CALLS = 20_000;
/** How many modules were written. */
let written = 0;
const SDK = path.join(ROOT, 'packages/sdk');
const LIBRARY = pathToFileURL(path.join(SDK, 'dist/index.js')).href;

const IMPORT = `import { createJinn } from '${LIBRARY}';`;
const OPEN = `${IMPORT} const jinn = createJinn({ root: '.' }); const read = () => jinn.call('read_file', { path: 'README.md' });`;
/** A tool of the AI SDK that gives the numbered lines of a file, and reads as little of it as it can. */
const PLAIN_TOOL = `import { readFile } from 'node:fs/promises';
import { jsonSchema, tool } from 'ai';
const inputSchema = jsonSchema({ type: 'object', properties: { path: { type: 'string' } }, required: ['path'] });
const number = (text, i) => String(i + 1) + '\\t' + text;
const execute = async ({ path }) => (await readFile(path, 'utf8')).trimEnd().split('\\n').map(number).join('\\n');
const { execute: run } = tool({ inputSchema, execute });
const read = () => run({ path: 'README.md' }, { toolCallId: 'one', messages: [] });`;

/** Measures the library in the process of its caller. */
export const sdk = [
  {
    what: 'import of the library',
    peer: '`node -e 0`',
    target: { extraMs: 20 },
    run() {
      const [theirs, ours] = medians([BARE_NODE, script(project(), IMPORT)]);
      return { ours, theirs };
    },
  },
  {
    what: 'import of the library and a first `read_file`',
    peer: 'import alone',
    target: { extraMs: 10 },
    run() {
      const cwd = project();
      const [theirs, ours] = medians([script(cwd, IMPORT), script(cwd, `${OPEN} await read();`)]);
      return { ours, theirs };
    },
  },
  {
    what: '`read_file` calls a second in the process of the caller',
    peer: 'a session of `jinn`',
    unit: '/s',
    target: { atLeast: 30_000 },
    missed: 'opening, reading and closing a file takes most of the time',
    async run() {
      const cwd = project();
      const theirs = await callsPerSecond(cwd, { tool: 'read_file', args: { path: 'README.md' } }, CALLS);
      return { ours: readsPerSecond(cwd, OPEN), theirs };
    },
  },
  {
    what: '`read_file` calls a second in the process of the caller',
    peer: 'a tool of the AI SDK with `fs.promises`',
    unit: '/s',
    target: {},
    run() {
      const cwd = project();
      return { ours: readsPerSecond(cwd, OPEN), theirs: readsPerSecond(cwd, PLAIN_TOOL) };
    },
  },
];

function project() {
  const cwd = scratch('sdk');
  fs.writeFileSync(path.join(cwd, 'README.md'), 'a line of text\n'.repeat(40));
  return cwd;
}

/** Runs a module that finds the packages of the library. */
function script(cwd, text) {
  const folder = path.join(SDK, 'node_modules/.cache');
  fs.mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `bench-${written++}.mjs`);
  fs.writeFileSync(file, `${text}\nprocess.exit();\n`);
  return { command: process.execPath, args: [file], cwd };
}

function readsPerSecond(cwd, open) {
  const loop = `${open}
for (let i = 0; i < ${CALLS / 10}; i++) await read();
const start = performance.now();
for (let i = 0; i < ${CALLS}; i++) await read();
process.stdout.write(String((${CALLS} / (performance.now() - start)) * 1000));`;
  const { command, args } = script(cwd, loop);
  const { stdout, stderr } = spawnSync(command, args, { cwd, env: ENV, encoding: 'utf8' });
  if (!stdout) throw new Error(stderr);
  return Number(stdout);
}
