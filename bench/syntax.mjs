import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { writeProgram } from '../scripts/program.mjs';
import { scriptText } from '../scripts/script-text.mjs';
import { ROOT } from '../scripts/setup.mjs';
import { BARE_NODE, median, medians, scratch } from './measure.mjs';

const PACKAGE = path.join(ROOT, 'packages/syntax');
const LINES = 1_000;
/** How many bytes of each language are parsed. */
const SPEED_BYTES = 250_000;

/** Measures the reading of a source file: the syntax package alone, in a process of its own. */
export const syntax = [
  {
    what: 'the outline of 1,000 lines of TypeScript, one-shot, the kernel alone',
    peer: '`node -e 0`',
    target: { extraMs: 60 },
    async run() {
      const { program } = await bundled();
      const [theirs, ours] = medians([BARE_NODE, { command: process.execPath, args: [program, sourceFile()] }], 41);
      return { ours, theirs };
    },
  },
  {
    what: 'the same again, when its content has changed',
    peer: '15 ms',
    target: { atMost: 15 },
    async run() {
      const { open } = await bundled();
      const reader = open();
      const content = fs.readFileSync(sourceFile());
      const times = [];
      for (let i = 0; i < 200; i++) {
        const start = performance.now();
        await reader.outline(content, 'typescript');
        times.push(performance.now() - start);
      }
      return { ours: median(times.slice(100)) };
    },
  },
  {
    what: 'outlines of the samples of all languages, warm',
    peer: '1 MB a second',
    unit: ' MB/s',
    target: { atLeast: 1 },
    async run() {
      const speeds = await speedsByLanguage();
      for (const { language, speed } of speeds) console.log(`  ${language.padEnd(12)} ${speed.toFixed(2)} MB/s`);
      const seconds = speeds.reduce((sum, { speed }) => sum + 1 / speed, 0);
      return { ours: speeds.length / seconds };
    },
  },
];

let built;

/** Bundles the syntax package as the programs do, with its grammars beside it. */
export function bundled() {
  built ??= bundle();
  return built;
}

async function bundle() {
  const directory = scratch('syntax');
  const entry = path.join(directory, 'entry.mjs');
  const program = path.join(directory, 'program.cjs');
  fs.writeFileSync(
    entry,
    `const fs = process.getBuiltinModule('node:fs');
    import { languageOf, openSyntax } from ${JSON.stringify(path.join(PACKAGE, 'src/index.ts'))};
    export { languageOf, openSyntax };
    /** Reads the outlines of all files that are named, and prints how many milliseconds that took without the reading. */
    export async function main() {
      const files = process.argv.slice(2).map((file) => ({ content: fs.readFileSync(file), language: languageOf(file) }));
      const reader = openSyntax();
      const start = performance.now();
      for (const { content, language } of files) {
        const outline = await reader.outline(content, language);
        if (!outline.symbols?.length) process.exit(1);
      }
      fs.writeSync(1, String(performance.now() - start));
      process.exit(0);
    }
    if (process.argv[1] === ${JSON.stringify(program)}) void main();`,
  );
  const made = await rolldown({
    input: { main: entry },
    platform: 'node',
    logLevel: 'silent',
    plugins: [scriptText()],
  });
  const chunks = path.join(directory, 'chunks');
  const { output } = await made.write({ dir: chunks, format: 'cjs', entryFileNames: '[name].cjs', minify: true });
  await writeProgram(program, output);
  fs.cpSync(path.join(PACKAGE, 'dist/grammars'), path.join(directory, 'grammars'), { recursive: true });
  const { openSyntax, languageOf } = createRequire(import.meta.url)(path.join(chunks, 'main.cjs'));
  return { program, open: openSyntax, languageOf };
}

/** A thousand lines of this repository. */
export function sourceFile() {
  const file = path.join(scratch('syntax-source'), 'source.ts');
  const parts = [
    'workspace/src/guard/guard.ts',
    'workspace/src/guard/mutate/mutate.ts',
    'project/src/related/context-sources.ts',
    'workspace/src/guard/target.ts',
  ];
  const text = parts.map((part) => fs.readFileSync(path.join(ROOT, 'packages', part), 'utf8')).join('\n');
  fs.writeFileSync(file, text.split('\n').slice(0, LINES).join('\n'));
  return file;
}

async function speedsByLanguage() {
  const { open, languageOf } = await bundled();
  const reader = open();
  const folder = path.join(PACKAGE, 'src/fixture');
  const samples = fs.readdirSync(folder).filter((name) => name.endsWith('.txt'));
  const speeds = [];
  for (const name of samples) {
    const language = languageOf(name.slice(0, -'.txt'.length));
    const content = fs.readFileSync(path.join(folder, name));
    await reader.outline(content, language);
    const rounds = Math.ceil(SPEED_BYTES / content.length);
    const start = performance.now();
    for (let i = 0; i < rounds; i++) await reader.outline(content, language);
    speeds.push({ language, speed: (rounds * content.length) / 1_000 / (performance.now() - start) });
  }
  return speeds;
}
