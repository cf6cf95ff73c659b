import { availableParallelism } from 'node:os';
import type { Node, Parser, Range, Tree } from 'web-tree-sitter';
import { type CompiledSyntax, createSyntaxCompiler, findThreadScript, type SyntaxCompiler } from './compile.ts';
import { type FoundFault, findFaults } from './faults/find-faults.ts';
import { languageNamed, otherLanguageOf } from './languages.ts';
import { OutlineThread } from './outline-thread.ts';
import {
  type FoundIdentifier,
  findIdentifiers,
  findTextLines,
  findTextParts,
  type TextPart,
} from './parse/find-in-tree.ts';
import type { HiddenMacros } from './parse/hide-macros.ts';
import { type SourceText, toSourceText } from './parse/source-text.ts';
import { createRuntime, type Runtime } from './runtime.ts';
import { type NodeRoles, toNodeRoles } from './symbols/node-roles.ts';
import { toOutline } from './symbols/to-outline.ts';
import { type WalkedSymbols, walkSymbols } from './symbols/walk-symbols.ts';
import type { Identifier, NoOutline, Outline } from './symbols.ts';

/** The largest source file that is parsed, in bytes. Larger files are generated, and parsing them takes seconds. */
export const MAX_SOURCE_BYTES = 2 * 1024 * 1024;
export const TOO_LARGE = `it is larger than ${MAX_SOURCE_BYTES / 1024 / 1024} MiB, too large for a syntax tree`;
/** A scanner that goes back asks for the same part again, so parts are small. */
const PART_UNITS = 2_048;
const LIMIT_MS = 2_000;
/** After this much parsing, an optimized parser pays. */
const OPTIMIZE_AFTER_MS = 400;

/**
 * The parser starts at the first file, and each grammar is loaded at its first file. V8 optimizes the parser only after
 * a while: a process of one call has no time for that.
 */
export function openSyntax(compile: SyntaxCompiler = createSyntaxCompiler()): Syntax {
  return new Syntax(compile);
}

let shared: Syntax | undefined;

/** All sessions of a process share this one, with its parser and grammars. */
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

/** Searches a tree of a text, or of a part of it. */
type TreeSearch<T> = (tree: Tree, at: { text: string; part: Node | undefined; isLate: () => boolean }) => readonly T[];

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
  readonly hidden?: HiddenMacros;
  readonly findings: WalkedSymbols;
  readonly faults: FoundFault[];
  readonly found: T[];
}

function toBytes<T extends { readonly start: number; readonly end: number }>(source: SourceText, range: T): T {
  return { ...range, start: source.toByte(range.start), end: source.toByte(range.end) };
}

/** Reads source files. Each method blocks the event loop for at most about `limitMs`, never rejects and keeps no content. */
export class Syntax {
  private readonly compile: SyntaxCompiler;
  private engine: Promise<Engine | undefined> | undefined;
  private current: Engine | undefined;
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
  ): Promise<readonly Identifier[] | NoOutline> {
    const look: TreeSearch<FoundIdentifier> = (tree, at) => findIdentifiers(tree, { ...at, name });
    const reading = await this.read({ content, language, limitMs, look });
    if ('reason' in reading) return reading;
    const { found: identifiers, source } = reading;
    return identifiers.map((found) => toBytes(source, found)).sort((a, b) => a.start - b.start);
  }

  /** Finds the lines, from 1, that start within a string of several lines. */
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

  /** The caller closes the thread. Undefined with one processor, without a script, or if too little was parsed to pay. */
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
  engine.runtime.limitMemory(content.length);
  if (!load(engine, language)) return noGrammar(language);
  const file = { engine, source: toSourceText(content), isLate: deadline(limitMs), look };
  const reading = readAs(file, language);
  if (!reading) return tooSlow(limitMs);
  if (badnessOf(reading) === 0) return reading;
  const languages = [language, otherLanguageOf(language, content)].filter((name) => name !== undefined);
  // What is hidden has no identifiers to look at.
  const hidden = look ? undefined : languageNamed(language)?.grammar.hide?.(file.source.text);
  let best = reading;
  for (const name of hidden ? languages : languages.slice(1)) {
    const other = badnessOf(best) > 0 ? readAs({ ...file, ...(hidden && { hidden }) }, name) : undefined;
    if (other && badnessOf(other) < badnessOf(best)) best = other;
  }
  return best;
}

/** Names that no declaration of C has. `API int (f)(void);` is read as if it declared `int`. */
const TYPE_OF_C = /^(?:void|int|char|long|short|float|double|unsigned|signed)$/;

/**
 * Returns how much text is in errors, which may hold most of a file. Each counts as one more byte, and so does a symbol
 * whose name is a type.
 */
function badnessOf({ faults, findings, language }: Reading<unknown>): number {
  const misread = languageNamed(language)?.grammar.hide
    ? findings.symbols.filter(({ name }) => TYPE_OF_C.test(name)).length
    : 0;
  return faults.reduce((sum, { start, end }) => sum + end - start + 1, misread);
}

function readAs<T>(
  file: Pick<Reading<T>, 'engine' | 'source' | 'isLate' | 'look' | 'hidden'>,
  language: string,
): Reading<T> | undefined {
  const findings: WalkedSymbols = { symbols: [], imports: [], tails: [], truncated: false };
  const missed = file.hidden?.dropped.map((part) => ({ ...part, missing: undefined })) ?? [];
  const reading: Reading<T> = { ...file, language, findings, faults: missed, found: [] };
  return readPart(reading, language) ? reading : undefined;
}

/** `part` holds another language. False if it was stopped. */
function readPart<T>(reading: Reading<T>, language: string, part?: Node): boolean {
  const { engine, source, findings, isLate, look, hidden } = reading;
  const loaded = load(engine, language);
  const grammar = languageNamed(language)?.grammar;
  if (!loaded || !grammar) return true;
  const text = hidden?.text ?? grammar.prepare?.(source.text) ?? source.text;
  const tree = parseText(loaded.parser, part ? { text, isLate, ranges: [part] } : { text, isLate });
  if (!tree) return false;
  const embed = (inner: string, node: Node): void => {
    if (!readPart(reading, inner, node)) findings.truncated = true;
  };
  const walked = hidden?.text ?? source.text;
  const { prefixes } = hidden ?? {};
  walkSymbols(tree, { text: walked, grammar, roles: loaded.roles, findings, isLate, embed, prefixes });
  const faults = findFaults(tree, isLate);
  reading.faults.push(...(faults.length > 0 ? faults : (grammar.findFaults?.(tree, text, isLate) ?? [])));
  if (look) reading.found.push(...look(tree, { text, part, isLate }));
  tree.delete();
  return true;
}

function refuse({ content, language }: Pick<Request<unknown>, 'content' | 'language'>): NoOutline | undefined {
  if (!languageNamed(language)) return noGrammar(language);
  if (content.length > MAX_SOURCE_BYTES) return { reason: 'too_large', message: TOO_LARGE };
  return content.includes(0) ? { reason: 'binary', message: 'it holds a NUL, so that it is binary' } : undefined;
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

/**
 * Undefined if it took too long. The parser asks whether to continue after some steps, each of which may take seconds
 * on hostile text: then the text ends for it. The caller deletes the tree.
 */
function parseText(
  parser: Parser,
  { text, ranges, isLate }: { text: string; ranges?: Range[]; isLate: () => boolean },
): Tree | undefined {
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
  // Otherwise the next parse would continue with this one.
  parser.reset();
  return undefined;
}
