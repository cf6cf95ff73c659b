import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { ROOT } from '../scripts/setup.mjs';
import { median, scratch } from './measure.mjs';

const PACKAGE = path.join(ROOT, 'packages/shell');
/** A command of 195 characters with a chain, pipes, quotes, a substitution and redirections, as agents write them. */
const COMMAND = `cd packages/app && FOO=1 npm run build --if-present 2>&1 | tee "$HOME/build-$(date +%s).log" | grep -E '(error|warning)' || { echo "failed: $?"; find . -name '*.tmp' -exec ls -l {} \\; ; exit 1; }`;

/** Measures the judging of a command beside another parser of bash, which only parses it. */
export const judging = [
  {
    what: 'the risk of a command of 195 characters, warm',
    peer: '`mvdan-sh`, which only parses it',
    unit: ' µs',
    target: { ratio: 0.5, atMost: 100 },
    async run() {
      const { classify } = await bundled();
      const { syntax } = createRequire(path.join(PACKAGE, 'package.json'))('mvdan-sh');
      const parser = syntax.NewParser(syntax.Variant(syntax.LangBash));
      const [ours, theirs] = [() => classify(COMMAND), () => parser.Parse(COMMAND, '')].map(microseconds);
      return { ours, theirs };
    },
  },
];

async function bundled() {
  const file = path.join(scratch('bash'), 'bash.mjs');
  const bundle = await rolldown({ input: path.join(PACKAGE, 'src/risk/index.ts'), platform: 'node' });
  await bundle.write({ file, format: 'esm' });
  return import(pathToFileURL(file).href);
}

/** Returns the median time of a call over rounds, after as many rounds to warm up. */
function microseconds(call) {
  const rounds = Array.from({ length: 21 }, () => {
    const start = performance.now();
    for (let i = 0; i < 200; i++) call();
    return (performance.now() - start) * 5;
  });
  return median(rounds.slice(10));
}
