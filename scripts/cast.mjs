// Runs a few calls of jinn in a project, and draws what a terminal shows of them: docs/pictures/cast.svg.
// With --check it writes nothing, and fails if the picture is not what the built programs print.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from './setup.mjs';

const PICTURE = path.join(ROOT, 'docs/pictures/cast.svg');
const PROGRAM = path.join(ROOT, 'apps/jinn/dist/jinn.cjs');
const PROJECT = { 'cart.py': 'def total(prices):\n    return sum(prices)\n' };
const COMMANDS = [
  `jinn <<< '{"tool":"search_files","args":{"pattern":"total"}}'`,
  `jinn <<< '{"tool":"edit_file","args":{"path":"cart.py","old_text":"sum","new_text":"max"}}'`,
  `jinn <<< '{"tool":"run_shell","args":{"command":"rm -rf ."}}'`,
  `jinn <<< '{"tool":"read_file","args":{"path":"/home/me/.ssh/id_rsa"}}'`,
  `jinn <<< '{"tool":"undo","args":{"action":"restore","last":1}}'`,
  'cat cart.py',
];

const COLUMNS = 96;
const CHARACTER = 7.83;
const LINE = 20;
const MARGIN = 18;
const SECONDS_A_STEP = 2;
const SECONDS_TO_ANSWER = 0.8;
const SECONDS_AT_END = 5;

const STYLE = `
rect { fill: #f6f8fa; stroke: #d1d9e0 }
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #1f2328; white-space: pre }
.command { fill: #0550ae; font-weight: 600 } .refused { fill: #cf222e }
@media (prefers-color-scheme: dark) {
  rect { fill: #0d1117; stroke: #3d444d } text { fill: #f0f6fc } .command { fill: #79c0ff } .refused { fill: #ff7b72 }
}`;

/** Runs the commands, one after the other, in a directory of their own. Returns them with what they printed. */
function runCommands() {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'cast-'));
  try {
    fs.mkdirSync(path.join(home, 'bin'));
    fs.mkdirSync(path.join(home, 'project'));
    fs.symlinkSync(PROGRAM, path.join(home, 'bin/jinn'));
    for (const [name, text] of Object.entries(PROJECT)) fs.writeFileSync(path.join(home, 'project', name), text);
    const env = { PATH: `${home}/bin:${process.env.PATH}`, HOME: home };
    return COMMANDS.map((command) => {
      const options = { cwd: path.join(home, 'project'), env, encoding: 'utf8' };
      const { stdout, stderr, error } = spawnSync('bash', ['-c', command], options);
      if (error || !stdout) throw new Error(`${command} printed nothing: ${error?.message ?? stderr}`);
      return { command, output: shorten(stdout.trimEnd()) };
    });
  } finally {
    fs.rmSync(home, { recursive: true, force: true });
  }
}

/** Leaves out of an answer what is another one in each run: versions, ids and times. */
function shorten(output) {
  return output.replace(/ from \d{4}-\d\d-\d\dT.*(?=","meta")/, ' …').replace(/"meta":\{.*\}/, '"meta":{…}}');
}

function drawCast(steps) {
  const seconds = steps.length * SECONDS_A_STEP + SECONDS_AT_END;
  const lines = steps.flatMap(({ command, output }, i) => {
    const at = i * SECONDS_A_STEP + 0.3;
    const kind = output.includes('"ok":false') ? 'refused' : 'answer';
    return [
      ...wrap(`$ ${command}`).map((text) => ({ text, kind: 'command', at })),
      ...output.split('\n').flatMap((line) => wrap(line).map((text) => ({ text, kind, at: at + SECONDS_TO_ANSWER }))),
    ];
  });
  const [width, height] = [Math.ceil(2 * MARGIN + COLUMNS * CHARACTER), 2 * MARGIN + lines.length * LINE];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title">`,
    '<title id="title">In a terminal, jinn searches, edits, refuses what is dangerous or secret, and takes the edit back</title>',
    `<style>${STYLE}\n${animate(lines, seconds)}</style>`,
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>`,
    ...lines.map(({ text, kind, at }, i) => {
      const y = MARGIN + i * LINE + 14;
      return `<text class="${kind} s${nameOf(at)}" x="${MARGIN}" y="${y}">${escapeXml(text)}</text>`;
    }),
    '</svg>\n',
  ].join('\n');
}

/** Lets each line appear at its time. Who wants no motion sees all of them. */
function animate(lines, seconds) {
  const times = [...new Set(lines.map(({ at }) => at))];
  const rules = times.map((at) => {
    const share = ((at / seconds) * 100).toFixed(2);
    return `  @keyframes k${nameOf(at)} { 0%, ${share}% { opacity: 0 } ${(Number(share) + 0.01).toFixed(2)}%, 100% { opacity: 1 } }
  .s${nameOf(at)} { animation: k${nameOf(at)} ${seconds}s infinite }`;
  });
  return `@media (prefers-reduced-motion: no-preference) {\n${rules.join('\n')}\n}`;
}

function nameOf(at) {
  return Math.round(at * 10);
}

function wrap(text) {
  return text.match(new RegExp(`.{1,${COLUMNS}}`, 'gu')) ?? [''];
}

function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

function main() {
  const picture = drawCast(runCommands());
  if (!process.argv.includes('--check')) fs.writeFileSync(PICTURE, picture);
  else if (!fs.existsSync(PICTURE) || fs.readFileSync(PICTURE, 'utf8') !== picture) {
    console.error('docs/pictures/cast.svg is not what jinn prints; `node scripts/cast.mjs` draws it');
    process.exitCode = 1;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
