import path from 'node:path';
import { isObject } from '@jinn/core/text';
import type { Range } from 'vscode-languageserver-protocol';
import type { LanguageClient } from '../client/client.ts';
import { type Deadline, throwCanceled } from '../client/deadline.ts';
import { locate, type PlaceRange } from '../client/positions.ts';
import { fromTsserverPlace, scalarText } from '../client/server-requests.ts';
import type { Documents, OpenDocument } from '../documents/documents.ts';
import { comparePlaces, parseRange } from './locations.ts';

const MAX_PER_FILE = 1_000;
/** Diagnostics are kept for each open document. */
const MAX_BYTES_PER_FILE = 512 * 1024;
const MAX_MESSAGE = 2_000;
/** A server that gives no versions may publish what it knew first and the rest a moment later. */
const QUIET_MS = 700;
const LONGEST_WAIT_MS = 5_000;
/** A server that gives versions publishes the files that depend on a changed one a moment before it or after. */
const SETTLED_MS = 200;
const POLL_MS = 20;
const SEVERITIES = ['error', 'warning', 'info', 'hint'] as const;

export interface Diagnostic {
  readonly path: string;
  readonly range: PlaceRange;
  readonly severity: (typeof SEVERITIES)[number];
  readonly message: string;
  readonly source?: string;
  readonly code?: string;
}

export interface Diagnosis {
  readonly diagnostics: readonly Diagnostic[];
  /** True if the list means nothing yet. */
  readonly isPending: boolean;
}

interface PublishedDiagnostics {
  readonly items: readonly unknown[];
  readonly version: number | undefined;
  readonly seen: number;
  readonly at: number;
}

export class Diagnoser {
  readonly #client: LanguageClient;
  readonly #documents: Documents;
  readonly #root: string;
  readonly #published = new Map<string, PublishedDiagnostics>();
  #lastPublishedAt = Number.NEGATIVE_INFINITY;
  readonly #pulled = new Map<string, { readonly revision: number; readonly key: string }>();
  readonly #asSent = new WeakMap<Diagnostic, object>();

  constructor(client: LanguageClient, documents: Documents, root: string) {
    this.#client = client;
    this.#documents = documents;
    this.#root = root;
    client.onDiagnostics = (params) => this.#take(params);
  }

  /** For a comparison, diagnostics that are published in addition to pulled ones do not count: they come at any time. */
  async diagnose(
    document: OpenDocument,
    deadline: Deadline,
    { isForComparison = false, kept = [] }: { isForComparison?: boolean; kept?: readonly string[] } = {},
  ): Promise<Diagnosis> {
    const { diagnostics: way, diagnosesAlone } = this.#client.server;
    if (diagnosesAlone) this.#documents.closeOthers(new Set([document.path, ...kept]));
    if (!this.#canPull)
      return way === 'tsserver' ? this.#askTsserver(document, deadline) : this.#wait(document, deadline);
    const pulled = await this.#pull(document, deadline);
    if (this.#contradicts(document, pulled)) return { diagnostics: [], isPending: true };
    return this.#finish(document, isForComparison ? pulled : [...pulled, ...this.#publishedBeside(document, pulled)]);
  }

  /** True if the server says on request what is wrong, so that no one waits for it. */
  get isAnswering(): boolean {
    return this.#canPull || this.#client.server.diagnostics === 'tsserver';
  }

  get #canPull(): boolean {
    return (
      this.#client.server.diagnostics !== 'push' && this.#client.can('diagnosticProvider', 'textDocument/diagnostic')
    );
  }

  /** The form in which the server sent it, which the server may want back. */
  asSent(diagnostic: Diagnostic): object | undefined {
    return this.#asSent.get(diagnostic);
  }

  async #pull(document: OpenDocument, deadline: Deadline): Promise<readonly unknown[]> {
    const { identifier } = this.#client.optionsOf('diagnosticProvider', 'textDocument/diagnostic');
    const params = { textDocument: { uri: document.uri }, ...(typeof identifier === 'string' && { identifier }) };
    const report = await this.#client.request('textDocument/diagnostic', params, deadline);
    return isObject(report) && Array.isArray(report['items']) ? report['items'] : [];
  }

  /** True if the server said something else although nothing has changed: then neither is believed. */
  #contradicts({ path: file }: OpenDocument, pulled: readonly unknown[]): boolean {
    const { revision } = this.#documents;
    const { createHash } = process.getBuiltinModule('node:crypto'); // The key of a closed document stays, so it is short.
    const key = createHash('sha256').update(pulled.map(keyOfItem).sort().join()).digest('base64');
    const before = this.#pulled.get(file);
    this.#pulled.set(file, { revision, key });
    return before !== undefined && before.revision === revision && before.key !== key;
  }

  #publishedBeside(document: OpenDocument, pulled: readonly unknown[]): readonly unknown[] {
    const published = this.#published.get(document.path);
    if (!published || (published.version ?? published.seen) < document.version) return [];
    const known = new Set(pulled.slice(0, MAX_PER_FILE).map(keyOfItem));
    return published.items.filter((item) => !known.has(keyOfItem(item)));
  }

  /** It answers a command at once, and publishes nothing if nothing has changed. */
  async #askTsserver(document: OpenDocument, deadline: Deadline): Promise<Diagnosis> {
    const file = path.join(this.#root, document.path);
    const ask = async (command: string) => {
      const params = { command: 'typescript.tsserverRequest', arguments: [command, { file }] };
      const answer = await this.#client.request('workspace/executeCommand', params, deadline);
      return isObject(answer) && Array.isArray(answer['body']) ? answer['body'].map(fromTsserver) : [];
    };
    const [syntactic, semantic] = [await ask('syntacticDiagnosticsSync'), await ask('semanticDiagnosticsSync')];
    return this.#finish(document, [...syntactic, ...semantic]);
  }

  async #wait(document: OpenDocument, deadline: Deadline): Promise<Diagnosis> {
    const limit = deadline.within(LONGEST_WAIT_MS);
    for (;;) {
      const published = this.#published.get(document.path);
      const isOver = limit.left === 0 || this.#client.hasEnded;
      if (published && this.#isOf(document, published, isOver)) return this.#finish(document, published.items);
      if (isOver) return { diagnostics: [], isPending: true };
      const pause = new Promise<void>((resolve) => setTimeout(resolve, Math.min(POLL_MS, limit.left)));
      await deadline.race(pause, () => '').catch(throwCanceled);
    }
  }

  #isOf({ version }: OpenDocument, published: PublishedDiagnostics, isOver: boolean): boolean {
    const now = performance.now();
    const { changedAt } = this.#documents;
    const isSettled = isOver || (now - this.#lastPublishedAt >= SETTLED_MS && now - changedAt >= QUIET_MS);
    if (published.version !== undefined) return published.version >= version && isSettled;
    return published.seen >= version && performance.now() - published.at >= QUIET_MS;
  }

  #take({ uri, diagnostics, version }: Record<string, unknown>): void {
    const located = typeof uri === 'string' ? locate(this.#root, uri) : undefined;
    const document = located && 'path' in located ? this.#documents.get(located.path) : undefined;
    this.#lastPublishedAt = performance.now();
    if (!document) return; // Diagnostics of other files are not kept: a server may publish without end.
    for (const known of this.#published.keys()) if (!this.#documents.get(known)) this.#published.delete(known);
    this.#published.set(document.path, {
      items: keepable(diagnostics),
      version: typeof version === 'number' ? version : undefined,
      seen: document.version,
      at: performance.now(),
    });
  }

  #finish(document: OpenDocument, items: unknown): Diagnosis {
    const list = Array.isArray(items) ? items.slice(0, MAX_PER_FILE) : [];
    const diagnostics = list.flatMap((item) => {
      const diagnostic = parseDiagnostic(item, document, this.#client.encoding);
      if (!diagnostic) return [];
      this.#asSent.set(diagnostic, item as object);
      return [diagnostic];
    });
    return { diagnostics: diagnostics.sort((a, b) => comparePlaces(a.range.start, b.range.start)), isPending: false };
  }
}

function keepable(items: unknown): readonly unknown[] {
  const list = Array.isArray(items) ? items.slice(0, MAX_PER_FILE) : [];
  let left = MAX_BYTES_PER_FILE;
  return list.filter((item) => {
    try {
      left -= JSON.stringify(item)?.length ?? 0;
    } catch {
      left = -1; // It is nested too deeply to be written.
    }
    return left >= 0;
  });
}

function parseDiagnostic(
  item: unknown,
  { path: file, lines }: OpenDocument,
  encoding: LanguageClient['encoding'],
): Diagnostic | undefined {
  const range = isObject(item) ? parseRange(item['range']) : undefined;
  if (!isObject(item) || !range) return undefined;
  const { severity, source, code } = item;
  return {
    path: file,
    range: lines.placesOf(range, encoding),
    severity: SEVERITIES[Number(scalarText(severity) || 1) - 1] ?? 'error',
    message: scalarText(item['message']).slice(0, MAX_MESSAGE),
    ...(typeof source === 'string' && { source: source.slice(0, 100) }),
    ...((typeof code === 'string' || typeof code === 'number') && { code: String(code).slice(0, 100) }),
  };
}

function keyOfItem(item: unknown): string {
  const { severity = 1, code, source, message } = isObject(item) ? item : {};
  const range = isObject(item) ? parseRange(item['range']) : undefined;
  return JSON.stringify([range, ...[severity, code, source, message].map(scalarText)]);
}

function fromTsserver(item: unknown): object {
  const { start, end, text, code, category } = isObject(item) ? item : {};
  const severity = category === 'error' ? 1 : category === 'warning' ? 2 : 4;
  const range: Range = { start: fromTsserverPlace(start), end: fromTsserverPlace(end) };
  return { range, message: text, code, severity, source: 'typescript' };
}

/** Leaves out diagnostics that the other list has at the very same place. */
export function withoutSame(list: readonly Diagnostic[], others: readonly Diagnostic[]): Diagnostic[] {
  const keyAt = (diagnostic: Diagnostic) => {
    const { line, character } = diagnostic.range.start;
    return keyOf(diagnostic, `${line}:${character}`);
  };
  const known = new Set(others.map(keyAt));
  return list.filter((diagnostic) => !known.has(keyAt(diagnostic)));
}

/** Returns the diagnostics of the second list that are not in the first, no matter what line they have moved to. */
export function newDiagnostics(
  before: readonly Diagnostic[],
  after: readonly Diagnostic[],
  lineOf: { before(diagnostic: Diagnostic): string; after(diagnostic: Diagnostic): string },
): Diagnostic[] {
  const known = new Map<string, number>();
  for (const diagnostic of before) {
    const key = keyOf(diagnostic, lineOf.before(diagnostic));
    known.set(key, (known.get(key) ?? 0) + 1);
  }
  return after.filter((diagnostic) => {
    const key = keyOf(diagnostic, lineOf.after(diagnostic));
    const left = known.get(key) ?? 0;
    known.set(key, left - 1);
    return left <= 0;
  });
}

function keyOf({ path: file, severity, source, code, message }: Diagnostic, line: string): string {
  return JSON.stringify([file, severity, source, code, message, line.trim()]);
}

/** Formats a diagnostic as `file:line:col severity source/code: message`. */
export function showDiagnostic({ path, range, severity, source = 'lsp', code, message }: Diagnostic): string {
  const origin = code === undefined ? source : `${source}/${code}`;
  const { line, character } = range.start;
  return `${path}:${line}:${character} ${severity} ${origin}: ${message.replace(/\s*\n\s*/g, ' ')}`;
}
