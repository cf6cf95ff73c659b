import type { PatternReader } from './pattern-reader.ts';

const DEEPER = 'write out as many levels as there can be, such as \\((?:[^()]|\\([^()]*\\))*\\) for two';
const CASES = 'write both cases as alternatives, each with what it depends on: (?:a…|b…)';

/** Syntax of other dialects: how it begins, and the text that means the same here. */
const REWRITTEN: readonly (readonly [RegExp, string | ((found: string) => string)])[] = [
  [/^\\G/, ''],
  [/^\\X/, '(?:\\P{M}\\p{M}*)'],
  [/^\\C/, '(?s:.)'],
  [/^\\V/, '.'],
  [/^\\y/, '\\b'],
  [/^\\Y/, '\\B'],
  [/^\\m/, '\\<'],
  [/^\\M/, '\\>'],
  [/^\\N\{U\+([0-9A-Fa-f]+)\}/, (digits) => toCharacter(digits, 16)],
  [/^\\o\{([0-7]+)\}/, (digits) => toCharacter(digits, 8)],
  [/^\\0([0-7]{1,2})/, (digits) => toCharacter(digits, 8)],
  [/^\[\[:<:\]\]/, '\\<'],
  [/^\[\[:>:\]\]/, '\\>'],
  [/^\[\^\](?![^\]]*\])/, '[\\s\\S]'],
  [/^(\[:\^?[a-z]+:\])/, (name) => `[${name}]`],
  [/^\(\?[>|]/, '(?:'],
  [/^\(\?i:(\w+)\)/, (word) => word.replace(/[a-z]/gi, (one) => `[${one.toLowerCase()}${one.toUpperCase()}]`)],
  [/^\(\*[A-Z][^)]*\)/, ''],
];
const ADVISED: readonly (readonly [RegExp, string])[] = [
  [/^\(\?(?:R|&\w+|P>\w+|[+-]?\d+)\)/, DEEPER],
  [/^\\g</, DEEPER],
  [/^\(\?\(/, CASES],
  [/^\(\?U\)/, 'write a question mark after each repetition that takes as little as it can: a+?'],
];

function toCharacter(digits: string, base: number): string {
  return `\\x{${Number.parseInt(digits, base).toString(16)}}`;
}

/** Throws if syntax of another dialect comes next. The error has the whole pattern in the syntax of this one. */
export function refuseOther(reader: PatternReader): void {
  const { at } = reader;
  if (!'\\(['.includes(reader.peek())) return;
  if (reader.ahead(/^\\K/)) {
    const write = (before: string, after: string) => `(?<=${before})${after}`;
    throw reader.unsupported('\\K is not supported', { at, length: 2, write });
  }
  for (const [opening, meaning] of REWRITTEN) {
    const [text, found = ''] = reader.ahead(opening) ?? [];
    if (text === undefined) continue;
    const write = typeof meaning === 'string' ? meaning : meaning(found);
    throw reader.unsupported(`${text} is not supported`, { at, length: text.length, write });
  }
  const [opening, advice] = ADVISED.find(([one]) => reader.ahead(one)) ?? [];
  if (opening) throw reader.wrong(`${reader.ahead(opening)?.[0]} is not supported`, at, advice);
}

/** Throws if a class is taken from another one, as in .NET and Java. */
export function refuseSubtraction(reader: PatternReader): void {
  const [text, caret, members] = reader.ahead(/^--?\[(\^?)([^\]]*)\](?=\])/) ?? [];
  if (text === undefined) return;
  const write = `&&[${caret === '' ? '^' : ''}${members}]`;
  throw reader.unsupported('a class cannot be taken from another', { at: reader.at, length: text.length, write });
}
