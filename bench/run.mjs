// Measures jinn and its peers and prints the table; --write puts it into bench/RESULTS.md. A word measures only the rows that
// have it; then --write leaves the others as they are. A missed target names its reason.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ROOT, setUp } from '../scripts/setup.mjs';
import { agent } from './agent.mjs';
import { changing } from './changing.mjs';
import { choosing } from './choosing.mjs';
import { codescout } from './codescout.mjs';
import { custom } from './custom.mjs';
import { dumping } from './dumping.mjs';
import { judging } from './judging.mjs';
import { lsp } from './lsp.mjs';
import { mcp } from './mcp.mjs';
import { mcpHttp } from './mcp-http.mjs';
import { project } from './project.mjs';
import { reading } from './reading.mjs';
import { remembering } from './remembering.mjs';
import { running } from './running.mjs';
import { sdk } from './sdk.mjs';
import { searching } from './searching.mjs';
import { showing } from './showing.mjs';
import { symbols } from './symbols.mjs';
import { syntax } from './syntax.mjs';
import { watching } from './watching.mjs';

const PAGE = path.join(ROOT, 'bench/RESULTS.md');
const TABLE = /(<!-- bench:begin -->\n)([\s\S]*)(<!-- bench:end -->)/;
const HEAD = ['| what | jinn | beside | that takes | ratio | target | |', '|---|---|---|---|---|---|---|'];
const BENCHES = [
  ...reading,
  ...changing,
  ...dumping,
  ...choosing,
  ...project,
  ...remembering,
  ...searching,
  ...codescout,
  ...syntax,
  ...symbols,
  ...judging,
  ...running,
  ...showing,
  ...watching,
  ...lsp,
  ...custom,
  ...mcp,
  ...mcpHttp,
  ...agent,
  ...sdk,
];

async function main() {
  const [filter] = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
  setUp();
  console.log(HEAD.join('\n'));
  const rows = new Map();
  for (const [i, bench] of BENCHES.entries()) {
    if (filter && !`${bench.what} ${bench.peer}`.includes(filter)) continue;
    rows.set(i, toRow(bench, await bench.run()));
    console.log(rows.get(i));
  }
  if ([...rows.values()].some((row) => row.includes('MISSED'))) process.exitCode = 1;
  if (process.argv.includes('--write')) writePage(rows);
}

function toRow({ what, peer, unit = ' ms', target, missed = 'no reason is known' }, measured) {
  const { ours, theirs } = measured;
  const memory = measured.peakMb === undefined ? '' : `, ${Math.round(measured.peakMb)} MB`;
  const ratio = theirs === undefined ? '' : (ours / theirs).toFixed(2);
  const cells = [what, `${show(ours)}${unit}${memory}`, peer, theirs === undefined ? '' : `${show(theirs)}${unit}`];
  return `| ${[...cells, ratio, describe(target, unit), verdictOf(target, missed, measured)].join(' | ')} |`;
}

function verdictOf(target, missed, measured) {
  if (Object.keys(target).length === 0) return '';
  return isMet(target, measured) ? 'met' : `MISSED: ${missed}`;
}

function isMet({ ratio, atLeast, atMost, extraMs, peakMb, spilled }, { ours, theirs, ...rest }) {
  return (
    (ratio === undefined || ours / theirs <= ratio) &&
    (atLeast === undefined || ours >= atLeast) &&
    (atMost === undefined || ours <= atMost) &&
    (extraMs === undefined || ours - theirs <= extraMs) &&
    (peakMb === undefined || (rest.peakMb ?? 0) < peakMb) &&
    (spilled === undefined || rest.spilled === spilled)
  );
}

function describe({ ratio, atLeast, atMost, extraMs, peakMb, spilled }, unit) {
  const parts = [
    ratio !== undefined && `ratio at most ${Number(ratio.toFixed(2))}`,
    atLeast !== undefined && `at least ${atLeast.toLocaleString('en')}`,
    atMost !== undefined && `at most ${atMost}${unit}`,
    extraMs !== undefined && `at most ${extraMs} ms more`,
    peakMb !== undefined && `under ${peakMb} MB`,
    spilled !== undefined && 'nothing written',
  ];
  return parts.filter(Boolean).join(', ');
}

function show(value) {
  if (value < 1) return value.toFixed(2);
  return value >= 1000 ? Math.round(value).toLocaleString('en') : value.toFixed(1);
}

/** Writes rows, by the places of their benches. Those of other benches stay as they are. */
function writePage(measured) {
  const [, , written = ''] = TABLE.exec(fs.readFileSync(PAGE, 'utf8')) ?? [];
  const [lead = '', ...known] = written.split('\n');
  const kept = BENCHES.map((bench) => takeRow(known, bench));
  const rows = [...HEAD, ...kept.map((row, i) => measured.get(i) ?? row).filter(Boolean)];
  const machine = `${os.cpus().length} cores (${os.cpus()[0]?.model.trim()}), ${os.type()}, Node ${process.version}`;
  const later = `${lead.replace(/ Some rows were .*/, '')} Some rows were measured later, on ${machine}.`;
  const about = measured.size < BENCHES.length ? later : `Measured by \`pnpm bench\` on ${machine}.`;
  const table = `${about}\n\n${rows.join('\n')}\n`;
  fs.writeFileSync(
    PAGE,
    fs.readFileSync(PAGE, 'utf8').replace(TABLE, (_, begin, __, end) => begin + table + end),
  );
  console.log(
    '`npm run generate` updates the five figures of the README and of docs/performance.md, and their picture',
  );
}

/** Takes the row of a bench out of the lines of a table. Several may be named alike: they stand in the order of the benches. */
function takeRow(lines, { what, peer }) {
  const at = lines.findIndex((line) => line.startsWith(`| ${what} | `) && line.includes(` | ${peer} | `));
  return at < 0 ? undefined : lines.splice(at, 1)[0];
}

await main();
