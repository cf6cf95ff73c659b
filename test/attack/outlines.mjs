import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { createRandom, makeDirectory, startSession } from './jinn-process.mjs';
import { count, isText, sourcesOf, toRow, withMembers } from './real-sources.mjs';

const FILES = 60;
const QUICK_FILES = 3;
const MOST_BYTES = 300_000;

/**
 * What ctags calls each language, the letters of its kinds that are symbols in jinn too, and what it mistakes for
 * declarations: a pattern of the name and of the line.
 */
const LANGUAGES = {
  TypeScript: ['TypeScript', 'fcigemnG', /^(?:as|new) /],
  JavaScript: ['JavaScript', 'fcgGS', /^(?:exports |desc |\S+ (?!.*\b(?:class|function|get|set)\b|.*=>))/],
  Python: ['Python', 'cfmv', /^\S+ .*\blambda\b/],
  Go: ['Go', 'fctvsimMna'],
  C: ['C', 'defgmpstuv', /^(?:[A-Z_]+ .*\);?|offsetof .*)$/],
  'C++': [
    'C++',
    'cdefgmnpstuv',
    /^(?:[A-Z_]+ .*\);?|std using.*|\w+ template [^<].*|(\S+) .*(?:typename \w+::|<[^<>]*\b)\1\b.*)$/,
  ],
  Rust: ['Rust', 'nsifgtvMmeP', /^str /],
  Ruby: ['Ruby', 'cfmSCA', /^\w+ (?!.*=(?![>=])|class|module|def|attr|.*\bdef\b).*/],
  PHP: ['PHP', 'cdfit'],
  Java: ['Java', 'acefgim'],
  'C#': ['C#', 'ceEfgimnps', /^(?:\S*\.|true |T .*where )/],
  Kotlin: ['Kotlin', 'icomT', /^(?:<|\w+ (?!.*\b(?:fun|val|var|class|object|interface|typealias)\b))/],
  Lua: ['Lua', 'f', /^(?:[^\w]|\S*\[|\S+ (?!.*\bfunction +[\w.:]+ *\(|.*= *function *\()|\S+ (?:--|#))/],
  Bash: ['Sh', 'f'],
};
/** `function name(` behind more of an expression: only the function itself knows that name. */
const EXPRESSION = /^(\S+) .*(?:\S\(|[=:,(?]|\*\/)\s*(?:async )?function\b\s*\*?\s*\1\b/;
/** Where a text of Ruby starts that goes on in the next lines. It may become code when it runs. */
const TEXT = /<<[-~]?["'`]?([A-Z_]\w*)|%[qQ]?(\{)$/;
/** Kinds of ctags that jinn lists only outside of functions. */
const OF_FUNCTIONS = /^(?:variable|constant|member|typedef|field|class|property|prototype)$/;
/** Languages without declarations of functions in functions, or whose local ones are not symbols. */
const IS_FLAT = /^(?:C|C\+\+|PHP|Lua)$/;
const FUNCTIONS = /^(?:function|method|constructor|test)$/;

export const suite = {
  name: 'outlines',
  title:
    'declarations that universal-ctags finds in real files are in the outline, or in lines that it says may hold more',
  async *run({ jinn, quick, seed, count: most = quick ? QUICK_FILES : FILES }) {
    if (!spawnSync('ctags', ['--version'], { encoding: 'utf8' }).stdout?.includes('Universal')) {
      yield { ...toRow('every language'), notes: ['universal-ctags is not installed'] };
      return;
    }
    const random = createRandom(seed);
    const cwd = makeDirectory();
    const session = startSession(jinn, { cwd, home: makeDirectory(), flags: ['--toolset', 'symbols', '--no-history'] });
    try {
      for (const [language, [name, kinds, mistake]] of Object.entries(LANGUAGES)) {
        const row = toRow(language);
        for (const file of choose(sourcesOf(language), most, random))
          await compare(file, { name, kinds, mistake, row, cwd, session });
        if (row.tried === 0) row.notes.push('there are no files of it here');
        yield row;
      }
    } finally {
      await session.close();
    }
  },
};

function choose(files, most, random) {
  const chosen = [];
  while (chosen.length < most && files.length > 0) {
    const [file] = files.splice(Math.floor(random() * files.length), 1);
    if (isText(fs.readFileSync(file), MOST_BYTES)) chosen.push(file);
  }
  return chosen;
}

async function compare(file, { name, kinds, mistake, row, cwd, session }) {
  const copy = `a${path.extname(file)}`;
  const content = fs.readFileSync(file);
  fs.writeFileSync(path.join(cwd, copy), content);
  const lines = content.toString().split('\n');
  const outline = await readOutline(session, copy);
  const texts = name === 'Ruby' ? textsIn(lines) : [];
  const functions = outline.symbols.filter(({ kind }) => FUNCTIONS.test(kind));
  for (const tag of tagsOf(file, name, kinds)) {
    const { line, kind } = tag;
    const seen = `${tag.name} ${lines[line - 1]?.trim()}`;
    if (mistake?.test(seen) || EXPRESSION.test(seen) || texts.some(([from, to]) => from < line && line < to)) continue;
    const isInside = functions.some(({ start_line: start, end_line: end }) => start < line && line <= end);
    const isListed = outline.symbols.some((symbol) => namesOf(symbol).some((each) => isSame(each, plain(tag.name))));
    const isMarked = outline.gaps.some(([from, to]) => from <= line && line <= to);
    if (!isListed && !isMarked && isInside && (OF_FUNCTIONS.test(kind) || IS_FLAT.test(name))) continue;
    // `TEST_BEGIN(name) {` is the function of that name, and a declaration in a misread function is none.
    const isMacro = /^[A-Z_]+$/.test(tag.name) && functions.some((one) => lines[line - 1].includes(`(${one.name}`));
    if (isMacro || (kind === 'prototype' && !tag.scope && /^\s/.test(lines[line - 1]))) continue;
    const marks = outline.gaps.length > 0 ? ` (marked: ${outline.gaps.map((gap) => gap.join('-'))})` : '';
    count(row, isListed || isMarked, `${file}:${line}: ${kind} ${tag.name}${marks}`);
  }
}

/** ctags reads such a text as if it were code. */
function textsIn(lines) {
  const texts = [];
  for (let at = 0; at < lines.length; at++) {
    const [opener, word, brace] = TEXT.exec(lines[at]) ?? [];
    if (opener === undefined) continue;
    const end = lines.findIndex((line, i) => i > at && (brace ? line.trim().startsWith('}') : line.trim() === word));
    if (end < 0) continue;
    texts.push([at + 1, end + 1]);
    at = end;
  }
  return texts;
}

async function readOutline(session, file) {
  const found = { symbols: [], gaps: [] };
  for (let offset = 0; offset !== undefined; ) {
    const args = { path: file, depth: 50, detail_level: 'full', offset };
    const { ok, error, meta } = await session.ask({ tool: 'list_symbols', args, meta: true });
    if (!ok) throw new Error(`${file}: ${error}`);
    found.symbols.push(...meta.data.symbols.flatMap(withMembers));
    found.gaps = (meta.warnings ?? []).flatMap((text) =>
      /too large or too broken/.test(text) ? [[1, Infinity]] : linesOf(text),
    );
    offset = meta.data.overflow?.next_offset;
  }
  return found;
}

function linesOf(warning) {
  const [, lines = ''] = /: lines (.*)/.exec(warning) ?? [];
  if (/ more$/.test(lines)) return [[1, Infinity]];
  return lines
    .split(', ')
    .filter(Boolean)
    .map((range) => [...range.split('-'), range].map(Number).slice(0, 2));
}

/** Returns the names by which a symbol can be found: `b` of `a.b`, `~b`, `operator ==`. */
function namesOf({ name }) {
  return [
    plain(name),
    ...name.split(/::|[.:/#\s]/),
    ...name.split(/[.:]/).map((_, at, all) => all.slice(at).join('.')),
  ];
}

const isSame = (name, tag) => name === tag || (tag.startsWith('operator') && name.startsWith(tag));

const plain = (name) =>
  name
    .replace(/=$/, '')
    .replace(/^["'`]|["'`]$/g, '')
    .replace(/[\s\\]+/g, '')
    .replace(/^.*(?:::|[.:])(?=\w)/, '');

function tagsOf(file, name, kinds) {
  const options = ['--options=NONE', '--output-format=json', '--fields=+nl', '-o', '-', `--language-force=${name}`];
  const { stdout } = spawnSync('ctags', [...options, `--kinds-${name}=${kinds}`, file], {
    encoding: 'utf8',
    cwd: '/',
    maxBuffer: 2 ** 28,
  });
  const tags = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  return tags.filter((tag) => tag.language === name && !/^(?:__anon|anonymous|\d+$)/i.test(tag.name));
}
