/** A longer line is no rule: no path is as long. */
const MAX_LINE = 4096;
/** Each `**` multiplies the time of a path that almost matches by its depth; three take seconds. */
const MAX_DOUBLE_STARS = 2;

/** One line of a `.gitignore`. All text here is bytes (latin1), as git compares it. */
export interface Rule {
  /** Without its `!`, its first slash, and its last one. */
  readonly pattern: string;
  readonly negated: boolean;
  readonly directoriesOnly: boolean;
  /** Matched from the rule file's directory on, and not against the name alone. */
  readonly anchored: boolean;
}

export interface RuleFile {
  readonly rules: readonly Rule[];
  /** Lines, from 1, that are no rules because they could take too long. */
  readonly costly: readonly number[];
}

/**
 * Reads a rule file as git does: a BOM is dropped, a line ends in LF or CRLF, trailing blanks go unless escaped.
 * What a pattern means is for the library `ignore` to say (design section 8).
 */
export function parseIgnoreRules(content: Uint8Array): RuleFile {
  const text = Buffer.from(content.buffer, content.byteOffset, content.length).toString('latin1');
  const lines = (text.startsWith('\xef\xbb\xbf') ? text.slice(3) : text).split('\n');
  const rules: Rule[] = [];
  const costly: number[] = [];
  for (const [i, line] of lines.entries()) {
    const rule = line.startsWith('#') ? undefined : parseLine(line);
    if (rule && isCostly(rule)) costly.push(i + 1);
    else if (rule) rules.push(rule);
  }
  return { rules, costly };
}

function parseLine(line: string): Rule | undefined {
  const body = trimBlanks((line.endsWith('\r') ? line.slice(0, -1) : line).replace(/\0.*/s, ''));
  const negated = body.startsWith('!');
  const directoriesOnly = body.endsWith('/');
  let pattern = body.slice(negated ? 1 : 0, directoriesOnly ? -1 : undefined);
  let anchored = pattern.includes('/');
  if (pattern.startsWith('/')) pattern = pattern.slice(1);
  if (/^\*\*\/[^/]+$/.test(pattern)) {
    pattern = pattern.slice(3);
    anchored = false;
  }
  return pattern === '' ? undefined : { pattern, negated, directoriesOnly, anchored };
}

function trimBlanks(line: string): string {
  let end = line.length;
  while (line[end - 1] === ' ') end--;
  if (end === line.length) return line;
  let backslashes = 0;
  while (line[end - 1 - backslashes] === '\\') backslashes++;
  return line.slice(0, backslashes % 2 ? end + 1 : end);
}

/** Security: the library makes regular expressions, which a hostile repository could have backtrack for hours. */
function isCostly({ pattern }: Rule): boolean {
  return pattern.length > MAX_LINE || (pattern.match(/\*{2,}(?=.)/g) ?? []).length > MAX_DOUBLE_STARS;
}
