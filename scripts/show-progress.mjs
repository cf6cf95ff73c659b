// Runs a command: node show-progress.mjs COMMAND ARGS... What it prints goes to standard output at its end. If it takes long,
// its newest line is shown on standard error now and then.
import { spawn } from 'node:child_process';

/** After so long the first line is shown, and another one as often as this. */
const SHOW_AFTER_MS = 5000;
const SHOW_EVERY_MS = 3000;
const MOST_LINE = 100;

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

function show() {
  // A registry's host may be private, and a log is often pasted.
  const line = newest.replace(/https?:\/\/(?:[^/\s@]*@)?[^/\s]+/g, '<registry>').slice(0, MOST_LINE);
  if (line !== shown) process.stderr.write(`\n  ${line}`);
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
  if (shown) process.stderr.write('\n');
  process.exitCode = code;
  process.stdout.write(Buffer.concat([...chunks, Buffer.from(last)]));
}
