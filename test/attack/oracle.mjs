import fs from 'node:fs';
import path from 'node:path';
import { createRandom, makeDirectory, startSession } from './jinn-process.mjs';

const NAMES = ['a.txt', 'b.txt', 'd/c.txt', 'd/e.txt'];
const SESSIONS = 2;

export const suite = {
  name: 'oracle',
  title: 'random changes by two processes, compared with a model',
  async *run({ jinn, quick, seed, count = quick ? 60 : 5_000, seconds }) {
    const alone = newRow('changes by two processes in turn');
    const together = newRow('changes of one file by two processes at once');
    const world = createWorld(jinn, createRandom(seed));
    const deadline = seconds === undefined ? undefined : performance.now() + seconds * 1_000;
    try {
      for (let i = 0; deadline === undefined ? i < count : performance.now() < deadline; i++) {
        if (i % 5 === 4) note(together, i, await changeAtOnce(world));
        else note(alone, i, await changeInTurn(world));
      }
    } finally {
      await Promise.all(world.sessions.map(({ close }) => close()));
    }
    yield alone;
    yield together;
  },
};

function newRow(what) {
  return { what, tried: 0, held: 0, failed: 0, notes: [] };
}

function note(row, step, faults) {
  row.tried++;
  row[faults.length === 0 ? 'held' : 'failed']++;
  for (const fault of faults.slice(0, 5)) row.notes.push(`step ${step}: ${fault}`);
}

/**
 * The model: for each file its content, undefined for none, and how often it has changed; and for each session the number of
 * the change after which it last saw a file.
 */
function createWorld(jinn, random) {
  const [cwd, home] = [makeDirectory(), makeDirectory()];
  const sessions = Array.from({ length: SESSIONS }, () => ({ ...startSession(jinn, { cwd, home }), known: new Map() }));
  return { cwd, sessions, random, files: new Map(NAMES.map((name) => [name, undefined])), changes: new Map(), next: 0 };
}

function pick({ random }, values) {
  return values[Math.floor(random() * values.length)];
}

/** A word that stands nowhere else. */
function newWord(world) {
  return `w${world.next++}${pick(world, ['', 'é', '“x”', '\u{1f600}'])}.`;
}

function newContent(world) {
  const ending = pick(world, ['\n', '\n', '\r\n']);
  const lines = Array.from({ length: 1 + Math.floor(world.random() * 12) }, () => newWord(world));
  return lines.join(ending) + pick(world, ['', ending]);
}

/** One change; what it does to the model: a map of the files that become something else, and the request for it. */
function planChange(world) {
  const existing = NAMES.filter((name) => world.files.get(name) !== undefined);
  const absent = NAMES.filter((name) => world.files.get(name) === undefined);
  const kinds = [
    write,
    ...(existing.length > 0 ? [edit, edit, multiEdit, patch, replaceEverywhere, remove] : []),
    ...(existing.length > 0 && absent.length > 0 ? [move] : []),
    ...(world.last ? [undoLast] : []),
  ];
  return pick(world, kinds)(world, { existing, absent });
}

function write(world) {
  const [name, content] = [pick(world, NAMES), newContent(world)];
  return { request: { tool: 'write_file', args: { path: name, content } }, after: { [name]: content } };
}

function edit(world, { existing }) {
  const name = pick(world, existing);
  const { word, text, after } = changeWord(world, world.files.get(name));
  return {
    request: { tool: 'edit_file', args: { path: name, old_text: word, new_text: text } },
    after: { [name]: after },
  };
}

/** Replaces a word, perhaps by two lines. New lines take the line ending of the file. */
function changeWord(world, content) {
  const word = pick(
    world,
    content.split(/\r?\n/).filter((line) => line !== ''),
  );
  const text = pick(world, [newWord(world), `${newWord(world)}\n${newWord(world)}`]);
  const ending = content.includes('\r\n') ? '\r\n' : '\n';
  return { word, text, after: content.split(word).join(text.replaceAll('\n', ending)) };
}

function multiEdit(world, { existing }) {
  const after = {};
  const edits = Array.from({ length: 1 + Math.floor(world.random() * 4) }, () => {
    const name = pick(world, existing);
    const changed = changeWord(world, after[name] ?? world.files.get(name));
    after[name] = changed.after;
    return { path: name, old_text: changed.word, new_text: changed.text };
  });
  return { request: { tool: 'multi_edit', args: { edits } }, after };
}

function patchOf(...lines) {
  return { tool: 'apply_patch', args: { patch: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') } };
}

/** A hunk that replaces a line and adds one below it, with the line before as context. */
function hunkFor(world, content) {
  const lines = content.match(/[^\r\n]+(\r\n|\n)?/g);
  const at = Math.floor(world.random() * lines.length);
  const usual = content.includes('\r\n') ? '\r\n' : '\n';
  const [old, ending] = [lines[at].replace(/\r?\n$/, ''), /\r?\n$/.exec(lines[at])?.[0] ?? ''];
  const added = [newWord(world), newWord(world)];
  const context = at > 0 ? [` ${lines[at - 1].replace(/\r?\n$/, '')}`] : [];
  const after = [...lines.slice(0, at), added.join(usual) + ending, ...lines.slice(at + 1)].join('');
  return { lines: [...context, `-${old}`, ...added.map((line) => `+${line}`)], after };
}

function patch(world, { existing }) {
  const name = pick(world, existing);
  const { lines, after } = hunkFor(world, world.files.get(name));
  return { request: patchOf(`*** Update File: ${name}`, '@@', ...lines), after: { [name]: after } };
}

function move(world, { existing, absent }) {
  const [from, to] = [pick(world, existing), pick(world, absent)];
  const { lines, after } = hunkFor(world, world.files.get(from));
  const request = patchOf(`*** Update File: ${from}`, `*** Move to: ${to}`, '@@', ...lines);
  return { request, after: { [from]: undefined, [to]: after } };
}

function remove(world, { existing }) {
  const name = pick(world, existing);
  return { request: patchOf(`*** Delete File: ${name}`), after: { [name]: undefined } };
}

function replaceEverywhere(world, { existing }) {
  const mark = `W${world.next++}`;
  const request = {
    tool: 'search_replace',
    args: { pattern: '\\bw(\\d+)', replacement: `${mark}-$1`, files: existing, timeout: 20 },
  };
  const changed = existing.map((name) => [name, world.files.get(name).replace(/\bw(\d+)/gu, `${mark}-$1`)]);
  return { request, after: Object.fromEntries(changed), reads: existing };
}

function undoLast(world) {
  const { id, before } = world.last;
  return { request: { tool: 'undo', args: { action: 'restore', id } }, after: before };
}

/** A session that knows a file by an older content is refused, reads it again, and repeats the change. */
async function changeInTurn(world) {
  const session = pick(world, world.sessions);
  const { request, after, reads = [] } = planChange(world);
  const touched = [...new Set([...Object.keys(after), ...reads])];
  const stale = touched.filter((name) => isStale(world, session, name));
  let answer = await session.ask(request);
  if (stale.length > 0) {
    if (answer?.error_code !== 'stale_file')
      return [`${request.tool}: not refused as stale: ${JSON.stringify(answer)?.slice(0, 300)}`];
    for (const name of stale) await readAgain(world, session, name);
    answer = await session.ask(request);
  }
  return settle(world, session, { request, after, answer });
}

function isStale(world, session, name) {
  const exists = world.files.get(name) !== undefined;
  return exists && session.known.has(name) && session.known.get(name) !== world.changes.get(name);
}

async function readAgain(world, session, name) {
  await session.ask({ tool: 'read_file', args: { path: name } });
  session.known.set(name, world.changes.get(name));
}

function settle(world, session, { request, after, answer }) {
  const before = Object.fromEntries(Object.keys(after).map((name) => [name, world.files.get(name)]));
  const changed = Object.keys(after).filter((name) => after[name] !== before[name]);
  const isRefusal = changed.length === 0 && ['edit_no_change', 'stale_file'].includes(answer?.error_code);
  if (!answer?.ok && !isRefusal)
    return [`${JSON.stringify(request).slice(0, 500)}: ${JSON.stringify(answer)?.slice(0, 300)}`];
  for (const name of changed) {
    setFile(world, name, after[name]);
    if (after[name] === undefined) session.known.delete(name);
    else session.known.set(name, world.changes.get(name));
  }
  const id = answer.meta?.operation_id;
  world.last = id && changed.length > 0 ? { id, before } : undefined;
  return findDifferences(world, request);
}

function setFile(world, name, content) {
  world.files.set(name, content);
  world.changes.set(name, (world.changes.get(name) ?? 0) + 1);
}

function findDifferences(world, request) {
  return NAMES.flatMap((name) => {
    const file = path.join(world.cwd, name);
    const now = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined;
    const wanted = world.files.get(name);
    if (now === wanted) return [];
    const fault = `${name} is ${JSON.stringify(now)}, not ${JSON.stringify(wanted)}, after ${JSON.stringify(request)}`;
    setFile(world, name, now);
    return [fault.slice(0, 1_000)];
  });
}

/** Both sessions change another line of one file at the same time: each change is there, or was refused. */
async function changeAtOnce(world) {
  const name = NAMES[0];
  const words = world.sessions.map(() => newWord(world));
  const content = `${words.join('\nmiddle\n')}\n`;
  const [first] = world.sessions;
  if (isStale(world, first, name)) await readAgain(world, first, name);
  const written = await settleWrite(world, first, name, content);
  if (written.length > 0) return written;
  for (const session of world.sessions) await readAgain(world, session, name);
  const texts = words.map(() => newWord(world));
  const answers = await Promise.all(
    world.sessions.map((session, i) =>
      session.ask({ tool: 'edit_file', args: { path: name, old_text: words[i], new_text: texts[i] } }),
    ),
  );
  const refused = answers.filter((answer) => !answer?.ok && answer?.error_code !== 'stale_file');
  if (refused.length > 0 || answers.every((answer) => !answer.ok))
    return [`both changed: ${JSON.stringify(answers).slice(0, 500)}`];
  const after = answers.reduce((text, answer, i) => (answer.ok ? text.split(words[i]).join(texts[i]) : text), content);
  setFile(world, name, after);
  world.last = undefined;
  for (const session of world.sessions) await readAgain(world, session, name);
  return findDifferences(world, 'two edits at once');
}

async function settleWrite(world, session, name, content) {
  const request = { tool: 'write_file', args: { path: name, content } };
  return settle(world, session, { request, after: { [name]: content }, answer: await session.ask(request) });
}
