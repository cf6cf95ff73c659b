import { NEWLINE } from './lexer.ts';
import type { Parser } from './parser.ts';
import { bareText, type Command, type Compound, type Script, type Word } from './tree.ts';

export type Parts = Pick<Compound, 'kind' | 'scripts' | 'words'> & { readonly name?: string | undefined };

const EMPTY_PARENTHESES = /^\s*\)/;
const MATCHES = /^[=!]?[=~]$/;
const UNARY = /^-[abcdefghknoprstuvwxzGLNORS]$/;
const BINARY = /^(?:==?|!=|=~|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef))$/;

/** Reads the compound command that `keyword`, which is the next token, opens; it is empty for a parenthesis. */
export function readCompound(parser: Parser, keyword: string): Parts {
  const { lexer } = parser;
  if (keyword === '') {
    return lexer.opensArithmetic
      ? { kind: 'arithmetic', scripts: [], words: [lexer.takeArithmetic()] }
      : { kind: 'subshell', scripts: [readSubshell(parser)], words: [] };
  }
  lexer.take();
  switch (keyword) {
    case 'if':
      return { kind: 'if', scripts: readIf(parser), words: [] };
    case 'while':
    case 'until':
      return { kind: 'loop', scripts: [parser.someScript(), readDo(parser)], words: [] };
    case 'for':
    case 'select':
      return readFor(parser, keyword);
    case 'case':
      return readCase(parser);
    case '{':
      return { kind: 'group', scripts: [readGroup(parser)], words: [] };
    case '[[':
      return { kind: 'test', scripts: [], words: readTest(parser) };
    case 'coproc':
      return readCoproc(parser);
    default:
      return readFunction(parser);
  }
}

/** Reads what follows the name of a function and its parentheses. */
export function readFunctionBody(parser: Parser): Script[] {
  parser.lexer.skipNewlines();
  const body = parser.compound();
  if (!body) throw parser.unexpected();
  return [scriptOf(body)];
}

function scriptOf(command: Command): Script {
  return { items: [{ pipeline: { negated: false, commands: [command] }, operator: '' }] };
}

function readSubshell(parser: Parser): Script {
  parser.lexer.take();
  const script = parser.someScript();
  if (!parser.lexer.accept(')')) throw parser.unexpected();
  return script;
}

function readGroup(parser: Parser): Script {
  const script = parser.someScript();
  parser.expect('}');
  return script;
}

function readIf(parser: Parser): Script[] {
  const scripts: Script[] = [];
  do {
    scripts.push(parser.someScript());
    parser.expect('then');
    scripts.push(parser.someScript());
  } while (parser.accept('elif'));
  if (parser.accept('else')) scripts.push(parser.someScript());
  parser.expect('fi');
  return scripts;
}

function readDo(parser: Parser): Script {
  parser.expect('do');
  const script = parser.someScript();
  parser.expect('done');
  return script;
}

function readFor(parser: Parser, keyword: string): Parts {
  const { lexer } = parser;
  if (keyword === 'for' && lexer.opensArithmetic) {
    const head = lexer.takeArithmetic();
    lexer.accept(';');
    lexer.skipNewlines();
    return { kind: 'loop', scripts: [readLoopBody(parser)], words: [head] };
  }
  const words = [parser.word()];
  const name = bareText(words[0]);
  lexer.skipNewlines();
  if (parser.accept('in')) {
    for (let { word } = lexer.peek(false); word; { word } = lexer.peek(false)) {
      words.push(word);
      lexer.take();
    }
    if (!lexer.accept(';') && lexer.peek().operator !== NEWLINE) throw parser.unexpected();
  } else lexer.accept(';');
  lexer.skipNewlines();
  return { kind: 'loop', name, scripts: [readLoopBody(parser)], words };
}

/** The body of a `for`: `do … done`, or braces. */
function readLoopBody(parser: Parser): Script {
  return parser.accept('{') ? readGroup(parser) : readDo(parser);
}

function readCase(parser: Parser): Parts {
  const { lexer } = parser;
  const words = [parser.word()];
  const scripts: Script[] = [];
  lexer.skipNewlines();
  parser.expect('in');
  lexer.skipNewlines();
  while (!parser.accept('esac')) {
    lexer.accept('(');
    do words.push(parser.word());
    while (lexer.accept('|'));
    if (!lexer.accept(')')) throw parser.unexpected();
    scripts.push(parser.script());
    if (!lexer.accept(';;') && !lexer.accept(';&') && !lexer.accept(';;&')) {
      parser.expect('esac');
      break;
    }
    lexer.skipNewlines();
  }
  return { kind: 'case', scripts, words };
}

function readFunction(parser: Parser): Parts {
  const name = parser.word();
  const { lexer } = parser;
  if (lexer.peek().operator === '(' && EMPTY_PARENTHESES.test(lexer.text.slice(lexer.pos, lexer.pos + 20)))
    lexer.take();
  if (lexer.peek().operator === ')') lexer.take();
  return { kind: 'function', name: bareText(name), scripts: readFunctionBody(parser), words: [name] };
}

function readCoproc(parser: Parser): Parts {
  const first = parser.compound();
  if (first) return { kind: 'coproc', scripts: [scriptOf(first)], words: [] };
  const { word } = parser.lexer.peek();
  if (!word) return { kind: 'coproc', scripts: [scriptOf(parser.command())], words: [] };
  parser.lexer.take();
  // `coproc NAME { …; }`: what looks like a command may be the name.
  const named = parser.compound();
  if (named) return { kind: 'coproc', name: bareText(word), scripts: [scriptOf(named)], words: [] };
  return { kind: 'coproc', scripts: [scriptOf(parser.simple(word))], words: [] };
}

/** Reads up to `]]`, for the words. */
function readTest(parser: Parser): Word[] {
  const words: Word[] = [];
  if (!parser.accept(']]')) {
    readAlternatives(parser, words);
    parser.expect(']]');
  }
  return words;
}

function readAlternatives(parser: Parser, words: Word[]): void {
  const { lexer } = parser;
  do {
    lexer.skipNewlines();
    readPrimary(parser, words);
    lexer.skipNewlines();
  } while (lexer.accept('&&') || lexer.accept('||'));
}

function readPrimary(parser: Parser, words: Word[]): void {
  const { lexer } = parser;
  while (parser.accept('!'));
  if (lexer.accept('(')) {
    lexer.shared.limits.deeper(() => readAlternatives(parser, words));
    if (!lexer.accept(')')) throw parser.unexpected();
    return;
  }
  const first = bareText(lexer.peek().word);
  if (first === ']]') throw parser.unexpected();
  words.push(parser.word());
  const { operator, word } = lexer.peek();
  const second = bareText(word);
  if (operator === '<' || operator === '>' || (second !== undefined && BINARY.test(second))) {
    lexer.take();
    words.push(second !== undefined && MATCHES.test(second) ? lexer.takeRegex() : parser.word());
  } else if (first !== undefined && UNARY.test(first)) words.push(operandOf(parser));
}

function operandOf(parser: Parser): Word {
  if (bareText(parser.lexer.peek().word) === ']]') throw parser.unexpected();
  return parser.word();
}
