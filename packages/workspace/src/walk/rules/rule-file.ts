/** A longer pattern is not applied: no path is as long. */
const MAX_PATTERN = 4096;
/** They take some 20 MB at most, and no tree needs as many. */
const MAX_RULES = 20_000;

/** All text is bytes (latin1), because git compares bytes. */
export interface Rule {
  /** The line, without the trailing blanks that git drops. */
  readonly text: string;
  readonly pattern: string;
  /** True if the rule excludes what it matches, false if it includes it again. */
  readonly excludes: boolean;
  readonly directoriesOnly: boolean;
  /** True if matched against the path from the rule file's directory, false if against names. */
  readonly anchored: boolean;
  /** True if it also excludes files that Git tracks. */
  readonly coversTracked?: boolean;
  /** Its name for users, and the line in it, from 1. */
  readonly file: string;
  readonly line: number;
}

/** A line that is not a rule, or a rule that can match nothing. */
export interface RuleFault {
  readonly line: number;
  /** Completes the sentence "line N …". */
  readonly reason: string;
}

export interface RuleFile {
  readonly rules: readonly Rule[];
  readonly faults: readonly RuleFault[];
}

/** The meaning of a `!` before a pattern: `.gitignore` includes again with it, `.contextfiles` excludes. */
export type Negation = 'includes' | 'excludes';

/**
 * Parses a rule file as git does: a byte order mark is dropped, a line ends in LF or CRLF, and trailing blanks are
 * dropped unless they are escaped. Few lines reach a regular expression: a process that has just started takes longer
 * to compile one than to parse the rule files of most trees.
 */
export function parseRules(content: Uint8Array, file: string, negation: Negation): RuleFile {
  const text = Buffer.from(content.buffer, content.byteOffset, content.length).toString('latin1');
  const lines = (text.startsWith('\xef\xbb\xbf') ? text.slice(3) : text).split('\n');
  const rules: Rule[] = [];
  const faults: RuleFault[] = [];
  for (const [i, line] of lines.entries()) {
    if (line.startsWith('#')) continue;
    if (rules.length === MAX_RULES && trimLine(line) !== '') {
      faults.push({ line: i + 1, reason: `and what follows it are not applied: ${MAX_RULES} rules stand above it` });
      break;
    }
    const body = trimLine(line);
    const rule = parseLine(body, negation, { file, line: i + 1 });
    const reason = findFault(body, rule);
    if (reason !== undefined) faults.push({ line: i + 1, reason });
    if (rule && !isTooLong(rule)) rules.push(rule);
  }
  return { rules, faults };
}

const ASCII = /^[\0-\x7f]*$/;

/** Returns a name in the form that rules of git are matched against. */
export function toBytes(name: string): string {
  return ASCII.test(name) ? name : Buffer.from(name).toString('latin1');
}

function parseLine(body: string, negation: Negation, where: { file: string; line: number }): Rule | undefined {
  const isNegated = body.startsWith('!');
  const directoriesOnly = body.endsWith('/');
  let pattern = body.slice(isNegated ? 1 : 0, directoriesOnly ? -1 : undefined);
  let anchored = pattern.includes('/');
  if (pattern.startsWith('/')) pattern = pattern.slice(1);
  if (pattern.includes('***') && pattern.length <= MAX_PATTERN)
    pattern = pattern.replace(/(?<=^|\/)\*{3,}(?=\\?\/|$)/g, '**'); // Git reads both alike.
  if (pattern.startsWith('**/') && pattern.length > 3 && !pattern.includes('/', 3)) {
    pattern = pattern.slice(3);
    anchored = false;
  }
  if (pattern === '') return undefined;
  const excludes = isNegated === (negation === 'excludes');
  return { text: body, pattern, excludes, directoriesOnly, anchored, ...where };
}

function trimLine(text: string): string {
  const nul = text.indexOf('\0');
  const line = nul >= 0 ? text.slice(0, nul) : text.endsWith('\r') ? text.slice(0, -1) : text;
  let end = line.length;
  while (line[end - 1] === ' ') end--;
  if (end === line.length) return line;
  let backslashes = 0;
  while (line[end - 1 - backslashes] === '\\') backslashes++;
  return line.slice(0, backslashes % 2 ? end + 1 : end);
}

function findFault(body: string, rule: Rule | undefined): string | undefined {
  if (!rule) return body === '' ? undefined : 'has no pattern';
  if (isTooLong(rule)) return 'is too long (it is not applied)';
  if (!rule.pattern.includes('\\') && !rule.pattern.includes('[')) return undefined;
  const rest = rule.pattern.replace(/\\[\s\S]/g, '');
  if (rest.endsWith('\\')) return 'ends in a backslash (it matches nothing)';
  const sets = rest.match(/\[[!^]?\]?(?:\[:\w*:\]|[^\]])*\]?/g) ?? [];
  if (sets.some((set) => !/.\]$/s.test(set))) return 'has a [ that is never closed (it matches nothing)';
  return sets.some(hasReversedRange) ? 'has a range that runs backwards (it matches nothing)' : undefined;
}

function hasReversedRange(set: string): boolean {
  return [...set.slice(1, -1).matchAll(/(.)-(.)/gs)].some(([, from = '', to = '']) => from > to);
}

function isTooLong({ pattern }: Rule): boolean {
  return pattern.length > MAX_PATTERN;
}
