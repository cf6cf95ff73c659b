import { isUtf8 } from 'node:buffer';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeDirectory, startSession } from './jinn-process.mjs';

const ROOT = path.join(import.meta.dirname, '../..');
const FILES = 2_000;
const QUICK_FILES = 60;
const MOST_BYTES = 60_000;
const CODE = /\.(?:[cm]?[jt]sx?|py|c|h|cc|cpp|go|sh)$/;
/** Symbols of each file that are replaced by themselves, and that are parsed alone. */
const SYMBOLS = 5;

export const suite = {
  name: 'symbols',
  title: 'symbols of real files: each parses alone, and replacing it by itself changes no byte',
  async *run({ jinn, quick, count }) {
    const files = realFiles(count ?? (quick ? QUICK_FILES : FILES));
    const cwd = makeDirectory();
    const flags = ['--toolset', 'symbols', '--no-history'];
    // Without language servers: what a symbol means alone is not asked, only whether it parses.
    const session = startSession(jinn, { cwd, home: makeDirectory(), flags, env: { PATH: '/nowhere' } });
    const rows = ['top-level symbols that parse alone', 'symbols replaced by themselves'].map(toRow);
    try {
      for (const [i, file] of files.entries())
        await tryFile(session, { cwd, name: `${i}${path.extname(file)}`, file, rows });
    } finally {
      await session.close();
    }
    yield* rows;
    if (!quick) yield parseMembers(files.length);
  },
};

const toRow = (what) => ({ what, tried: 0, held: 0, failed: 0, notes: [] });

function count(row, holds, note) {
  row.tried++;
  if (holds) row.held++;
  else if (row.failed++ < 10) row.notes.push(note);
}

/** Files of npm packages, spread over all of them. */
function realFiles(most) {
  const directory = path.join(ROOT, 'node_modules/.pnpm');
  const files = fs
    .readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && CODE.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
  const step = Math.max(1, files.length / (1.3 * most));
  const sampled = Array.from({ length: files.length }, (_, i) => files[Math.floor(i * step)]).filter(Boolean);
  return [...new Set(sampled)].filter(isSource).slice(0, most);
}

function isSource(file) {
  const { size } = fs.statSync(file);
  if (size === 0 || size > MOST_BYTES) return false;
  const content = fs.readFileSync(file);
  return isUtf8(content) && !content.includes(0);
}

async function tryFile(session, { cwd, name, file, rows: [alone, replaced] }) {
  const content = fs.readFileSync(file);
  fs.writeFileSync(path.join(cwd, name), content);
  const ask = async (tool, args) => {
    const answer = await session.ask({ tool, args, meta: true });
    return answer.ok ? (answer.meta?.data ?? JSON.parse(answer.result)) : { error: answer.error };
  };
  const { symbols = [] } = await ask('list_symbols', { path: name, depth: 3, detail_level: 'full' });
  const { total } = await ask('symbol_diagnostics', { path: name });
  for (const symbol of some(symbols.flatMap(withMembers))) {
    const { name_path } = symbol;
    const { symbols: found } = await ask('find_symbol', { name_path: `/${name_path}`, path: name, include_body: true });
    if (found?.length !== 1) continue;
    const [{ body }] = found;
    if (total === 0 && symbols.includes(symbol)) await parseAlone(ask, { cwd, name, symbol, body, row: alone });
    const answer = await ask('replace_symbol', { path: name, name_path: `/${name_path}`, new_body: body });
    if (/declares other names too|it is not known where it ends/.test(answer.error ?? '')) continue;
    const isSame = fs.readFileSync(path.join(cwd, name)).equals(content);
    count(replaced, answer.status === 'ok' && isSame, `${file}: ${name_path}: ${answer.error ?? 'bytes changed'}`);
    if (!isSame) fs.writeFileSync(path.join(cwd, name), content);
  }
  fs.rmSync(path.join(cwd, name));
}

async function parseAlone(ask, { cwd, name, symbol, body, row }) {
  // One of several names in a declaration is no statement.
  if (body.trimStart().startsWith(symbol.name) && /^(?:constant|variable|function|class)$/.test(symbol.kind)) return;
  // A key of an object is an entry of one.
  const isEntry = symbol.kind === 'property' && /\.[cm]?[jt]sx?$/.test(name);
  fs.writeFileSync(path.join(cwd, `alone-${name}`), isEntry ? `({\n${body}\n})` : body);
  const { total, diagnostics } = await ask('symbol_diagnostics', { path: `alone-${name}` });
  count(row, total === 0, `${name}: ${symbol.name_path}: ${JSON.stringify(diagnostics?.[0])}`);
  fs.rmSync(path.join(cwd, `alone-${name}`));
}

function withMembers(symbol) {
  return [symbol, ...(symbol.children ?? []).flatMap(withMembers)];
}

function some(symbols) {
  const step = Math.max(1, symbols.length / SYMBOLS);
  return Array.from({ length: Math.min(SYMBOLS, symbols.length) }, (_, i) => symbols[Math.floor(i * step)]);
}

/** Members parse alone only within something; the test of the package knows what. */
function parseMembers(files) {
  const child = spawnSync(
    process.execPath,
    // With this loader vitest writes nothing into the tree, which may belong to somebody else.
    ['node_modules/vitest/vitest.mjs', 'run', '--configLoader=runner', 'packages/syntax/src/real-files.slow.test.ts'],
    {
      cwd: ROOT,
      encoding: 'utf8',
      env: { ...process.env, JINN_REAL_FILES: String(files) },
    },
  );
  const row = toRow('members that parse alone within their type: files');
  const isOk = child.status === 0;
  return {
    ...row,
    tried: files,
    held: isOk ? files : 0,
    failed: isOk ? 0 : files,
    notes: isOk ? [] : [`${child.stdout}${child.stderr}`.slice(-2_000)],
  };
}
