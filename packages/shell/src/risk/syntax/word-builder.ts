import {
  type Assignment,
  forEachChild,
  type HereDoc,
  type ParameterExpansionPart,
  type ParsedScript,
  type Word as ParsedWord,
  parse,
  type WordPart,
} from 'unbash';
import type { Script, Word, WordEffect, WordPiece } from './fields.ts';

const MAX_DEPTH = 150;
const STEPS_PER_CHARACTER = 60;

/** Thrown at text that bash would reject (`syntax`), and at text that costs more than one command may (`limit`). */
export class Unparsable extends Error {
  readonly kind: 'syntax' | 'limit';

  constructor(kind: 'syntax' | 'limit', message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Keeps the work on one command linear in its length, and the stack shallow. */
export class Limits {
  #left: number;
  #depth = 0;

  constructor(length: number) {
    this.#left = (length + 100) * STEPS_PER_CHARACTER;
  }

  /** Throws Unparsable when too much has been done. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new Unparsable('limit', 'too involved to vouch for');
  }

  /**
   * The parser looks through all waiting here-documents for each further one, and reads nested parameters again and
   * again.
   */
  spendOn(text: string): void {
    const documents = text.includes('<<') ? text.split('<<').length : 0;
    this.spend(2 * text.length * (1 + depthOfParameters(text)) + documents ** 2 / 64);
  }

  /** Runs `body` one level deeper. Throws Unparsable when that is too deep. */
  deeper<T>(body: () => T): T {
    if (++this.#depth > MAX_DEPTH) throw new Unparsable('limit', 'nested too deeply to vouch for');
    try {
      return body();
    } finally {
      this.#depth--;
    }
  }
}

/** Returns how deep `${` is in others, or more: what quotes are around them does not count. */
function depthOfParameters(text: string): number {
  if (!text.includes('${')) return 0;
  let depth = 0;
  let deepest = 0;
  for (const [mark] of text.matchAll(/\$\{|\}/g)) {
    depth = Math.max(0, depth + (mark === '}' ? -1 : 1));
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

export interface WordContext {
  readonly limits: Limits;
  /** The text that positions count in. */
  readonly source: string;
  /** True in a text that bash parses only when it gets there: in backquotes, here-documents and arithmetic. */
  readonly isLate: boolean;
  readonly toScript: (script: ParsedScript, context: WordContext) => Script;
}

/** A word without these characters has one piece, which is its text. */
const MEANS_SOMETHING = /[\\'"$`(]/;
/** The start of a substitution or an expansion. */
const EXPANDS = /\$[({[]|`/;
/** A dollar sign and a name that a continued line separates. */
const SPLIT_NAME = /\$(?:\\\n)+[\w@*#?$!-]/;
const OPENS_ARITHMETIC = /^\$(?:\\\n)*(?:\[|\((?:\\\n)*\()/;
const ASSIGNS = /(?:^|[^=!<>])=(?!=)|<<=|>>=|\+\+|--/;
/** The name of a variable that programs may know: those in lower case are the command's own. */
const VARIABLE = /(?<![\w$])[A-Z_]{2}\w*/g;
const HIDDEN_COMMAND = { kind: 'runs', what: 'the command in quotes that do not quote here' } as const;
const EXPANDED_AGAIN = { kind: 'runs', what: 'the commands in a variable' } as const;

/** Returns the variables that an arithmetic expression may set, of those that programs may know. */
export function assignedIn(expression: string): string[] {
  return ASSIGNS.test(expression) ? (expression.match(VARIABLE) ?? []) : [];
}

/** Collects the pieces of a word, and the scripts and effects of its expansions. */
export class WordBuilder implements Word {
  readonly pieces: WordPiece[] = [];
  readonly scripts: Script[];
  readonly effects: WordEffect[];
  readonly #context: WordContext;

  /**
   * With `outer`, it builds a text within an expansion of that word, which gets the scripts and effects, but not the
   * pieces.
   */
  constructor(context: WordContext, outer?: WordBuilder) {
    this.#context = context;
    this.scripts = outer?.scripts ?? [];
    this.effects = outer?.effects ?? [];
  }

  addWord(word: ParsedWord): this {
    const { text } = word;
    const isPlain = !MEANS_SOMETHING.test(text);
    if (isPlain) this.#context.limits.spend(1 + (text.length >> 3));
    else this.#context.limits.spendOn(text);
    const parts = isPlain ? undefined : word.parts;
    if (parts) this.#addParts(parts, false);
    else this.#addBare(text);
    return this;
  }

  addAssignment({ name, index, append, value }: Assignment): this {
    this.#addText(`${name}${index ? '[0]' : ''}${append ? '+' : ''}=`, false);
    if (index) this.addArithmetic(index.text);
    if (value.type === 'Word') return this.addWord(value);
    for (const element of value.elements) {
      if (element.text.startsWith('[')) this.addArithmetic(element.text);
      this.#inner().addWord(element);
      const value = element.text.replace(/^\[[^\]]*\]\+?=|["'\\]/g, '');
      if (/[./]/.test(value)) this.effects.push({ kind: 'sets', name, value });
    }
    this.#addHole(false);
    return this;
  }

  addHereDocument({ body, delimiter, operator }: HereDoc): this {
    const text = operator === '<<-' ? body.text.replace(/^\t+/gm, '') : body.text;
    if (delimiter?.quoted) this.#addText(text, true);
    else this.#addExpanded(text);
    return this;
  }

  /** Adds arithmetic, or a subscript. Bash expands it before it computes, and quotes do not quote there. */
  addArithmetic(expression: string): this {
    this.#context.limits.spend(1 + (expression.length >> 3));
    for (const name of assignedIn(expression)) this.effects.push({ kind: 'sets', name });
    if (!EXPANDS.test(expression)) return this;
    const inner = this.#inner();
    inner.#addExpanded(expression);
    if (inner.#quotesExpansion) this.effects.push(HIDDEN_COMMAND);
    return this;
  }

  /** Adds a text that is expanded as a whole, no matter what quotes are in it. */
  #addExpanded(text: string): void {
    const { limits } = this.#context;
    limits.spendOn(text);
    if (!/[\\$`]/.test(text)) this.#addText(text, true);
    else limits.deeper(() => this.#addHereDocumentBody(text));
  }

  /** Parses the text as the body of a here-document. The delimiter is longer than any line of it. */
  #addHereDocumentBody(text: string): void {
    const source = `<<${'E'.repeat(text.length + 1)}\n${text}`;
    const [statement] = parse(source).commands;
    const [document] = statement?.command.type === 'Command' ? statement.command.redirects : [];
    if (document?.type !== 'HereDoc') throw new Unparsable('limit', 'too involved to vouch for');
    const body = new WordBuilder({ ...this.#context, source, isLate: true }, this);
    if (document.body.parts) body.#addParts(document.body.parts, true);
    else body.#addText(text.replaceAll('\\\n', '').replace(/\\([$`\\])/g, '$1'), true);
    this.pieces.push(...body.pieces);
  }

  /** True if quoted text holds what bash expands wherever the quotes do not count. */
  get #quotesExpansion(): boolean {
    return this.pieces.some(({ text, quoted }) => quoted && text !== undefined && EXPANDS.test(text));
  }

  #inner(): WordBuilder {
    return new WordBuilder(this.#context, this);
  }

  #addParts(parts: readonly WordPart[], quoted: boolean): void {
    for (const part of parts) this.#addPart(part, quoted);
  }

  #addPart(part: WordPart, quoted: boolean): void {
    switch (part.type) {
      case 'Literal':
        if (quoted) this.#addText(part.value, true);
        else this.#addBare(part.text);
        break;
      case 'SingleQuoted':
      case 'AnsiCQuoted':
        this.#addText(part.value, true);
        break;
      case 'SimpleExpansion':
        this.#addHole(quoted, part.text.slice(1));
        break;
      default:
        this.#context.limits.deeper(() => this.#addNested(part, quoted));
    }
  }

  #addNested(part: Exclude<WordPart, { type: 'Literal' }>, quoted: boolean): void {
    switch (part.type) {
      case 'Glob':
      case 'BraceExpansion':
        this.#addBracketed(part.text, part.parts);
        return;
      case 'DoubleQuoted':
      case 'LocaleString':
        this.#addText('', true);
        this.#addParts(part.parts, true);
        return;
      case 'ProcessSubstitution':
        this.#addScript(part.script, part.text);
        this.#addText('/dev/fd/63', true);
        return;
      case 'ParameterExpansion':
        this.#addParameter(part, quoted);
        return;
      case 'CommandExpansion':
        this.#addScript(part.script, part.text);
        break;
      case 'ArithmeticExpansion':
        this.addArithmetic(part.text.replace(OPENS_ARITHMETIC, ''));
        break;
      case 'ExtendedGlob':
        this.#inner().#addParts(part.parts ?? [], false);
    }
    this.#addHole(quoted);
  }

  /** Adds braces, or a range of characters: the parts stand between its first and its last character. */
  #addBracketed(text: string, parts: readonly WordPart[] | undefined): void {
    if (!parts) {
      this.#addBare(text);
      return;
    }
    this.#addText(text.charAt(0), false);
    this.#addParts(parts, false);
    this.#addText(text.charAt(text.length - 1), false);
  }

  #addParameter({ parameter, prefix, index, operation }: ParameterExpansionPart, quoted: boolean): void {
    if (index) this.addArithmetic(index.text);
    if (operation) this.#addOperation(parameter, operation);
    this.#addHole(quoted, prefix || index || operation ? undefined : parameter);
  }

  #addOperation(parameter: string, operation: NonNullable<ParameterExpansionPart['operation']>): void {
    const operands = this.#inner();
    forEachChild(operation, (operand) => {
      if (operand.type !== 'Word') return;
      if (operation.type === 'Slice') this.addArithmetic(operand.text);
      else operands.addWord(operand);
    });
    const isOpaque = operation.type === 'Unknown' && EXPANDS.test(operation.operator);
    // Single quotes do not quote in `"${x:-'$(y)'}"`.
    if (isOpaque || operands.#quotesExpansion) this.effects.push(HIDDEN_COMMAND);
    if (operation.type === 'Transform' && operation.operand.text === 'P') this.effects.push(EXPANDED_AGAIN);
    if (operation.type === 'Default' && operation.operator.endsWith('='))
      this.effects.push({ kind: 'sets', name: parameter });
  }

  #addScript(script: ParsedScript | undefined, text: string): void {
    if (!script) throw new Unparsable('limit', 'nested too deeply to vouch for');
    const { limits, toScript, source, isLate } = this.#context;
    limits.spendOn(text);
    const context = { ...this.#context, source: script.source ?? source, isLate: isLate || text.startsWith('`') };
    this.scripts.push(toScript(script, context));
  }

  /** Adds text without quotes, in which a backslash quotes the next character, or continues the line. */
  #addBare(text: string): void {
    if (!text.includes('\\')) {
      this.#addText(text, false);
      return;
    }
    if (SPLIT_NAME.test(text)) this.#addHole(false);
    for (const [piece] of text.matchAll(/\\[\s\S]?|[^\\]+/g)) {
      if (!piece.startsWith('\\')) this.#addText(piece, false);
      else if (piece !== '\\\n') this.#addText(piece.slice(1) || piece, true);
    }
  }

  /** Adds text. Empty quoted text counts, since `''` is a word. */
  #addText(text: string, quoted: boolean): void {
    const last = this.pieces.at(-1);
    if (last?.text === undefined || last.quoted !== quoted) this.pieces.push({ text, quoted, name: undefined });
    else this.pieces[this.pieces.length - 1] = { text: last.text + text, quoted, name: undefined };
  }

  #addHole(quoted: boolean, name?: string): void {
    this.pieces.push({ text: undefined, quoted, name });
  }
}
