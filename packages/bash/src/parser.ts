import { readCompound, readFunctionBody } from './compound.ts';
import { END, Lexer, NEWLINE } from './lexer.ts';
import { Limits, Unparsable } from './limits.ts';
import type { Closing, Reader, Shared } from './reader.ts';
import {
  bareText,
  type Command,
  type Compound,
  type Item,
  type Pipeline,
  type Redirect,
  type Script,
  type Simple,
  type Word,
} from './tree.ts';

const REDIRECTIONS = new Set(['<', '>', '>>', '>|', '<>', '<&', '>&', '&>', '&>>', '<<', '<<-', '<<<']);
/** Words that go on with or end a compound command; no command starts with one. */
const CONTINUES = new Set(['then', 'else', 'elif', 'fi', 'do', 'done', 'esac', '}']);
const OPENS = new Set(['if', 'while', 'until', 'for', 'select', 'case', '{', '[[', 'function', 'coproc']);
/** Builtins whose arguments may be arrays. */
const DECLARES = new Set(['declare', 'typeset', 'local', 'export', 'readonly', 'alias', 'eval', 'let']);
const ASSIGNMENT = /^[A-Za-z_]\w*(?:\[0\])?\+?=/;

export interface Parsed {
  readonly script: Script | undefined;
  /** Every command that was read to its end, inner ones before those that hold them. */
  readonly commands: readonly Command[];
  /** Why there is no script. */
  readonly error: Unparsable | undefined;
  /** The position where reading stopped. */
  readonly end: number;
  readonly brokenText: boolean;
}

/** Parses a text as bash does. Never throws: what cannot be parsed is told in `error`. */
export function parse(text: string, limits = new Limits(text.length)): Parsed {
  const shared: Shared = {
    limits,
    commands: [],
    extglob: text.includes('extglob'),
    brokenText: false,
    parse: (reader, closing) => parseUpTo(reader as Lexer, closing),
    parseText: (inner) => new Parser(new Lexer(inner, shared)).text(),
  };
  const lexer = new Lexer(text, shared);
  let script: Script | undefined;
  let error: Unparsable | undefined;
  try {
    script = new Parser(lexer).text();
  } catch (thrown) {
    if (!(thrown instanceof Unparsable)) throw thrown;
    error = thrown;
  }
  return { script, commands: shared.commands, error, end: lexer.pos, brokenText: shared.brokenText };
}

/** Parses the script of a substitution, in the midst of a word, and passes what closes it. */
function parseUpTo(reader: Reader, closing: Closing): Script {
  // In a here-document and in double quotes too, the text of a substitution is read by a lexer of its own.
  const lexer = reader instanceof Lexer ? reader : lexerAt(reader);
  const { waiting, closing: before } = lexer;
  lexer.waiting = [];
  lexer.closing = closing;
  const script = new Parser(lexer).substitution(closing);
  lexer.waiting = waiting;
  lexer.closing = before;
  reader.pos = lexer.pos;
  return script;
}

function lexerAt(reader: Reader): Lexer {
  const lexer = new Lexer(reader.text, reader.shared);
  lexer.pos = reader.pos;
  return lexer;
}

/** Reads the grammar of bash above its words. */
export class Parser {
  readonly lexer: Lexer;

  constructor(lexer: Lexer) {
    this.lexer = lexer;
  }

  text(): Script {
    const script = this.script();
    if (this.lexer.peek().operator !== END) throw this.unexpected();
    return script;
  }

  substitution(closing: Closing): Script {
    const script = this.script();
    const { operator, word } = this.lexer.peek();
    if (closing === '}' ? bareText(word) !== '}' : operator !== ')') throw this.unexpected();
    this.lexer.take();
    return script;
  }

  /** Reads commands up to one that cannot start here; there may be none. */
  script(): Script {
    const { lexer } = this;
    const items: Item[] = [];
    lexer.skipNewlines();
    while (this.#startsCommand()) {
      const pipeline = this.#pipeline();
      const { operator } = lexer.peek();
      if (operator === '&&' || operator === '||') {
        lexer.take();
        lexer.skipNewlines();
        if (!this.#startsCommand()) throw this.unexpected();
        items.push({ pipeline, operator });
        continue;
      }
      if (operator !== ';' && operator !== '&' && operator !== NEWLINE) {
        items.push({ pipeline, operator: '' });
        break;
      }
      lexer.take();
      lexer.skipNewlines();
      items.push({ pipeline, operator: operator === '&' ? '&' : ';' });
    }
    return { items };
  }

  /** Reads commands, at least one. */
  someScript(): Script {
    const script = this.script();
    if (script.items.length === 0) throw this.unexpected();
    return script;
  }

  /** Takes the keyword that must come next. */
  expect(keyword: string): void {
    if (!this.accept(keyword)) throw this.unexpected();
  }

  /** Takes the keyword if it comes next. */
  accept(keyword: string): boolean {
    if (bareText(this.lexer.peek().word) !== keyword) return false;
    this.lexer.take();
    return true;
  }

  unexpected(): Unparsable {
    const { operator, start } = this.lexer.peek();
    const what =
      operator === END
        ? 'end'
        : `\`${operator === NEWLINE ? 'end of line' : this.lexer.text.slice(start, start + 20)}\``;
    return new Unparsable('syntax', `unexpected ${what}`);
  }

  /** Takes the word that must come next. */
  word(): Word {
    const { word } = this.lexer.peek();
    if (!word) throw this.unexpected();
    this.lexer.take();
    return word;
  }

  /** Reads one compound command; undefined when the next token opens none. */
  compound(): Compound | undefined {
    const { lexer } = this;
    const { operator, word, start } = lexer.peek();
    const keyword = bareText(word) ?? '';
    if (operator !== '(' && !OPENS.has(keyword)) return undefined;
    const { kind, name, scripts, words } = lexer.shared.limits.deeper(() => readCompound(this, keyword));
    const redirects: Redirect[] = [];
    while (this.#isRedirect()) redirects.push(this.#redirect());
    return this.#finished({ kind, name, scripts, words, redirects, ...this.#place(start) });
  }

  /** Reads one command, simple or not. */
  command(): Command {
    if (!this.#startsCommand()) throw this.unexpected();
    return this.compound() ?? this.simple();
  }

  #startsCommand(): boolean {
    const { operator, word } = this.lexer.peek();
    if (word) return !CONTINUES.has(bareText(word) ?? '');
    return operator === '(' || REDIRECTIONS.has(operator);
  }

  #pipeline(): Pipeline {
    const { lexer } = this;
    let negated = false;
    let prefixed = false;
    for (;;) {
      if (this.accept('!')) negated = !negated;
      else if (this.accept('time')) while (this.accept('-p') || this.accept('--'));
      else break;
      prefixed = true;
    }
    if (prefixed && !this.#startsCommand()) return { negated, commands: [] };
    const commands = [this.command()];
    while (lexer.accept('|') || lexer.accept('|&')) {
      lexer.skipNewlines();
      while (this.accept('!') || this.accept('time'));
      commands.push(this.command());
    }
    return { negated, commands };
  }

  /** Reads a simple command, or a function whose name looked like one; `taken` is its first word, if that is taken. */
  simple(taken?: Word): Command {
    const { lexer } = this;
    const start = taken?.start ?? lexer.peek().start;
    const assignments = taken && isAssignment(taken) ? [taken] : [];
    const words = taken && !isAssignment(taken) ? [taken] : [];
    const redirects: Redirect[] = [];
    while (this.#simplePart(assignments, words, redirects));
    if (lexer.peek().operator === '(') {
      const [name, ...others] = words;
      if (!name || others.length + assignments.length + redirects.length > 0) throw this.unexpected();
      return this.#function(name, start);
    }
    return this.#finished({ kind: 'simple', assignments, words, redirects, ...this.#place(start) } satisfies Simple);
  }

  /** Reads one word or redirection of a simple command; false at its end. */
  #simplePart(assignments: Word[], words: Word[], redirects: Redirect[]): boolean {
    const mayAssign = words.length === 0 || DECLARES.has(bareText(words[0]) ?? '');
    const { word, operator } = this.lexer.peek(mayAssign);
    if (word) {
      this.lexer.take();
      if (words.length === 0 && isAssignment(word)) assignments.push(word);
      else words.push(word);
      return true;
    }
    if (!REDIRECTIONS.has(operator)) return false;
    redirects.push(this.#redirect());
    return true;
  }

  #function(name: Word, start: number): Compound {
    const { lexer } = this;
    lexer.take();
    if (!lexer.accept(')')) throw this.unexpected();
    const scripts = readFunctionBody(this);
    const named = { kind: 'function', name: bareText(name), scripts, words: [name] } as const;
    return this.#finished({ ...named, redirects: [], ...this.#place(start) });
  }

  #isRedirect(): boolean {
    return REDIRECTIONS.has(this.lexer.peek().operator);
  }

  #redirect(): Redirect {
    const { lexer } = this;
    const { operator, descriptor } = lexer.take();
    const target = this.word();
    const redirect: Redirect = { operator, target, variable: /^\{(\w+)/.exec(descriptor)?.[1] };
    if (operator !== '<<' && operator !== '<<-') return redirect;
    const known = target.pieces.every(({ text }) => text !== undefined);
    const raw = lexer.text.slice(target.start, target.end);
    const delimiter = known ? target.pieces.map(({ text }) => text).join('') : raw.replace(/[\\'"]/g, '');
    lexer.waiting.push({
      redirect,
      delimiter,
      quoted: /[\\'"]/.test(raw),
      stripsTabs: operator === '<<-',
      inSubstitution: lexer.closing === ')',
    });
    return redirect;
  }

  #place(start: number): { source: string; start: number; end: number } {
    const { text, takenTo } = this.lexer;
    return { source: text, start, end: takenTo };
  }

  #finished<T extends Command>(command: T): T {
    this.lexer.shared.commands.push(command);
    return command;
  }
}

function isAssignment(word: Word): boolean {
  const [first] = word.pieces;
  return first?.text !== undefined && !first.quoted && ASSIGNMENT.test(first.text);
}
