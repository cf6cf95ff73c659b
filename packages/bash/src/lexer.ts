import { endsWord, isBlank } from './characters.ts';
import {
  isArithmetic,
  readArithmetic,
  readDoubleQuotes,
  readExpansion,
  readScript,
  readSingleQuotes,
} from './expansion.ts';
import { type HereDocument, readHereDocument } from './here-document.ts';
import { type Closing, Reader } from './reader.ts';
import type { Word } from './tree.ts';
import { WordBuilder } from './word-builder.ts';

/** A word or an operator. A newline and the end of the text are operators too. */
export interface Token {
  readonly word: Word | undefined;
  /** Empty for a word. */
  readonly operator: string;
  /** The number or `{name}` before a redirection. */
  readonly descriptor: string;
  readonly start: number;
}

export const NEWLINE = 'newline';
export const END = 'end';

const DESCRIPTOR = /(?:\d+|\{[A-Za-z_]\w*(?:\[\w+\])?\})(?=[<>](?!\())/y;
const OPERATORS = new Set([';;&', ';;', ';&', '&&', '&>>', '&>', '||', '|&', '<<<', '<<-', '<<', '<&', '<>', '>>']);
for (const operator of ['>&', '>|', ...';&|<>()']) OPERATORS.add(operator);
const ASSIGNED = /^[A-Za-z_]\w*(?:\[0\])?\+?=$/;
const NAME = /^[A-Za-z_]\w*$/;
const EXTGLOB = '?*+@!';

/** Splits a text into tokens, with one token of lookahead. */
export class Lexer extends Reader {
  #token: Token | undefined;
  #mayAssign = true;
  /** Here-documents that begin with the next line. */
  waiting: HereDocument[] = [];
  /** Where the token that was taken last ends. */
  takenTo = 0;
  /** The character that ends the script being read; empty for the text itself. */
  closing: Closing | '' = '';

  /** The next token. Where an assignment may stand, `a=(…)` and `a[…]` are one word. */
  peek(mayAssign = true): Token {
    this.#token ??= this.#read(mayAssign);
    return this.#token;
  }

  take(): Token {
    const token = this.peek();
    this.#token = undefined;
    this.takenTo = this.pos;
    if (token.operator === NEWLINE) this.#readHereDocuments();
    return token;
  }

  /** Takes the operator if it is the next token. */
  accept(operator: string): boolean {
    if (this.peek().operator !== operator) return false;
    this.take();
    return true;
  }

  skipNewlines(): void {
    while (this.peek().operator === NEWLINE) this.take();
  }

  /** True if the next token is the first parenthesis of `((…))`. */
  get opensArithmetic(): boolean {
    const { operator } = this.peek();
    return operator === '(' && this.char === '(' && isArithmetic(this, this.pos + 1);
  }

  /** Takes `((…))`. */
  takeArithmetic(): Word {
    const { start } = this.take();
    const word = new WordBuilder(start);
    this.pos++;
    readArithmetic(this, word, '))');
    word.addUnknown(false);
    this.takenTo = this.pos;
    return word.build(this.pos);
  }

  /** Takes the regular expression that follows `=~`: parentheses and bars belong to it. */
  takeRegex(): Word {
    this.#skipBlanks();
    const word = new WordBuilder(this.pos);
    let depth = 0;
    for (; this.pos < this.text.length; ) {
      this.shared.limits.spend(1);
      const char = this.char;
      if (char === '(') depth++;
      else if (char === ')' && --depth < 0) break;
      if (endsWord(this.code) && depth === 0 && !'()|'.includes(char)) break;
      if (!this.#readPiece(word)) {
        word.add(char, false);
        this.pos++;
      }
    }
    return word.build(this.pos);
  }

  #read(mayAssign: boolean): Token {
    this.#skipBlanks();
    const start = this.pos;
    this.shared.limits.spend(2);
    if (start >= this.text.length) return { word: undefined, operator: END, descriptor: '', start };
    const { char } = this;
    if (char === '\n') {
      this.pos++;
      return { word: undefined, operator: NEWLINE, descriptor: '', start };
    }
    const descriptor = this.#descriptor(char);
    const operator = this.#isProcessSubstitution() ? '' : this.#operator();
    if (operator !== '') return { word: undefined, operator, descriptor, start };
    return { word: this.#word(mayAssign), operator: '', descriptor: '', start };
  }

  #skipBlanks(): void {
    for (;;) {
      const { code } = this;
      if (isBlank(code)) this.pos++;
      else if (this.char === '\\' && this.text[this.pos + 1] === '\n') this.pos += 2;
      else break;
    }
    if (this.char !== '#') return;
    const end = this.text.indexOf('\n', this.pos);
    const next = end === -1 ? this.text.length : end;
    this.shared.limits.spend(next - this.pos);
    this.pos = next;
  }

  #descriptor(char: string): string {
    if (char !== '{' && !(char >= '0' && char <= '9')) return '';
    DESCRIPTOR.lastIndex = this.pos;
    const [descriptor = ''] = DESCRIPTOR.exec(this.text) ?? [];
    this.pos += descriptor.length;
    return descriptor;
  }

  #isProcessSubstitution(): boolean {
    if (this.char !== '<' && this.char !== '>') return false;
    let next = this.pos + 1;
    while (this.text.startsWith('\\\n', next)) next += 2;
    return this.text[next] === '(';
  }

  /** Takes the longest operator here. A backslash at the end of a line continues it, even within an operator. */
  #operator(): string {
    if (!endsWord(this.code)) return '';
    let operator = this.char;
    this.pos++;
    for (;;) {
      const before = this.pos;
      this.skipContinuations();
      if (!OPERATORS.has(operator + this.char) || this.char === '') {
        this.pos = before;
        return operator;
      }
      operator += this.char;
      this.pos++;
    }
  }

  #word(mayAssign: boolean): Word {
    const word = new WordBuilder(this.pos);
    this.#mayAssign = mayAssign;
    let assigned = false;
    while (this.pos < this.text.length) {
      this.shared.limits.spend(1);
      if (this.#readPiece(word)) continue;
      const { char } = this;
      if (char === '(' && this.#readParenthesis(word, mayAssign && !assigned)) {
        assigned = true;
        continue;
      }
      if (!this.#isProcessSubstitution()) break;
      this.#readProcessSubstitution(word);
    }
    return word.build(this.pos);
  }

  /** Reads quotes, expansions and plain text; false at what ends a word. */
  #readPiece(word: WordBuilder): boolean {
    const { char } = this;
    switch (char) {
      case "'":
        readSingleQuotes(this, word);
        return true;
      case '"':
        this.shared.limits.deeper(() => readDoubleQuotes(this, word));
        return true;
      case '$':
      case '`':
        readExpansion(this, word, 'bare');
        return true;
      case '\\':
        this.#readEscape(word);
        return true;
    }
    if (char === '' || endsWord(this.code)) return false;
    const text = this.plain();
    this.shared.limits.spend(1 + (text.length >> 3));
    this.#addPlain(word, text);
    return true;
  }

  #readEscape(word: WordBuilder): void {
    const next = this.text[this.pos + 1];
    this.pos += next === undefined ? 1 : 2;
    if (next !== '\n') word.add(next ?? '\\', true);
  }

  /** Adds plain text; a subscript in front of an assignment is read to its end, blanks and all. */
  #addPlain(word: WordBuilder, text: string): void {
    const bracket = text.indexOf('[');
    const before = word.bareText ?? '';
    if (bracket <= 0 || before !== '' || !NAME.test(text.slice(0, bracket)) || !this.#mayAssign) {
      word.add(text, false);
      return;
    }
    word.add(text.slice(0, bracket), false);
    this.pos -= text.length - bracket - 1;
    readArithmetic(this, word, ']');
    word.add('[0]', false);
  }

  /** Reads `(…)` within a word: the elements of an array, or an extended glob. */
  #readParenthesis(word: WordBuilder, mayAssign: boolean): boolean {
    const before = word.bareText;
    if (mayAssign && before !== undefined && ASSIGNED.test(before)) {
      this.pos++;
      this.#readElements(word);
      return true;
    }
    const last = this.text[this.pos - 1] ?? '';
    if (!this.shared.extglob || last === '' || !EXTGLOB.includes(last)) return false;
    this.pos++;
    readArithmetic(this, word, ')');
    word.addUnknown(false);
    return true;
  }

  #readElements(word: WordBuilder): void {
    for (;;) {
      this.#skipBlanks();
      this.shared.limits.spend(1);
      if (this.char === '\n') this.pos++;
      else if (this.char === ')') break;
      else if (this.pos >= this.text.length || !this.#readElement(word)) throw this.broken('no closing )');
    }
    this.pos++;
    word.addUnknown(false);
  }

  #readElement(word: WordBuilder): boolean {
    const inner = word.inner();
    const start = this.pos;
    this.#mayAssign = false;
    for (;;) {
      if (this.#isProcessSubstitution()) this.#readProcessSubstitution(inner);
      else if (!this.#readPiece(inner)) break;
    }
    return this.pos > start;
  }

  #readProcessSubstitution(word: WordBuilder): void {
    this.pos++;
    this.skipContinuations();
    this.pos++;
    readScript(this, word);
    word.add('/dev/fd/63', true);
  }

  #readHereDocuments(): void {
    const documents = this.waiting;
    this.waiting = [];
    for (const document of documents) readHereDocument(this, document);
  }
}
