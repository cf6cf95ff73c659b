import { isUtf8 } from 'node:buffer';
import fs from 'node:fs';
import path from 'node:path';

const NPM = path.join(import.meta.dirname, '../../node_modules/.pnpm');
/** Directories to take files from instead, separated by colons. */
const GIVEN = process.env.ATTACK_SOURCES?.split(':').filter(Boolean);
const PYTHON = ['/usr/lib/python3.11', '/usr/lib/python3'];
const GO = ['/usr/lib/go/src/', '/usr/share/go/src/', '/usr/share/go-1.19/src/'];
const HEADERS = ['/usr/include/linux', '/usr/include/openssl'];

/** Each language: where real files of it lie on many machines, and what they are called. */
const LANGUAGES = {
  TypeScript: [[NPM], /\.[cm]?tsx?$/],
  JavaScript: [[NPM], /\.[cm]?jsx?$/],
  Python: [PYTHON, /\.py$/],
  Go: [GO, /\.go$/],
  C: [HEADERS, /\.[ch]$/],
  'C++': [['/usr/include/c++'], /\.(?:hpp|hh|hxx|cc|cpp|cxx|h)$/],
  Rust: [['/root/.cargo/registry/src', '/usr/share/cargo'], /\.rs$/],
  Ruby: [['/usr/lib/ruby'], /\.rb$/],
  PHP: [['/usr/share/php', NPM], /\.php$/],
  Java: [['/usr/share/java', NPM], /\.java$/],
  'C#': [['/usr/share/dotnet'], /\.cs$/],
  Kotlin: [[NPM], /\.kts?$/],
  Lua: [['/usr/share/lua', '/usr/share/nmap', '/usr/share/vim'], /\.lua$/],
  Bash: [['/usr/bin', '/usr/share', '/etc'], /\.(?:sh|bash)$/],
  JSON: [[NPM], /\.json$/],
  YAML: [[NPM], /\.ya?ml$/],
};

/** Returns the paths of files of a language that can be read, in order. */
export function sourcesOf(language) {
  const [known, pattern] = LANGUAGES[language];
  return (GIVEN ?? known)
    .flatMap(entriesBelow)
    .filter((entry) => entry.isFile() && pattern.test(entry.name) && !entry.parentPath.includes('/testdata/'))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter(isReadable)
    .sort();
}

/** Reports whether a content is text in UTF-8 of at most a size. */
export function isText(content, mostBytes) {
  return content.length > 0 && content.length <= mostBytes && isUtf8(content) && !content.includes(0);
}

/** Returns the symbols of an answer of list_symbols with all their members. */
export function withMembers(symbol) {
  return [symbol, ...(symbol.children ?? []).flatMap(withMembers)];
}

/** Counts an attempt in a row. */
export function count(row, holds, note) {
  row.tried++;
  if (holds) row.held++;
  else if (row.failed++ < 20) row.notes.push(note);
}

export const toRow = (what) => ({ what, tried: 0, held: 0, failed: 0, notes: [] });

function isReadable(file) {
  try {
    fs.accessSync(file, fs.constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

function entriesBelow(directory) {
  let entries = [];
  try {
    entries = fs.readdirSync(directory, { withFileTypes: true });
  } catch {
    // It is not there, or an ordinary user may not list it.
  }
  return entries.flatMap((entry) => (entry.isDirectory() ? entriesBelow(path.join(directory, entry.name)) : [entry]));
}
