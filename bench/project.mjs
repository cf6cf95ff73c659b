import fs from 'node:fs';
import path from 'node:path';
import { ROOT } from '../scripts/setup.mjs';
import { medians, oneShot, START, scratch } from './measure.mjs';

const ENTRIES = 2_000;
const ASKED = 'each file, and its directory, is asked whether it changed';
const OPENED = 'each directory is opened by itself, through the guard';

/** Measures the tools that look at a project and at the user's notes. */
export const project = [
  {
    what: '`detect_project` on this repository',
    peer: '`jinn --version`',
    target: { extraMs: 15 },
    missed: 'met at the usual speed of the machine, missed in its slow phases',
    run() {
      const [theirs, ours] = medians([START, oneShot({ tool: 'detect_project', args: {} }, ROOT)], 41);
      return { ours, theirs };
    },
  },
  ...[
    { what: 'in 100 directories, warm', perDirectory: 20, extraMs: 30, missed: ASKED },
    { what: 'a directory each, warm', perDirectory: 1, extraMs: 30, missed: ASKED },
    { what: 'in 100 directories, cold', perDirectory: 20, extraMs: 500, rebuild: true },
    { what: 'a directory each, cold', perDirectory: 1, extraMs: 500, rebuild: true, missed: OPENED },
  ].map(({ what, perDirectory, extraMs, missed, rebuild = false }) => ({
    what: `\`related_context\` over ${ENTRIES.toLocaleString('en')} files ${what}`,
    peer: '`jinn --version`',
    target: { extraMs },
    missed,
    run() {
      const env = { HOME: makeLibrary(perDirectory) };
      const args = { query: 'slow query locks the orders table, add an index', rebuild };
      const [theirs, ours] = medians(
        [START, { ...oneShot({ tool: 'related_context', args }, env.HOME), env }],
        rebuild ? 21 : 41,
      );
      return { ours, theirs };
    },
  })),
];

const PLACES =
  'go typescript npm postgres kubernetes auth testing node rust python react deploy docker redis css'.split(' ');
const THINGS =
  'cache queue index lock session token request migration container pipeline secret metric trace build query schema'.split(
    ' ',
  );

/** Makes a home with notes of two kilobytes each, on many topics. */
function makeLibrary(perDirectory) {
  const home = scratch(`library-${perDirectory}`);
  const text = 'A sentence of a note that is there to be read past. '.repeat(16);
  for (let i = 0; i < ENTRIES; i++) {
    const directory = path.join(home, '.claude/kb', `topic-${Math.floor(i / perDirectory)}`);
    const [place, one, two] = [PLACES[i % 15], THINGS[(i >> 1) % 16], THINGS[(i * 7) % 16]];
    const head = `---\nname: ${place}-${one}-${i}\ndescription: How a ${one} is made for ${place} and a ${two}\ntags: [${place}]\n---\n`;
    fs.mkdirSync(directory, { recursive: true });
    fs.writeFileSync(
      path.join(directory, `${one}-${i}.md`),
      `${head}# ${one} ${two}\n\n${text}\n\n## ${two}\n\n${text}\n`,
    );
  }
  return home;
}
