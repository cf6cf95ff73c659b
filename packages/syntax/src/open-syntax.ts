import { availableParallelism } from 'node:os';
import type { Node, Parser, Range, Tree } from 'web-tree-sitter';
import { type CompiledSyntax, createSyntaxCompiler, type SyntaxCompiler } from './compile.ts';
import { type FoundFault, findFaults } from './faults/find-faults.ts';
import { languageNamed, otherLanguageOf } from './languages.ts';
import { OutlineThread } from './outline-thread.ts';
import { findTextParts, type TextPart } from './parse/find-text-parts.ts';
import { MAX_SOURCE_BYTES, TOO_LARGE } from './parse/source-limit.ts';
import { type SourceText, toSourceText } from './parse/source-text.ts';
import { findThreadScript } from './read-library.ts';
import { createRuntime, type Runtime } from './runtime.ts';
import { type FoundIdentifier, findIdentifiers } from './symbols/find-identifiers.ts';
import { type NodeRoles, toNodeRoles } from './symbols/node-roles.ts';
import { toOutline } from './symbols/to-outline.ts';
import { type Findings, walkSymbols } from './symbols/walk-symbols.ts';
import type { Identifier, Outline } from './symbols.ts';

/**
 * How much of the text the parser gets at once. A scanner that goes back asks for the same again, so the parts are
 * small.
 */
const PART_UNITS = 2_048;

interface ParseOptions {
  readonly text: string;
  /** The parts of the text to parse; the default is all of it. */
  readonly ranges?: Range[];
  readonly isLate: () => boolean;
}

/** Types of nodes that hold the text of a string. */
const STRING = /string|heredoc|text_block|sigil|regex/;

/** Why there is no outline of a file. */
export interface NoOutline {
  readonly reason: 'no_grammar' | 'too_large' | 'binary' | 'too_slow' | 'too_complex';
  /** A sentence about it. */
  readonly message: string;
}

export interface Syntax {
  /**
   * Reads the symbols, imports and syntax errors of a file. It never rejects. The work blocks the event loop for at
   * most about `limitMs`, whose default is 2,000. The content is not kept.
   */
  outline(content: Buffer, language: string, limits?: { readonly limitMs?: number }): Promise<Outline | NoOutline>;
  /**
   * Finds the identifiers of a name, in the order of the file: whole tokens of code, not text in comments and strings.
   * The limits are those of `outline`.
   */
  identifiers(
    content: Buffer,
    language: string,
    search: { readonly name: string; readonly limitMs?: number },
  ): Promise<readonly Identifier[] | NoOutline>;
  /** Finds the lines, from 1, that begin within a string of several lines. The limits are those of `outline`. */
  textLines(
    content: Buffer,
    language: string,
    limits?: { readonly limitMs?: number },
  ): Promise<readonly number[] | NoOutline>;
  /**
   * Starts the parser, and returns a function that finds the comments of a file, and its strings of several lines. The
   * limits are those of `outline`.
   */
  startTextParts(): Promise<(content: Buffer, language: string) => readonly TextPart[] | NoOutline>;
  /**
   * Starts a thread that reads outlines beside this one. The caller closes it. Returns undefined on a machine with one
   * processor, if this installation does not have the script, and while too little was parsed for a thread to pay.
   */
  startThread(): OutlineThread | undefined;
}

export function isOutline(answer: Outline | NoOutline): answer is Outline {
  return 'symbols' in answer;
}

const LIMIT_MS = 2_000;

/** After this much parsing, an optimized parser pays. */
const OPTIMIZE_AFTER_MS = 400;

/**
 * Opens the reader of source files. The parser is started at the first file, and a grammar is loaded at the first file
 * of its language. V8 optimizes the parser only when it has worked for a while, since a process of one call has no time
 * for that.
 */
export function openSyntax(compile: SyntaxCompiler = createSyntaxCompiler()): Syntax {
  return new Reader(compile);
}

let shared: Syntax | undefined;

/**
 * Opens the reader that all sessions of a process share. Otherwise each of them would start a parser, and load its
 * grammars.
 */
export function openSharedSyntax(): Syntax {
  shared ??= openSyntax();
  return shared;
}

interface LoadedLanguage {
  readonly parser: Parser;
  readonly roles: NodeRoles;
}

interface Engine {
  readonly compiled: CompiledSyntax;
  readonly isOptimized: boolean;
  readonly runtime: Runtime;
  readonly loaded: Map<string, LoadedLanguage | undefined>;
}

type TreeSearch<T> = (tree: Tree, at: LookedAt) => readonly T[];

interface LookedAt {
  readonly text: string;
  /** The part of the text that the tree is of; undefined for all of it. */
  readonly part: Node | undefined;
  readonly isLate: () => boolean;
}

interface Request<T> {
  readonly content: Buffer;
  readonly language: string;
  readonly limitMs: number;
  readonly look?: TreeSearch<T>;
}

interface Reading<T> {
  readonly engine: Engine;
  readonly language: string;
  readonly source: SourceText;
  readonly isLate: () => boolean;
  readonly look: TreeSearch<T> | undefined;
  readonly findings: Findings;
  readonly faults: FoundFault[];
  /** The results of `look`. */
  readonly found: T[];
}

function toBytes<T extends { readonly start: number; readonly end: number }>(source: SourceText, range: T): T {
  return { ...range, start: source.toByte(range.start), end: source.toByte(range.end) };
}

class Reader implements Syntax {
  private readonly compile: SyntaxCompiler;
  private engine: Promise<Engine | undefined> | undefined;
  /** The engine that read the last file. */
  private current: Engine | undefined;
  /** Milliseconds of parsing so far. */
  private worked = 0;

  constructor(compile: SyntaxCompiler) {
    this.compile = compile;
  }

  async outline(content: Buffer, language: string, { limitMs = LIMIT_MS } = {}): Promise<Outline | NoOutline> {
    const reading = await this.read<never>({ content, language, limitMs });
    return 'reason' in reading ? reading : toOutline(reading);
  }

  async identifiers(
    content: Buffer,
    language: string,
    { name, limitMs = LIMIT_MS }: { name: string; limitMs?: number },
  ) {
    const look: TreeSearch<FoundIdentifier> = (tree, at) => findIdentifiers(tree, { ...at, name });
    const reading = await this.read({ content, language, limitMs, look });
    if ('reason' in reading) return reading;
    const { found: identifiers, source } = reading;
    return identifiers.map((found) => toBytes(source, found)).sort((a, b) => a.start - b.start);
  }

  async textLines(content: Buffer, language: string, { limitMs = LIMIT_MS } = {}) {
    const look: TreeSearch<number> = (tree, { isLate }) => findTextLines(tree, isLate);
    const reading = await this.read({ content, language, limitMs, look });
    return 'reason' in reading ? reading : reading.found;
  }

  async startTextParts() {
    const look: TreeSearch<TextPart> = (tree, { isLate }) => findTextParts(tree, isLate);
    await this.start();
    return (content: Buffer, language: string) => {
      const reading = this.readNow({ content, language, limitMs: LIMIT_MS, look });
      if (!this.engine) void this.start(); // Files that come later have it.
      if ('reason' in reading) return reading;
      return reading.isLate() ? tooSlow(LIMIT_MS) : reading.found.map((part) => toBytes(reading.source, part));
    };
  }

  startThread(): OutlineThread | undefined {
    if (!this.current?.isOptimized || availableParallelism() === 1) return undefined;
    const script = findThreadScript();
    return script === undefined ? undefined : new OutlineThread(script, this.current.compiled);
  }

  private async read<T>(request: Request<T>): Promise<Reading<T> | NoOutline> {
    const refusal = refuse(request);
    if (refusal) return refusal;
    await this.start();
    return this.readNow(request);
  }

  private async start(): Promise<void> {
    this.engine ??= startEngine(this.compile, { optimize: this.worked > OPTIMIZE_AFTER_MS });
    this.current = await this.engine;
  }

  /** Reads with the engine that was started last. */
  private readNow<T>(request: Request<T>): Reading<T> | NoOutline {
    const refusal = refuse(request);
    if (refusal) return refusal;
    const engine = this.current;
    if (!engine) return noGrammar(request.language);
    const start = process.uptime();
    try {
      return read(engine, request);
    } catch {
      // Its memory is full, or in no known state: the next file gets another.
      this.engine = undefined;
      this.current = undefined;
      return { reason: 'too_complex', message: 'the parser cannot read it: it nests too deeply or is too ambiguous' };
    } finally {
      this.addWork((process.uptime() - start) * 1_000);
    }
  }

  private addWork(ms: number): void {
    const wasShort = this.worked <= OPTIMIZE_AFTER_MS;
    this.worked += ms;
    if (wasShort && this.worked > OPTIMIZE_AFTER_MS) this.engine = undefined;
  }
}

async function startEngine(
  compile: SyntaxCompiler,
  { optimize }: { readonly optimize: boolean },
): Promise<Engine | undefined> {
  const compiled = compile({ optimize });
  if (!compiled) return undefined;
  return { compiled, isOptimized: optimize, runtime: await createRuntime(compiled), loaded: new Map() };
}

function load({ runtime, loaded }: Engine, language: string): LoadedLanguage | undefined {
  if (loaded.has(language)) return loaded.get(language);
  const known = languageNamed(language);
  const tree = known && runtime.loadGrammar(language);
  const entry = known && tree && { parser: runtime.createParser(tree), roles: toNodeRoles(known.grammar, tree) };
  loaded.set(language, entry);
  return entry;
}

function read<T>(engine: Engine, { content, language, limitMs, look }: Request<T>): Reading<T> | NoOutline {
  if (!load(engine, language)) return noGrammar(language);
  const file = { engine, source: toSourceText(content), isLate: deadline(limitMs), look };
  const reading = readAs(file, language);
  if (!reading) return tooSlow(limitMs);
  const otherLanguage = reading.faults.length > 0 ? otherLanguageOf(language) : undefined;
  const other = otherLanguage === undefined ? undefined : readAs(file, otherLanguage);
  return other !== undefined && other.faults.length < reading.faults.length ? other : reading;
}

function readAs<T>(
  file: Pick<Reading<T>, 'engine' | 'source' | 'isLate' | 'look'>,
  language: string,
): Reading<T> | undefined {
  const findings: Findings = { symbols: [], imports: [], tails: [], truncated: false };
  const reading: Reading<T> = { ...file, language, findings, faults: [], found: [] };
  return readPart(reading, language) ? reading : undefined;
}

/** Reads the whole text, or the text of a node that holds another language; returns false if it was stopped. */
function readPart<T>(reading: Reading<T>, language: string, part?: Node): boolean {
  const { engine, source, findings, isLate, look } = reading;
  const loaded = load(engine, language);
  const grammar = languageNamed(language)?.grammar;
  if (!loaded || !grammar) return true;
  const text = grammar.prepare?.(source.text) ?? source.text;
  const tree = parseText(loaded.parser, part ? { text, isLate, ranges: [part] } : { text, isLate });
  if (!tree) return false;
  const embed = (inner: string, node: Node): void => {
    if (!readPart(reading, inner, node)) findings.truncated = true;
  };
  walkSymbols(tree, { text: source.text, grammar, roles: loaded.roles, findings, isLate, embed });
  const faults = findFaults(tree, isLate);
  reading.faults.push(...(faults.length > 0 ? faults : (grammar.findFaults?.(tree, text, isLate) ?? [])));
  if (look) reading.found.push(...look(tree, { text, part, isLate }));
  tree.delete();
  return true;
}

function checkContent(content: Buffer): NoOutline | undefined {
  if (content.length > MAX_SOURCE_BYTES) return { reason: 'too_large', message: TOO_LARGE };
  return content.includes(0) ? { reason: 'binary', message: 'it holds a NUL, so that it is binary' } : undefined;
}

function refuse({ content, language }: Pick<Request<unknown>, 'content' | 'language'>): NoOutline | undefined {
  return languageNamed(language) ? checkContent(content) : noGrammar(language);
}

function noGrammar(language: string): NoOutline {
  return { reason: 'no_grammar', message: `no syntax tree for ${language} here` };
}

function tooSlow(limitMs: number): NoOutline {
  return { reason: 'too_slow', message: `parsing it was stopped after ${limitMs} ms` };
}

function deadline(limitMs: number): () => boolean {
  const end = process.uptime() * 1_000 + limitMs;
  return () => process.uptime() * 1_000 > end;
}

/** Returns the lines, from 1, that begin within a string: the white space in front of them is a part of its value. */
function findTextLines(tree: Tree, isLate: () => boolean): number[] {
  const lines: number[] = [];
  const cursor = tree.walk();
  try {
    for (let isOver = false; !isOver && !isLate(); ) {
      const [first, last] = [cursor.startPosition.row, cursor.endPosition.row];
      const isString = cursor.nodeIsNamed && STRING.test(cursor.nodeType);
      // The last row of a node that ends with a line is the one behind it.
      for (let row = first + 1; isString && row <= last && cursor.endPosition.column > 0; row++) lines.push(row + 1);
      if (first < last && !isString && cursor.gotoFirstChild()) continue;
      while (!cursor.gotoNextSibling() && !isOver) isOver = !cursor.gotoParent();
    }
  } finally {
    cursor.delete();
  }
  return lines;
}

/**
 * Parses text; undefined if it took too long. The parser asks whether to go on after some steps, and each may take
 * seconds when it scans hostile text: then it is told that the text has come to its end. The caller deletes the tree.
 */
function parseText(parser: Parser, { text, ranges, isLate }: ParseOptions): Tree | undefined {
  let stopped = false;
  const progressCallback = (): boolean => {
    stopped ||= isLate();
    return stopped;
  };
  const read = (index: number): string | undefined =>
    progressCallback() ? undefined : text.slice(index, index + PART_UNITS);
  const tree = parser.parse(read, null, ranges ? { includedRanges: ranges, progressCallback } : { progressCallback });
  if (tree && !stopped) return tree;
  tree?.delete();
  // Else the next parse would go on with this one.
  parser.reset();
  return undefined;
}
