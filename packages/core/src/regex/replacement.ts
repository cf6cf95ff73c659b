import { ToolError } from '../errors/index.ts';
import type { Pattern } from './compile-pattern.ts';

export type ReplacementPart = string | number;

const NAME = '([1-9]\\d?|[A-Za-z_]\\w*)';
/** References to a group here, and what stands for a group, the match or a character in other dialects. */
const TOKEN = new RegExp(
  `\\$(?:([1-9]\\d?)|<${NAME}>|\\{${NAME}\\})|\\\\(?:([1-9]\\d?)|g<(\\w+)>|[ntrg&0])|\\$(?:[&0]|\\{0\\}|<0>)`,
  'g',
);
const WHOLE_MATCH = 'put ( ) around the whole pattern, and write $1 for the match';
const LINE_BREAK = 'write a real line break, which is \\n once in JSON, not \\\\n';
const INSTEAD: Readonly<Record<string, string>> = {
  '\\n': LINE_BREAK,
  '\\r': `${LINE_BREAK}: it becomes the line end of the file`,
  '\\t': 'write a real tab, which is \\t once in JSON, not \\\\t',
  '\\g': `write $1 or \${name} for a group`,
};
const MAX_NAMED = 10;
const MAX_SHOWN = 60;

/** Reads a replacement with groups such as `$1`, `$<name>` and `${name}`. Throws for the syntax of other dialects. */
export function parseReplacement(text: string, { groups }: Pattern): ReplacementPart[] {
  const parts: ReplacementPart[] = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [token, ...names] = match;
    const name = names.find((one) => one !== undefined);
    if (name === undefined || name === '0') {
      throw replacementError(`${token} has no meaning here`, INSTEAD[token] ?? WHOLE_MATCH);
    }
    const number = /^\d/.test(name) ? Number(name) : groups.indexOf(name) + 1;
    if (number < 1 || number > groups.length) {
      throw replacementError(`${token.slice(0, MAX_SHOWN)}: the pattern has no such group`, nextStep(name, groups));
    }
    if (token.startsWith('\\')) {
      const own = /^\d/.test(name) ? `$${name}` : `\${${name}}`;
      throw replacementError(`${token} stands for no group here`, `write ${own} instead`);
    }
    parts.push(text.slice(end, match.index), number);
    end = match.index + token.length;
  }
  return [...parts, text.slice(end)].filter((part) => part !== '');
}

function nextStep(name: string, groups: Pattern['groups']): string {
  const [, first, digit] = /^([1-9])(\d)$/.exec(name) ?? [];
  if (Number(first) <= groups.length) return `write \${${first}}${digit} for group ${first} before a ${digit}`;
  if (groups.length === 0) return 'put ( ) around a part of the pattern, and write $1 for it';
  const known = groups.slice(0, MAX_NAMED).map((one, i) => (one === undefined ? `$${i + 1}` : `\${${one}}`));
  return `its groups are ${known.join(' ')}`;
}

function replacementError(message: string, next: string): ToolError {
  return new ToolError('invalid_args', `replacement: ${message}`, {
    suggestion: `${next}, or pass literal_replacement: true if the replacement is plain text (nothing was changed)`,
  });
}
