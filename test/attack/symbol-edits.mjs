import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { createRandom, makeDirectory, startSession } from './jinn-process.mjs';
import { count, isText, sourcesOf, toRow, withMembers } from './real-sources.mjs';

const ROOT = path.join(import.meta.dirname, '../..');
const SYMBOLS = 1_000;
const QUICK_SYMBOLS = 28;
const MOST_BYTES = 40_000;
/** Symbols of one file. */
const PER_FILE = 4;
/** Files whose compilers also judge what names mean. */
const HEADER = /\.(?:[ch]|cc|cpp|cxx|h..|tcc)$/;
const AST = ['-W', 'ignore', '-c', 'import ast,sys; ast.parse(open(sys.argv[1], "rb").read())'];

/** The parser of each language; a file that it refuses before the edit is passed over. */
const LANGUAGES = {
  TypeScript: parsesAsTypeScript,
  JavaScript: parsesAsTypeScript,
  Python: by('/usr/bin/python3', AST),
  Go: by('gofmt', ['-e']),
  C: by('gcc', ['-fsyntax-only', '-w', '-x', 'c'], true),
  'C++': by('g++', ['-fsyntax-only', '-w', '-x', 'c++'], true),
  Rust: by('rustfmt', ['--edition', '2021', '--check', '--config', 'skip_children=true'], false, [0, 1]),
  Ruby: by('ruby', ['-c']),
  PHP: by('php', ['-l']),
  Java: by('java', [path.join(import.meta.dirname, 'programs/ParseJava.java')]),
  Lua: by(hasProgram('luac') ? 'luac' : 'luac5.4', ['-p']),
  Bash: by('bash', ['-n']),
  JSON: (file) => parses(() => JSON.parse(fs.readFileSync(file, 'utf8'))),
  YAML: (file) => parses(() => parseYaml(fs.readFileSync(file, 'utf8'))),
};

export const suite = {
  name: 'symbol-edits',
  title: 'symbols of real files are replaced by themselves, removed and doubled: no damage that is not told',
  async *run({ jinn, quick, seed, count: wanted }) {
    const rows = [
      'replaced by itself',
      'removed',
      'inserted after itself under another name',
      'inserted in Go: gofmt changes columns alone',
      'refused, and nothing changed',
    ].map(toRow);
    const random = createRandom(seed);
    const cwd = makeDirectory();
    const flags = ['--toolset', 'symbols', '--no-history'];
    // Without language servers: an edit must not depend on one.
    const session = startSession(jinn, { cwd, home: makeDirectory(), flags, env: { PATH: '/nowhere' } });
    const most = Math.ceil((wanted ?? (quick ? QUICK_SYMBOLS : SYMBOLS)) / Object.keys(LANGUAGES).length);
    try {
      for (const name of Object.keys(LANGUAGES)) await tryLanguage(name, { session, cwd, random, rows, most });
    } finally {
      await session.close();
    }
    yield* rows;
  },
};

async function tryLanguage(name, { session, cwd, random, rows, most }) {
  const files = sourcesOf(name);
  let tried = 0;
  for (let attempt = 0; tried < most && attempt < 6 * most && files.length > 0; attempt++) {
    const source = files[Math.floor(random() * files.length)];
    const content = fs.readFileSync(source);
    if (!isText(content, MOST_BYTES)) continue;
    if (/^\/\/ @flow|@generated/m.test(content.toString('utf8', 0, 500))) continue;
    const copy = path.join(cwd, `${tried}-${path.basename(source)}`);
    const parses = (changed) => LANGUAGES[name](changed, path.dirname(source));
    tried += await tryFile({ source, content, copy, parses }, { session, random, rows });
    fs.rmSync(copy);
  }
  if (tried < most) rows[0].notes.push(`${name}: ${tried} of ${most} symbols, for want of files`);
}

async function tryFile(
  { source, content, copy, parses },
  { session, random, rows: [replaced, removed, inserted, formatted, refused] },
) {
  fs.writeFileSync(copy, content);
  if (!parses(copy)) return 0;
  const ask = async (tool, args) => {
    const answer = await session.ask({ tool, args: { path: path.basename(copy), ...args }, meta: true });
    return answer.ok
      ? { ...(answer.meta?.data ?? JSON.parse(answer.result)), meta: answer.meta ?? {} }
      : { error: answer.error };
  };
  const { symbols = [] } = await ask('list_symbols', { depth: 3, detail_level: 'full' });
  const all = symbols.flatMap(withMembers);
  const chosen = Array.from({ length: Math.min(PER_FILE, all.length) }, () => all[Math.floor(random() * all.length)]);
  let edited = 0;
  for (const { name, name_path: found, kind } of chosen) {
    const name_path = `/${found}`;
    const at = `${source}: ${found}`;
    const { symbols: matching } = await ask('find_symbol', { name_path, include_body: true });
    if (matching?.length !== 1) continue;
    const [{ body }] = matching;
    if (/\.ya?ml$/.test(copy) && /&\w/.test(body)) continue; // It is used elsewhere.
    edited++;
    const now = () => fs.readFileSync(copy);
    const edit = async (row, tool, args, isRight) => {
      const first = await ask(tool, { name_path, ...args });
      // What was put back here counts as a change by another.
      const answer = /modified since/.test(first.error ?? '') ? await ask(tool, { name_path, ...args }) : first;
      if (answer.error === undefined) count(row, isRight(answer), `${at}: ${tool}`);
      else count(refused, now().equals(content), `${at}: ${tool}: ${answer.error}`);
    };
    await edit(replaced, 'replace_symbol', { new_body: body }, () => now().equals(content));
    const isTold = ({ syntax_errors, warning, warnings, meta }) =>
      Boolean(syntax_errors ?? warning ?? warnings ?? meta.syntax ?? meta.warnings);
    await edit(
      removed,
      'remove_symbol',
      {},
      (answer) =>
        isTold(answer) ||
        ((parses(copy) || isUsed([copy, source.replace(/(\.h)?$/, '.tcc')], name)) && isCut(content, now())),
    );
    fs.writeFileSync(copy, content);
    if (HEADER.test(copy) && !isCloneable(body, { name, content })) continue;
    // Constructors and destructors have the name of their class.
    if (kind === 'constructor' || name.startsWith('~') || found.endsWith(`${name}/${name}`)) continue;
    const isWord = /^\w/.test(name);
    // An operator of Ruby is also called in its body.
    const named = new RegExp(
      `(?<!${copy.endsWith('.php') ? '\\w' : '[\\w$]'})${escapeName(name)}(?![\\w$])`,
      isWord ? 'g' : '',
    );
    const clone = body.replace(named, `${isWord ? name : 'x'}Copy9`);
    await edit(inserted, 'insert_code', { code: clone }, (answer) => {
      // gofmt breaks the line of a struct that stands on one, once a second field is in it.
      const lines = content.toString().split('\n');
      const isInLine = lines.some((line) => line.includes(body) && line.trim() !== body.trim());
      if (copy.endsWith('.go') && !isInLine && isFormatted(source))
        count(formatted, isFormatted(copy), `${at}: insert_code`);
      return isTold(answer) || (parses(copy) && isCut(now(), content));
    });
    fs.writeFileSync(copy, content);
  }
  return edited;
}

/**
 * Reports whether a header may have a declaration of C twice, under two names: only the last member of a struct may be an array
 * without a length, a declaration may name other members, a struct or constants besides, and a header may assert how
 * large a struct is.
 */
const isCloneable = (body, { name, content }) =>
  !/\[0?\]|^typedef[^;]*\{|\benum\b[^;]*\{|^[^({]*,/m.test(body) &&
  !body.trimEnd().endsWith(`} ${name};`) &&
  !/assert/i.test(content);

/** Reports whether a header still uses a name: then its compiler refuses it, though nothing is wrong with what was cut. */
const isUsed = ([copy, ...included], name) =>
  HEADER.test(copy) &&
  [copy, ...included.filter(fs.existsSync)].some((file) =>
    new RegExp(`(?<!\\w)${escapeName(name)}(?!\\w)`).test(fs.readFileSync(file, 'utf8')),
  );

/** Reports whether gofmt changes nothing of a file but the columns within lines. */
function isFormatted(file) {
  const { stdout } = spawnSync('gofmt', [file], { encoding: 'utf8' });
  const columns = (text) => text.replaceAll(/(?<=\S)[ \t]+/g, ' ');
  return columns(stdout) === columns(fs.readFileSync(file, 'utf8'));
}

/** Reports whether a text is what is left of another when one part of it is cut out, but for white space, separators, and `pass` or `:`. */
function isCut(whole, left) {
  const [a, b] = [whole, left].map((bytes) => bytes.toString('latin1'));
  let start = 0;
  while (start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  return /^[\s,;]*(?::|p?a?s?s?)[\s,;]*$/.test(b.slice(start, b.length - end));
}

function escapeName(name) {
  return name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** Makes a test of a file by the exit of a program. Headers are also searched in the directory that the file is from. */
function by(program, args, hasHeaders = false, good = [0]) {
  return (file, from) => {
    const more = hasHeaders ? ['-I', from] : [];
    return good.includes(spawnSync(program, [...args, ...more, file], { stdio: 'ignore', timeout: 20_000 }).status);
  };
}

function hasProgram(name) {
  return !spawnSync(name, ['-v'], { stdio: 'ignore' }).error;
}

function parses(parse) {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}

function parseYaml(text) {
  return createRequire(`${ROOT}/package.json`)('yaml').parse(text);
}

function parsesAsTypeScript(file) {
  const ts = createRequire(`${ROOT}/packages/lsp/package.json`)('typescript5');
  const source = ts.createSourceFile(file, fs.readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  return source.parseDiagnostics.length === 0;
}
