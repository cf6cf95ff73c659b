import mvdan from 'mvdan-sh';
import { describe, expect, test } from 'vitest';
import { accepted, commands } from '../fixture/corpus-commands.ts';
import { bareText } from './fields.ts';
import { parse } from './parse-bash.ts';

/** Why mvdan-sh decides otherwise than bash and we do. */
const NOT_AS_MVDAN: Readonly<Record<string, readonly string[]>> = {
  'takes an empty list or body for a command': [
    'if; then ls; fi',
    'while; do ls; done',
    'if ls; then pwd; else; fi',
    'if ls; then pwd; elif; then ls; fi',
    '{ }',
    '()',
    '( )',
    'f() {\n  # only a comment\n}',
  ],
  'takes a keyword that closes nothing for a word': ['else ls'],
  'takes any command for the body of a function, but no subshell without ()': [
    'f() ls',
    'function f ls',
    'function f ( ls )',
  ],
  'does not join what a backslash continues within an operator': ['echo $\\\n(rm x)'],
  'wants here-documents to end': [
    'cat <<EOF',
    'cat <<EOF <<EOF2',
    'cat <<EOF\ntext\nEO\\\nF\nrm x',
    'echo $(cat <<EOF\nfoo\nEOFzz; rm x)',
  ],
  'parses what only bash at run time does': ['echo `if`', 'cat <<EOF\n$(\nEOF'],
  'is stricter with !, [[ and ((': ['! ! ls', '!', '!\nls', 'time ! ls', '((ls) )', '((1+2) )', 'echo $((ls) )'],
  'wants subscripts and the old arithmetic to end': ['echo $[1', '$['],
  'is stricter with arrays': ['a=(1 2) rm x', 'a=(1 2) ls', 'r[m] x', 'a[0]', 'a[0]=(1)'],
};

/** Mvdan-sh takes a backslash at the end of a comment for a continuation, and other lines for what ends a substitution. */
const OTHER_COMMANDS = ['ls # comment \\\nrm x', 'echo $(cat <<EOF)\ntext\nEOF\nrm x'];

describe('beside mvdan-sh', () => {
  const { syntax } = mvdan;
  const files = new Map<string, object | undefined>();

  test('accepts and rejects the same commands, but where it differs from bash', () => {
    const different = commands.filter((command) => accepted.get(command) !== (mvdanParse(command) !== undefined));
    expect(different.toSorted()).toEqual(Object.values(NOT_AS_MVDAN).flat().toSorted());
  });

  /** Bash runs what single quotes hold in arithmetic, subscripts and `"${x:-'…'}"`; mvdan-sh does not look there. */
  const QUOTES_COMMAND = /'[^']*(?:\$\(|`)/;

  test('finds the same commands, and those in quotes that do not quote', { timeout: 60_000 }, () => {
    const different = commands.flatMap((command) => {
      const file = accepted.get(command) ? mvdanParse(command) : undefined;
      if (!file) return [];
      const theirs = verbsOf(file);
      const ours = parse(command).commands.flatMap((node) =>
        node.kind === 'simple' && node.words[0] ? [plain(bareText(node.words[0]))] : [],
      );
      const found = QUOTES_COMMAND.test(command) ? theirs.filter((verb) => ours.includes(verb)) : ours;
      return found.toSorted().join() === theirs.toSorted().join() ? [] : [command];
    });
    expect(different).toEqual(OTHER_COMMANDS);
  });

  function mvdanParse(command: string): object | undefined {
    if (!files.has(command)) files.set(command, parsed(command));
    return files.get(command);
  }

  function parsed(command: string): object | undefined {
    try {
      return syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(command, '');
    } catch {
      return undefined;
    }
  }

  /** The first words of all simple commands; empty for one with quotes or expansions. */
  function verbsOf(file: object): string[] {
    const verbs: string[] = [];
    syntax.Walk(file, (node) => {
      if (!node) return true;
      const kind = syntax.NodeType(node);
      if (kind === 'CallExpr' && node.Args?.length) verbs.push(plain(node.Args[0]?.Lit()));
      else if (kind === 'DeclClause') verbs.push(node.Variant?.Value ?? '');
      else if (kind === 'LetClause') verbs.push('let');
      return true;
    });
    return verbs;
  }
});

function plain(verb: string | undefined): string {
  return verb !== undefined && /^[\w./:-]+$/.test(verb) ? verb : '';
}
