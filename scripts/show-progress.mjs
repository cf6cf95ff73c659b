// Runs a command: node show-progress.mjs COMMAND ARGS... What it prints goes to standard output at its end. If it takes long,
// its newest line is shown on standard error now and then: at a terminal always in the same row.
import { spawn } from 'node:child_process';

const IN_PLACE = process.stderr.isTTY;
/** After so long the first line is shown, and another one as often as this. */
const SHOW_AFTER_MS = 5000;
const SHOW_EVERY_MS = IN_PLACE ? 1000 : 20_000;
const MOST_LINE = 100;
/** Empties the row of the cursor, and goes to the end of the one above, which the next line break leaves. */
const FORGET_ROW = '\r\x1b[2K\x1b[1A';

const [command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
const chunks = [];
let newest = '';
let shown = '';

for (const stream of [child.stdout, child.stderr]) {
  stream.on('data', (chunk) => {
    chunks.push(chunk);
    newest = chunk.toString().trim().split('\n').pop() || newest;
  });
}

/** Counts the letters of a line that fit into a row of the terminal. */
function widest() {
  return Math.min(MOST_LINE, IN_PLACE ? (process.stderr.columns || 80) - 4 : MOST_LINE);
}

function show() {
  // A registry's host may be private, and a log is often pasted.
  const line = newest
    .replace(/https?:\/\/(?:[^/\s@]*@)?[^/\s]+/g, '<registry>')
    .trim()
    .slice(0, widest());
  if (line !== shown) process.stderr.write(IN_PLACE ? `${shown && FORGET_ROW}\n  ${line}` : `\n  ${line}`);
  shown = line;
}

let timer = setTimeout(() => {
  show();
  timer = setInterval(show, SHOW_EVERY_MS);
}, SHOW_AFTER_MS);

child.on('error', ({ message }) => end(1, `${message}\n`));
child.on('close', (code) => end(code === null ? 1 : code, ''));

function end(code, last) {
  clearTimeout(timer);
  clearInterval(timer);
  if (shown) process.stderr.write(IN_PLACE ? '\r\x1b[2K ' : '\n ');
  process.exitCode = code;
  process.stdout.write(Buffer.concat([...chunks, Buffer.from(last)]));
}
