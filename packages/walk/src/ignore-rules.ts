/** A longer line is no rule: no path is as long. */
const MAX_LINE = 4096;

/** One line of a `.gitignore`. All text here is bytes (latin1), as git compares it. */
export interface Rule {
  /** The line, without the blanks that git drops. */
  readonly text: string;
  /** Without its `!`, its first slash, and its last one. */
  readonly pattern: string;
  readonly negated: boolean;
  readonly directoriesOnly: boolean;
  /** Matched from the rule file's directory on, and not against the name alone. */
  readonly anchored: boolean;
  /** The file that holds it, as a user may be shown it, and the line, from 1. */
  readonly file: string;
  readonly line: number;
}

/** A line of a rule file that is no rule, or one that can match nothing. */
export interface RuleFault {
  readonly line: number;
  /** Goes on after the number of the line: "has …". */
  readonly reason: string;
}

export interface RuleFile {
  readonly rules: readonly Rule[];
  readonly faults: readonly RuleFault[];
}

/**
 * Reads a rule file as git does: a BOM is dropped, a line ends in LF or CRLF, trailing blanks go unless escaped.
 * What a pattern means is for the library `ignore` to say (design section 8). Few lines come to a regular expression:
 * a process that has just started takes longer to compile one than to read all rules of most trees.
 */
export function parseIgnoreRules(content: Uint8Array, file: string): RuleFile {
  const text = Buffer.from(content.buffer, content.byteOffset, content.length).toString('latin1');
  const lines = (text.startsWith('\xef\xbb\xbf') ? text.slice(3) : text).split('\n');
  const rules: Rule[] = [];
  const faults: RuleFault[] = [];
  for (const [i, text] of lines.entries()) {
    if (text.startsWith('#')) continue;
    const nul = text.indexOf('\0');
    const line = nul < 0 ? text : text.slice(0, nul);
    const body = trimBlanks(line === text && text.endsWith('\r') ? text.slice(0, -1) : line);
    const rule = parseRule(body, file, i + 1);
    const reason = faultOf(body, rule);
    if (reason !== undefined) faults.push({ line: i + 1, reason });
    if (rule && !isTooLong(rule)) rules.push(rule);
  }
  return { rules, faults };
}

function parseRule(body: string, file: string, line: number): Rule | undefined {
  const negated = body.startsWith('!');
  const directoriesOnly = body.endsWith('/');
  let pattern = body.slice(negated ? 1 : 0, directoriesOnly ? -1 : undefined);
  let anchored = pattern.includes('/');
  if (pattern.startsWith('/')) pattern = pattern.slice(1);
  if (pattern.includes('***')) pattern = pattern.replace(/(?<=^|\/)\*{3,}(?=\/)/g, '**'); // The same to git.
  if (pattern.startsWith('**/') && pattern.length > 3 && !pattern.includes('/', 3)) {
    pattern = pattern.slice(3);
    anchored = false;
  }
  if (pattern === '') return undefined;
  return { text: body, pattern, negated, directoriesOnly, anchored, file, line };
}

function trimBlanks(line: string): string {
  let end = line.length;
  while (line[end - 1] === ' ') end--;
  if (end === line.length) return line;
  let backslashes = 0;
  while (line[end - 1 - backslashes] === '\\') backslashes++;
  return line.slice(0, backslashes % 2 ? end + 1 : end);
}

/** What is wrong with a line; undefined for a rule that can match, and for an empty line. */
function faultOf(body: string, rule: Rule | undefined): string | undefined {
  if (!rule) return body === '' ? undefined : 'has no pattern';
  if (isTooLong(rule)) return 'is too long; it is not applied';
  if (!rule.pattern.includes('\\') && !rule.pattern.includes('[')) return undefined;
  const rest = rule.pattern.replace(/\\[\s\S]/g, '');
  if (rest.endsWith('\\')) return 'ends in a backslash; it matches nothing';
  const ranges = rest.match(/\[[!^]?\]?(?:\[:\w*:\]|[^\]])*\]?/g) ?? [];
  if (ranges.some((range) => !/.\]$/s.test(range))) return 'has a [ that is never closed; it matches nothing';
  return ranges.some(isReversed) ? 'has a range that runs backwards; it matches nothing' : undefined;
}

function isReversed(range: string): boolean {
  return [...range.slice(1, -1).matchAll(/(.)-(.)/gs)].some(([, from = '', to = '']) => from > to);
}

function isTooLong({ pattern }: Rule): boolean {
  return pattern.length > MAX_LINE;
}
