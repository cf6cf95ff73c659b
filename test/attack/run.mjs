// Runs the suites of this directory and prints a table of what held; see README.md.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const JINN = path.join(HERE, '../../apps/jinn/dist/jinn.cjs');
const NUMBER = /^\d+(\.\d+)?$/;

async function main() {
  const { values, positionals } = readCommandLine();
  const suites = (await loadSuites()).filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  const unknown = positionals.find((name) => !suites.some((suite) => suite.name === name));
  if (unknown !== undefined) throw new Error(`there is no suite ${unknown}`);
  const options = {
    jinn: path.resolve(values.jinn ?? JINN),
    quick: values.quick ?? false,
    seed: toNumber(values.seed) ?? Math.floor(Math.random() * 2 ** 31),
    count: toNumber(values.count),
    seconds: toNumber(values.seconds),
  };
  if (!fs.existsSync(options.jinn)) throw new Error('the program is not built; run `npm run build`');
  console.log(`seed ${options.seed}\n\n| suite | what | tried | held | failed |\n|---|---|---|---|---|`);
  for (const suite of suites) await runSuite(suite, options);
}

function readCommandLine() {
  const text = { type: 'string' };
  const options = { quick: { type: 'boolean' }, seed: text, count: text, seconds: text, jinn: text };
  return parseArgs({ options, allowPositionals: true });
}

function toNumber(text) {
  if (text === undefined) return undefined;
  if (!NUMBER.test(text)) throw new Error(`not a number: ${text}`);
  return Number(text);
}

/** Every other file of this directory that exports a suite. */
async function loadSuites() {
  const files = fs.readdirSync(HERE).filter((file) => file.endsWith('.mjs') && file !== 'run.mjs');
  const modules = await Promise.all(files.sort().map((file) => import(path.join(HERE, file))));
  return modules.flatMap(({ suite }) => (suite ? [suite] : []));
}

async function runSuite(suite, options) {
  const told = [];
  try {
    for await (const { what, tried, held, failed, notes } of suite.run(options)) {
      console.log(`| ${[suite.name, what, tried, held, failed].join(' | ')} |`);
      told.push(...notes.map((note) => `  ${suite.name}: ${what}: ${note}`));
      if (failed > 0) process.exitCode = 1;
    }
  } finally {
    for (const note of told) console.log(note);
  }
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
