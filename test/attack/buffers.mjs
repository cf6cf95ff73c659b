import fs from 'node:fs';
import path from 'node:path';
import { createRandom, makeDirectory, removeDirectory, startSession } from './jinn-process.mjs';

const CALLS = 10_000;
const QUICK_CALLS = 800;
const FILES = 120;
const AT_ONCE = 200;
const COMMANDS_AT_ONCE = 40;
const LINES = 3_000;
/** What the peak may grow by after the first quarter of a session, in MB: the heap is not collected at once. */
const GROWTH_MB = 40;
const FLAGS = ['--toolset', 'codescout'];

export const suite = { name: 'buffers', title: 'long sessions and many calls at once over output buffers', run };

async function* run({ jinn, quick, seed, count }) {
  const top = makeDirectory();
  const [cwd, home] = [path.join(top, 'work'), path.join(top, 'home')];
  for (const directory of [cwd, home]) fs.mkdirSync(directory);
  for (let i = 0; i < FILES; i++) fs.writeFileSync(path.join(cwd, `f${i}.txt`), linesOf(i));
  try {
    const calls = count ?? (quick ? QUICK_CALLS : CALLS);
    yield await longSession(jinn, { cwd, home, seed, calls });
    yield await atOnce(jinn, { cwd, home });
  } finally {
    removeDirectory(top);
  }
}

function linesOf(file) {
  return Array.from({ length: 400 }, (_, i) => `file ${file} line ${i + 1}\n`).join('');
}

/** Makes random calls in one session, checks each answer, and compares the memory of its first quarter with all of it. */
async function longSession(jinn, { cwd, home, seed, calls }) {
  const row = { what: `${calls} calls in one session, with flat memory`, tried: 0, held: 0, failed: 0, notes: [] };
  const random = createRandom(seed);
  const session = startSession(jinn, { cwd, home, flags: FLAGS });
  let last;
  let early;
  for (let i = 0; i < calls; i++) {
    const { request, check } = nextCall(random, last);
    const answer = await session.ask(request);
    last = /@(?:file|cmd|tool)_[0-9a-f]{8}/.exec(answer?.result ?? '')?.[0] ?? last;
    tell(
      row,
      answer?.ok === true && check(answer.result),
      () => `call ${i}: ${JSON.stringify([request, answer]).slice(0, 400)}`,
    );
    if (i === Math.floor(calls / 4)) early = session.peakMb();
  }
  const growth = early === undefined ? 0 : session.peakMb() - early;
  tell(row, growth <= GROWTH_MB, () => `the peak grew by ${growth.toFixed(0)} MB after ${early.toFixed(0)} MB`);
  row.notes.push(`seed ${seed}: ${early?.toFixed(0)} MB after a quarter, ${growth.toFixed(0)} MB more at the end`);
  await session.close();
  return row;
}

function nextCall(random, reference) {
  const file = Math.floor(random() * FILES);
  const line = 1 + Math.floor(random() * 400);
  const kind = random();
  if (kind < 0.02) return call('run_command', { command: `seq ${LINES}` }, (result) => result.includes('@cmd_'));
  if (kind < 0.03 && reference)
    return call('run_command', { command: `grep -c . ${reference}` }, (result) => !result.includes('output_id'));
  if (kind < 0.3 && reference)
    return call('read_file', { path: reference, start_line: 1, end_line: 2 }, (result) => result.includes('content'));
  if (kind < 0.5) {
    const expected = `file ${file} line ${line}\\n`;
    return call('read_file', { path: `f${file}.txt`, start_line: line, end_line: line }, (result) =>
      result.includes(expected),
    );
  }
  if (kind < 0.8) return call('read_file', { path: `f${file}.txt` }, (result) => result.includes('"file_id":"@file_'));
  if (kind < 0.85) return call('list_dir', { path: '.' }, (result) => result.includes(`/f${file}.txt`));
  if (kind < 0.9) return call('find_file', { pattern: `f${file}.txt` }, (result) => result.includes('"total":1'));
  const pattern = `file ${file} line ${line}$`;
  return call('search_pattern', { pattern, path: `f${file}.txt` }, (result) => result.includes('"total":1'));
}

function call(tool, args, check) {
  return { request: { tool, args }, check };
}

/** Sends many calls without waiting, and reads each buffer that they made. */
async function atOnce(jinn, { cwd, home }) {
  const row = { what: `${AT_ONCE} calls at once`, tried: 0, held: 0, failed: 0, notes: [] };
  const session = startSession(jinn, { cwd, home, flags: FLAGS });
  const requests = Array.from({ length: AT_ONCE }, (_, i) => ({
    ...(i < COMMANDS_AT_ONCE
      ? { tool: 'run_command', args: { command: `seq ${i} ${LINES + i}` } }
      : { tool: 'read_file', args: { path: `f${i % 8}.txt` } }),
    parallel: true,
    request_id: `r${i}`,
  }));
  const answers = await Promise.all(requests.map((request) => session.ask(request)));
  for (const answer of answers) {
    const i = Number(answer?.request_id?.slice(1));
    const reference = /@(?:file|cmd)_[0-9a-f]{8}/.exec(answer?.result ?? '')?.[0];
    const read = await session.ask({ tool: 'read_file', args: { path: reference, start_line: 2, end_line: 2 } });
    const expected = i < COMMANDS_AT_ONCE ? `"content":"${i + 1}\\n"` : `"content":"file ${i % 8} line 2\\n"`;
    tell(row, read?.result?.includes(expected), () => `${JSON.stringify([answer, read]).slice(0, 400)}`);
  }
  await session.close();
  return row;
}

function tell(row, holds, note) {
  row.tried++;
  if (holds) row.held++;
  else {
    row.failed++;
    if (row.notes.length < 5) row.notes.push(note());
  }
}
