/** A list of commands, as between the parentheses of `$(…)` or the braces of a function. */
export interface Script {
  readonly items: readonly Item[];
}

export interface Item {
  readonly pipeline: Pipeline;
  /** The operator after it. A semicolon at the end. */
  readonly operator: '&&' | '||' | ';' | '&';
}

export interface Pipeline {
  readonly negated: boolean;
  readonly commands: readonly BashCommand[];
}

export type BashCommand = Simple | Compound;

interface Node {
  /** The text that `start` and `end` count in: the whole command, or what a backquote or a here-document holds. */
  readonly source: string;
  readonly start: number;
  readonly end: number;
  readonly redirects: readonly Redirect[];
}

export interface Simple extends Node {
  readonly kind: 'simple';
  readonly assignments: readonly Word[];
  readonly words: readonly Word[];
}

export interface Compound extends Node {
  readonly kind: 'group' | 'subshell' | 'if' | 'loop' | 'case' | 'test' | 'arithmetic' | 'function' | 'coproc';
  /** The name of a function or a coprocess, or the variable of a loop. */
  readonly name?: string | undefined;
  readonly scripts: readonly Script[];
  readonly words: readonly Word[];
}

export interface Redirect {
  readonly operator: string;
  /** The variable of `{name}>file`, which bash sets to the number of the descriptor. */
  readonly variable: string | undefined;
  /** The file or the descriptor. The text of a here-string or of a here-document. */
  readonly target: Word;
}

export interface Word {
  readonly pieces: readonly WordPiece[];
  /** The scripts of all its substitutions, however deep they stand in quotes, parameters and arithmetic. */
  readonly scripts: readonly Script[];
  /** The side effects of expanding the word, next to these scripts. */
  readonly effects: readonly WordEffect[];
}

export type WordEffect =
  /** Runs commands that the parser does not read as such: those in a variable, or in quotes that do not quote. */
  | { readonly kind: 'runs'; readonly what: string }
  /** Gives a variable a value, such as `${NAME:=value}` and `((NAME = 1))` do. */
  | { readonly kind: 'sets'; readonly name: string; readonly value?: string };

/** A part of a word without its quotes. `text` is undefined for an expansion, whose result only bash can tell. */
export interface WordPiece {
  readonly text: string | undefined;
  readonly quoted: boolean;
  /** The name in a plain `$name` or `${name}`. */
  readonly name: string | undefined;
}

/** Returns the text of a word without quotes and expansions, which may be a keyword. */
export function bareText(word: Word | undefined): string | undefined {
  const [piece] = word?.pieces ?? [];
  return word?.pieces.length === 1 && piece && !piece.quoted ? piece.text : undefined;
}

/** Returns the first word of a simple command, if it has neither quotes nor expansions. The empty text if there is none. */
export function firstWord(command: BashCommand): string {
  return command.kind === 'simple' ? (bareText(command.words[0]) ?? '') : '';
}

/** Stands in a field for text that only bash can tell, and that may be any number of words. */
export const HOLE = '\ue100';
/** The same within quotes, where the text stays in its word. */
export const QUOTED_HOLE = '\ue101';

const ANY_HOLE = /[\ue100\ue101]/;
const MEANS_SOMETHING = /[{*?[]/;
const MEANINGFUL = '{},*?[].';
/** Quoted characters with a meaning are moved here while the others are expanded. */
const HIDDEN = 0xe000;
const HIDDEN_ANY = /[\ue000-\ue00f]/g;
const MAX_BRACED = 512;
const MAX_FIELDS = 64;
const RANGE = /^-?\w+\.\.-?\w+(?:\.\.-?\d+)?$/;

/** True for a variable that still has its value from outside, which is harmless. */
export type Trust = (name: string) => boolean;

export function hasHole(field: string): boolean {
  return ANY_HOLE.test(field);
}

/** Reports whether the start of the field is not known, so that it may be an option. */
export function startsUnknown(field: string): boolean {
  return field.startsWith(HOLE) || field.startsWith(QUOTED_HOLE);
}

/** Returns the fields of a word as arguments: one, or more after braces. Holes stand for text that cannot be known. */
export function fieldsOf(word: Word, trusts: Trust): string[] {
  const [piece] = word.pieces;
  if (word.pieces.length === 1 && piece?.text !== undefined && (piece.quoted || !MEANS_SOMETHING.test(piece.text))) {
    return [piece.text];
  }
  if (!word.pieces.some(({ text, quoted }) => text !== undefined && !quoted && MEANS_SOMETHING.test(text))) {
    return [textOf(word, trusts)];
  }
  const hidden = word.pieces.map((part) => (part.quoted ? hide(shown(part, trusts)) : shown(part, trusts))).join('');
  const fields = expandBraces(hidden).map((field) => reveal(withoutGlobs(field)));
  return fields.length > 1 ? fields.filter((field) => field !== '') : fields;
}

/** Puts holes in place of globs. */
export function withoutGlobs(text: string): string {
  return text.replace(/[*?]|\[[^[\]]+\]/g, HOLE);
}

/** Returns the text of a word where it stays one field: after `=` and after a redirection. */
export function textOf(word: Word, trusts: Trust): string {
  return word.pieces.map((piece) => shown(piece, trusts)).join('');
}

function shown({ text, quoted, name }: WordPiece, trusts: Trust): string {
  if (text !== undefined) return text;
  if (name !== undefined && trusts(name)) return `$${name}`;
  return quoted && name !== '@' ? QUOTED_HOLE : HOLE;
}

function hide(text: string): string {
  return text.replace(/[{},*?[\].]/g, (char) => String.fromCharCode(HIDDEN + MEANINGFUL.indexOf(char)));
}

function reveal(text: string): string {
  return text.replace(HIDDEN_ANY, (char) => MEANINGFUL[char.charCodeAt(0) - HIDDEN] ?? char);
}

/** Expands `{a,b}`. Where that makes more fields than we look at, a hole stands for all. */
function expandBraces(text: string): string[] {
  if (!text.includes('{')) return [text];
  if (text.length > MAX_BRACED) return [HOLE];
  const fields = expand(text);
  return fields.length > MAX_FIELDS ? [HOLE] : fields;
}

function expand(text: string): string[] {
  for (let open = text.indexOf('{'); open !== -1; open = text.indexOf('{', open + 1)) {
    const group = groupAt(text, open);
    if (!group) continue;
    const before = text.slice(0, open);
    const after = expand(text.slice(group.end));
    const fields: string[] = [];
    for (const alternative of group.alternatives.flatMap(expand)) {
      for (const rest of after) fields.push(before + alternative + rest);
      if (fields.length > MAX_FIELDS) break;
    }
    return fields;
  }
  return [text];
}

function groupAt(text: string, open: number): { alternatives: string[]; end: number } | undefined {
  const alternatives: string[] = [];
  let depth = 0;
  let start = open + 1;
  for (let pos = open; pos < text.length; pos++) {
    const char = text[pos];
    if (char === '{') depth++;
    else if (char === ',' && depth === 1) {
      alternatives.push(text.slice(start, pos));
      start = pos + 1;
    } else if (char === '}' && --depth === 0) {
      const last = text.slice(start, pos);
      if (alternatives.length > 0) return { alternatives: [...alternatives, last], end: pos + 1 };
      return RANGE.test(last) ? { alternatives: [HOLE], end: pos + 1 } : undefined;
    }
  }
  return undefined;
}

const ALWAYS = new Set(['PATH', '?', '#', '$', '!', 'UID', 'EUID', 'PPID', 'RANDOM', 'SECONDS', 'LINENO']);
/** Variables that `run_shell` passes on or bash sets. All others come from the command itself. */
const PASSED_ON = /^(HOME|PWD|OLDPWD|USER|LOGNAME|TMPDIR|SHELL|LANG|TERM|TZ|HOSTNAME)$/;
const IS_JOB = /^="?\$(?:!|\{!\})"?(?=[\s;&)]|$)/;

/**
 * Reports whether the value of a variable is known: it comes from outside and the command does not set it, or it is
 * only ever set to `$!`. Any mention of the name without a dollar sign counts as setting it.
 */
export function isKnownVariable(name: string, text: string): boolean {
  if (ALWAYS.has(name)) return true;
  const isJob = !PASSED_ON.test(name);
  if (isJob && !text.includes('$!') && !text.includes('{!}')) return false;
  let jobs = 0;
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const before = text[at - 1] ?? '';
    const after = at + name.length;
    if (/\w/.test(before) || /\w/.test(text[after] ?? '')) continue; // A part of another name.
    if (before === '$' || (before === '{' && text[at - 2] === '$' && text[after] === '}')) continue;
    if (!isJob || !IS_JOB.test(text.slice(after, after + 8))) return false;
    jobs++;
  }
  return !isJob || jobs > 0;
}
