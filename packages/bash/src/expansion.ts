import { decodeAnsiC } from './ansi-c.ts';
import { Unparsable } from './limits.ts';
import type { Reader } from './reader.ts';
import type { WordBuilder } from './word-builder.ts';

const PARAMETER = /[A-Za-z_]\w*|[0-9@*#?$!-]/y;
const PLAIN_NAME = /^[A-Za-z_]\w*$/;
const APOSTROPHE = 39;
const ASSIGNS = /(?:^|[^=!<>])=(?!=)|<<=|>>=|\+\+|--/;
/** The name of a variable that programs may know: those in lower case are the command's own. */
const VARIABLE = /(?<![\w$])[A-Z_]{2}\w*/g;
const DEFAULTED = /^([A-Za-z_]\w*)(?:\[[^\]]{0,200}\])?:?=/;
const HIDDEN_COMMAND = { kind: 'runs', what: 'the command in quotes that do not quote here' } as const;
const EXPANDED_AGAIN = { kind: 'runs', what: 'the commands in a variable' } as const;

/** Reads `'…'`; the opening quote is at the position. */
export function readSingleQuotes(reader: Reader, word: WordBuilder): void {
  reader.pos++;
  word.add(reader.until("'"), true);
}

/** Reads `"…"`; the opening quote is at the position. */
export function readDoubleQuotes(reader: Reader, word: WordBuilder): void {
  reader.pos++;
  word.add('', true);
  readDouble(reader, word, '"');
}

/** Reads text in which only `\\`, `$` and backquotes mean something: to a closing quote, or to the end of a here-document. */
export function readDouble(reader: Reader, word: WordBuilder, closing: '"' | ''): void {
  for (;;) {
    readPlainInDouble(reader, word);
    const { char } = reader;
    if (char === closing) {
      if (closing !== '') reader.pos++;
      return;
    }
    if (char === '') throw reader.broken('no closing "');
    if (char === '"') {
      word.add('"', true);
      reader.pos++;
    } else if (char === '\\') readEscapeInDouble(reader, word, closing);
    else readExpansion(reader, word, closing === '"' ? 'double' : 'here');
  }
}

function readPlainInDouble(reader: Reader, word: WordBuilder): void {
  const { text, pos } = reader;
  let end = pos;
  while (end < text.length && !'"\\$`'.includes(text[end] ?? '')) end++;
  if (end > pos) word.add(text.slice(pos, end), true);
  reader.shared.limits.spend(end - pos + 1);
  reader.pos = end;
}

function readEscapeInDouble(reader: Reader, word: WordBuilder, closing: '"' | ''): void {
  const next = reader.text[reader.pos + 1] ?? '';
  const escapes = closing === '"' ? '$`"\\\n' : '$`\\\n';
  const removed = next !== '' && escapes.includes(next);
  reader.pos += removed ? 2 : 1;
  if (next !== '\n' || !removed) word.add(removed ? next : '\\', true);
}

type Where = 'bare' | 'double' | 'here';

/** Reads what starts with `$` or a backquote. */
export function readExpansion(reader: Reader, word: WordBuilder, where: Where): void {
  if (reader.char === '`') {
    readBackquotes(reader, word, where);
    return;
  }
  const quoted = where !== 'bare';
  reader.pos++;
  reader.skipContinuations();
  reader.shared.limits.spend(1);
  const { char } = reader;
  if (char === '(' || char === '{' || char === '[') {
    reader.pos++;
    reader.shared.limits.deeper(() => readBracketed(reader, word, char, quoted));
  } else if (char === "'" && !quoted) readAnsiC(reader, word);
  else if (char === '"' && !quoted) readDoubleQuotes(reader, word);
  else readParameter(reader, word, quoted);
}

function readBracketed(reader: Reader, word: WordBuilder, opening: '(' | '{' | '[', quoted: boolean): void {
  if (opening === '{') {
    readBraces(reader, word, quoted);
    return;
  }
  if (opening === '[') readArithmetic(reader, word, ']');
  else readParenthesis(reader, word);
  word.addUnknown(quoted);
}

function readParameter(reader: Reader, word: WordBuilder, quoted: boolean): void {
  PARAMETER.lastIndex = reader.pos;
  const [name] = PARAMETER.exec(reader.text) ?? [];
  if (name === undefined) {
    word.add('$', quoted);
    return;
  }
  reader.pos += name.length;
  word.addUnknown(quoted, name);
}

function readAnsiC(reader: Reader, word: WordBuilder): void {
  const start = ++reader.pos;
  const { text } = reader;
  while (reader.pos < text.length && reader.code !== APOSTROPHE) reader.pos += reader.char === '\\' ? 2 : 1;
  if (reader.pos >= text.length) throw reader.broken("no closing '");
  reader.shared.limits.spend(2 * (reader.pos - start));
  word.add(decodeAnsiC(text.slice(start, reader.pos)), true);
  reader.pos++;
}

/** Reads a substitution or arithmetic; `$(` is passed. */
function readParenthesis(reader: Reader, word: WordBuilder): void {
  reader.skipContinuations();
  if (reader.char === '(' && isArithmetic(reader, reader.pos + 1)) {
    reader.pos++;
    readArithmetic(reader, word, '))');
  } else {
    readScript(reader, word);
  }
}

/** Reads the script of `$(`, `<(` or `>(`, which is passed, and the parenthesis that closes it. */
export function readScript(reader: Reader, word: WordBuilder): void {
  word.addScript(reader.shared.limits.deeper(() => reader.shared.parse(reader, ')')));
}

/**
 * Says whether `((`, with the text after it at `start`, opens arithmetic. As in bash, it does when the parenthesis that
 * closes the inner one is followed by one more; else it is a subshell in a subshell.
 */
export function isArithmetic(reader: Reader, start: number): boolean {
  const { text } = reader;
  let depth = 1;
  let pos = start;
  for (; pos < text.length && depth > 0; pos++) {
    const char = text[pos];
    if (char === '\\') pos++;
    else if (char === '(') depth++;
    else if (char === ')') depth--;
    else if (char === "'" || char === '"') {
      pos = closingQuote(text, pos);
      if (pos === -1) return false;
    }
  }
  reader.shared.limits.spend(pos - start);
  return depth === 0 && text[pos] === ')';
}

function closingQuote(text: string, start: number): number {
  const quote = text[start] ?? '';
  if (quote === "'") return text.indexOf(quote, start + 1);
  let pos = start + 1;
  while (pos < text.length && text[pos] !== quote) pos += text[pos] === '\\' ? 2 : 1;
  return pos < text.length ? pos : -1;
}

/** Reads arithmetic, or a subscript, to what closes it, for the substitutions in it and the variables that it sets. */
export function readArithmetic(reader: Reader, word: WordBuilder, closing: '))' | ')' | ']'): void {
  const [open, close] = closing === ']' ? ['[', ']'] : ['(', ')'];
  const inner = word.inner();
  const start = reader.pos;
  let depth = 0;
  for (; reader.pos < reader.text.length; ) {
    reader.shared.limits.spend(1);
    const char = reader.char;
    if (depth === 0 && reader.text.startsWith(closing, reader.pos)) {
      addEffects(reader, inner, start);
      reader.pos += closing.length;
      return;
    }
    if (char === open) depth++;
    else if (char === close) depth--;
    if (!readQuoted(reader, inner)) reader.pos++;
  }
  throw reader.broken(`no closing ${closing}`);
}

/**
 * Adds what arithmetic does besides the substitutions that were read. Single quotes do not quote in it: bash expands
 * `$(( 'a[$(x)]' ))` as if it stood in double quotes.
 */
function addEffects(reader: Reader, inner: WordBuilder, start: number): void {
  if (inner.quotesExpansion) inner.addEffect(HIDDEN_COMMAND);
  const expression = reader.text.slice(start, reader.pos);
  reader.shared.limits.spend(expression.length >> 3);
  for (const name of assignedIn(expression)) inner.addEffect({ kind: 'sets', name });
}

/** Returns the variables that an arithmetic expression may set, of those that programs may know. */
export function assignedIn(expression: string): string[] {
  return ASSIGNS.test(expression) ? (expression.match(VARIABLE) ?? []) : [];
}

/** Reads a quoted text, an escape or an expansion, where one starts at the position. */
function readQuoted(reader: Reader, word: WordBuilder): boolean {
  switch (reader.char) {
    case "'":
      readSingleQuotes(reader, word);
      return true;
    case '"':
      readDoubleQuotes(reader, word);
      return true;
    case '\\':
      reader.pos += 2;
      return true;
    case '$':
    case '`':
      readExpansion(reader, word, 'bare');
      return true;
    default:
      return false;
  }
}

/** Reads a parameter; `${` is passed. Bash 5.3 runs `${ …; }` and `${| …; }`. */
function readBraces(reader: Reader, word: WordBuilder, quoted: boolean): void {
  reader.skipContinuations();
  if (/[\s|]/.test(reader.char)) {
    if (reader.char === '|') reader.pos++;
    word.addScript(reader.shared.parse(reader, '}'));
    word.addUnknown(quoted);
    return;
  }
  const start = reader.pos;
  const inner = word.inner();
  const { text, shared } = reader;
  while (reader.pos < text.length) {
    shared.limits.spend(1);
    const char = reader.char;
    if (char === '}') {
      addParameter(word, inner, { parameter: text.slice(start, reader.pos++), quoted });
      return;
    }
    if (isProcessSubstitution(reader, quoted)) {
      reader.pos += 2;
      readScript(reader, inner);
    } else if (!readQuoted(reader, inner)) reader.pos++;
  }
  throw reader.broken('no closing }');
}

/** Adds what stands between the braces of `${…}`. */
function addParameter(
  word: WordBuilder,
  inner: WordBuilder,
  { parameter, quoted }: { parameter: string; quoted: boolean },
): void {
  if (PLAIN_NAME.test(parameter)) {
    word.addUnknown(quoted, parameter);
    return;
  }
  // Quotes do not count in a subscript, and single ones not in `"${x:-'$(y)'}"`.
  if (inner.quotesExpansion) word.addEffect(HIDDEN_COMMAND);
  if (parameter.endsWith('@P')) word.addEffect(EXPANDED_AGAIN);
  const [, set] = DEFAULTED.exec(parameter) ?? [];
  if (set !== undefined) word.addEffect({ kind: 'sets', name: set });
  word.addUnknown(quoted);
}

function isProcessSubstitution(reader: Reader, quoted: boolean): boolean {
  const { char, text, pos } = reader;
  return !quoted && (char === '<' || char === '>') && text[pos + 1] === '(';
}

/** Reads a backquoted script. It is unescaped once and parsed as a text of its own, as bash does when it runs it. */
function readBackquotes(reader: Reader, word: WordBuilder, where: Where): void {
  const start = ++reader.pos;
  const { text, shared } = reader;
  while (reader.pos < text.length && reader.char !== '`') reader.pos += reader.char === '\\' ? 2 : 1;
  if (reader.pos >= text.length) throw reader.broken('no closing `');
  const body = text.slice(start, reader.pos++);
  shared.limits.spend(body.length + 1);
  const script = body.replace(where === 'double' ? /\\([$`\\"])/g : /\\([$`\\])/g, '$1');
  try {
    word.addScript(shared.limits.deeper(() => shared.parseText(script, shared)));
  } catch (error) {
    if (!(error instanceof Unparsable) || error.kind === 'limit') throw error;
    shared.brokenText = true;
  }
  word.addUnknown(where !== 'bare');
}
