import type { Node, Parser } from 'web-tree-sitter';
import { type FoundFault, findFaults } from './find-faults.ts';
import { languageNamed } from './languages.ts';
import { type NodeRoles, toNodeRoles } from './node-roles.ts';
import { parseText } from './parse-text.ts';
import { createRuntime, type Runtime } from './runtime.ts';
import { type SourceText, toSourceText } from './source-text.ts';
import type { Outline } from './symbols.ts';
import { toOutline } from './to-outline.ts';
import { type Findings, walkSymbols } from './walk-symbols.ts';

/** Why there is no outline of a file. */
export interface NoOutline {
  readonly reason: 'no_grammar' | 'too_large' | 'binary' | 'too_slow' | 'too_complex';
  /** A sentence about it. */
  readonly message: string;
}

export interface Syntax {
  /**
   * Reads the symbols, imports and syntax errors of a file. It never rejects. The work is not shared out: the event loop
   * stands still for it, for at most about `limitMs`, whose default is 2,000. Nothing of the content is kept.
   */
  outline(content: Buffer, language: string, limits?: { readonly limitMs?: number }): Promise<Outline | NoOutline>;
}

export function isOutline(answer: Outline | NoOutline): answer is Outline {
  return 'symbols' in answer;
}

/** Larger files are generated, and parsing them takes seconds. */
const MOST_BYTES = 2 * 1024 * 1024;
const LIMIT_MS = 2_000;

/**
 * Opens what reads source files. The parser is started at the first file, and a grammar is loaded at the first file of
 * its language. With `once`, for a process that ends after one call, V8 does not optimize the parser.
 */
export function openSyntax({ once = false }: { readonly once?: boolean } = {}): Syntax {
  return new Reader(once);
}

interface Loaded {
  readonly parser: Parser;
  readonly roles: NodeRoles;
}

/** A runtime, and what it has loaded; undefined for a language without a grammar here. */
interface Engine {
  readonly runtime: Runtime;
  readonly loaded: Map<string, Loaded | undefined>;
}

/** A file that is being read. */
interface Reading {
  readonly engine: Engine;
  readonly source: SourceText;
  readonly findings: Findings;
  readonly faults: FoundFault[];
  readonly isLate: () => boolean;
}

class Reader implements Syntax {
  private readonly once: boolean;
  private engine: Promise<Engine | undefined> | undefined;

  constructor(once: boolean) {
    this.once = once;
  }

  async outline(content: Buffer, language: string, { limitMs = LIMIT_MS } = {}): Promise<Outline | NoOutline> {
    const refusal = languageNamed(language) ? judge(content) : noGrammar(language);
    if (refusal) return refusal;
    this.engine ??= startEngine(this.once);
    const engine = await this.engine;
    if (!engine) return noGrammar(language);
    try {
      return read(engine, { content, language, limitMs });
    } catch {
      // Its memory is full, or in no known state: the next file gets another.
      this.engine = undefined;
      return { reason: 'too_complex', message: 'the parser cannot read it: it nests too deeply or is too ambiguous' };
    }
  }
}

async function startEngine(once: boolean): Promise<Engine | undefined> {
  const runtime = await createRuntime({ optimize: !once });
  return runtime && { runtime, loaded: new Map() };
}

function load({ runtime, loaded }: Engine, language: string): Loaded | undefined {
  if (loaded.has(language)) return loaded.get(language);
  const known = languageNamed(language);
  const tree = known && runtime.loadGrammar(language);
  const entry = known && tree && { parser: runtime.createParser(tree), roles: toNodeRoles(known.grammar, tree) };
  loaded.set(language, entry);
  return entry;
}

interface Request {
  readonly content: Buffer;
  readonly language: string;
  readonly limitMs: number;
}

function read(engine: Engine, { content, language, limitMs }: Request): Outline | NoOutline {
  if (!load(engine, language)) return noGrammar(language);
  const source = toSourceText(content);
  const isLate = deadline(limitMs);
  const reading = readAs(engine, { source, language, isLate });
  if (!reading) return { reason: 'too_slow', message: `parsing it was stopped after ${limitMs} ms` };
  // A header may be C or C++.
  const other =
    language === 'c' && reading.faults.length > 0 ? readAs(engine, { source, language: 'cpp', isLate }) : undefined;
  const better = other && other.faults.length < reading.faults.length ? other : reading;
  return toOutline({ content, language: better === other ? 'cpp' : language, ...better });
}

interface Task {
  readonly source: SourceText;
  readonly language: string;
  readonly isLate: () => boolean;
}

function readAs(engine: Engine, { source, language, isLate }: Task): Reading | undefined {
  const findings: Findings = { symbols: [], imports: [], truncated: false };
  const reading: Reading = { engine, source, findings, faults: [], isLate };
  return readPart(reading, language) ? reading : undefined;
}

/** Reads the whole text, or the text of a node that holds another language; false if it was stopped. */
function readPart(reading: Reading, language: string, part?: Node): boolean {
  const { engine, source, findings, isLate } = reading;
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
  reading.faults.push(...findFaults(tree, isLate));
  tree.delete();
  return true;
}

function judge(content: Buffer): NoOutline | undefined {
  if (content.length > MOST_BYTES) {
    return { reason: 'too_large', message: `files over ${MOST_BYTES / 1024 / 1024} MiB are not parsed` };
  }
  return content.includes(0) ? { reason: 'binary', message: 'it holds a NUL, so that it is binary' } : undefined;
}

function noGrammar(language: string): NoOutline {
  return { reason: 'no_grammar', message: `no syntax tree for ${language} here` };
}

function deadline(limitMs: number): () => boolean {
  const end = process.uptime() * 1_000 + limitMs;
  return () => process.uptime() * 1_000 > end;
}
