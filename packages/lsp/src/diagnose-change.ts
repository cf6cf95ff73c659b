import { Deadline } from './deadline.ts';
import { type Diagnostic, newDiagnostics } from './diagnostics.ts';
import type { LanguageServers } from './language-servers.ts';
import type { Running } from './launch-server.ts';
import { Lines } from './positions.ts';
import type { Server } from './server-table.ts';
import { decodeSource, type SourceFiles } from './source-files.ts';

const MAX_FILES = 20;
const MAX_SHOWN = 50;
/** Open files that were not changed, of which the change may have broken some. */
const MAX_OTHERS = 5;
/** So much of the wait may be spent on finding dependents. */
const SHARE_FOR_FINDING = 0.2;
const FOR_COMPARISON = { isForComparison: true } as const;

/** A file as it was and as it is. */
export interface ChangedSource {
  readonly path: string;
  /** Undefined for a file that was made. */
  readonly before: Buffer | undefined;
  /** Undefined for a file that was removed. */
  readonly after: Buffer | undefined;
}

/** What a change broke and mended. */
export interface DiagnosticsDifference {
  readonly appeared: readonly Diagnostic[];
  readonly disappeared: readonly Diagnostic[];
  /** How many more of both were left out. */
  readonly omitted: number;
  /** True if a server did not answer in time, so that there may be more. */
  readonly isPending: boolean;
}

export interface DiagnoseOptions {
  readonly files: SourceFiles;
  /** Wait no longer than this, in milliseconds. */
  readonly waitMs: number;
  readonly severity: 'errors' | 'all';
  readonly signal?: AbortSignal | undefined;
  /** Finds files that may be broken by a change, for the server that is asked, within so many milliseconds. */
  findDependents?(changed: readonly string[], server: Server, limitMs: number): Promise<readonly string[]>;
}

/**
 * Compares what is wrong before and after files were changed. To be called when they are written: the servers are shown
 * the texts from before, and then those of now. Returns undefined if no server of these files is warm, or if it has come to
 * run code of the workspace that nobody trusts. Never throws; it starts no server and takes no longer than `waitMs`.
 */
export async function diagnoseChange(
  servers: LanguageServers,
  changes: readonly ChangedSource[],
  options: DiagnoseOptions,
): Promise<DiagnosticsDifference | undefined> {
  const perServer = new Map<Running, [ChangedSource, ...ChangedSource[]]>();
  for (const change of changes.slice(0, MAX_FILES)) {
    const running = servers.warm(change.path);
    if (!running) continue;
    const own = perServer.get(running);
    if (own) own.push(change);
    else perServer.set(running, [change]);
  }
  if (perServer.size === 0) return undefined;
  const deadline = new Deadline(options.waitMs, options.signal, { isForgiving: true });
  const parts = await Promise.all(
    [...perServer].map(([running, own]) =>
      servers.holding(running, async () => {
        if (!(await deadline.race(servers.isStillFit(own[0].path), () => '').catch(() => false))) return undefined;
        const paths = own.map(({ path }) => path);
        const limitMs = deadline.left * SHARE_FOR_FINDING;
        const dependents = (await options.findDependents?.(paths, running.server, limitMs).catch(() => [])) ?? [];
        return new ChangeDiagnosis({ running, changes: own, dependents }, options).run(deadline, servers);
      }),
    ),
  );
  const known = parts.filter((part) => part !== undefined);
  return known.length === 0 ? undefined : join(known, options.severity);
}

type Found = ReadonlyMap<string, readonly Diagnostic[]>;

interface Part {
  readonly appeared: readonly Diagnostic[];
  readonly disappeared: readonly Diagnostic[];
  readonly isPending: boolean;
}

interface Concerned {
  readonly running: Running;
  readonly changes: readonly ChangedSource[];
  readonly dependents: readonly string[];
}

class ChangeDiagnosis {
  readonly #running: Running;
  readonly #changes: readonly ChangedSource[];
  readonly #files: SourceFiles;
  /** The changed files, and others that are open. */
  readonly #paths: readonly string[];
  /** More files that the change may have broken. They are asked about one after the other, as long as there is time. */
  readonly #dependents: readonly string[];
  #isPending = false;

  constructor({ running, changes, dependents }: Concerned, { files }: DiagnoseOptions) {
    this.#running = running;
    this.#changes = changes;
    this.#files = files;
    const changed = changes.map((change) => change.path);
    const others = running.documents.open.map((document) => document.path).filter((path) => !changed.includes(path));
    this.#paths = [...changed, ...others.slice(-MAX_OTHERS)];
    this.#dependents = dependents.filter((path) => !this.#paths.includes(path));
  }

  async run(deadline: Deadline, servers: LanguageServers): Promise<Part> {
    const half = deadline.within(deadline.left / 2);
    for (const { path, before } of this.#changes) this.#show(path, before);
    const before = await this.#diagnose(half);
    const dependents = await this.#diagnoseDependents(this.#dependents, half);
    const texts = this.#texts();
    for (const { path, after } of this.#changes) this.#show(path, after);
    await servers.synchronize().catch(() => {});
    const after = await this.#diagnose(deadline);
    const broken = await this.#diagnoseDependents([...dependents.keys()], deadline);
    return {
      ...this.#compare(new Map([...before, ...dependents]), new Map([...after, ...broken]), texts),
      isPending: this.#isPending,
    };
  }

  /** Where one of the two is not known, everything or nothing would seem new. */
  #compare(before: Found, after: Found, texts: ReadonlyMap<string, Lines>): Omit<Part, 'isPending'> {
    const known = [...before.keys()].filter((path) => after.has(path));
    const [old, present] = [before, after].map((found) => known.flatMap((path) => found.get(path) ?? []));
    const lineOf = { before: lineIn(texts), after: lineIn(this.#texts()) };
    const swapped = { before: lineOf.after, after: lineOf.before };
    return {
      appeared: newDiagnostics(old ?? [], present ?? [], lineOf),
      disappeared: newDiagnostics(present ?? [], old ?? [], swapped),
    };
  }

  #show(path: string, content: Buffer | undefined): void {
    const { documents } = this.#running;
    if (!content) {
      if (documents.get(path)) documents.showText(path, { text: '', isExact: true, stat: '' });
      return;
    }
    const stat = this.#files.stat(path) ?? '';
    documents.showText(path, { ...decodeSource(content), stat });
  }

  #texts(): ReadonlyMap<string, Lines> {
    return new Map(
      [...this.#paths, ...this.#dependents].map((path) => [
        path,
        this.#running.documents.get(path)?.lines ?? new Lines(''),
      ]),
    );
  }

  /** What is wrong with each file, as far as the server says so in time. */
  async #diagnose(deadline: Deadline): Promise<Found> {
    const { diagnoser, documents } = this.#running;
    const found = new Map<string, readonly Diagnostic[]>();
    const asked = this.#paths.map(async (path) => {
      const document = documents.get(path);
      if (!document || document.lines.text === '') return void found.set(path, []);
      const diagnosis = await diagnoser.diagnose(document, deadline, FOR_COMPARISON).catch(() => undefined);
      if (diagnosis && !diagnosis.isPending) found.set(path, diagnosis.diagnostics);
      else this.#isPending = true;
    });
    await Promise.all(asked);
    return found;
  }

  /** The same for files that nobody may have asked about: without an answer in time they are left out. */
  async #diagnoseDependents(paths: readonly string[], deadline: Deadline): Promise<Found> {
    const { diagnoser, documents } = this.#running;
    const found = new Map<string, readonly Diagnostic[]>();
    for (const path of paths) {
      if (deadline.left === 0) break;
      try {
        const document = documents.show(path);
        const { diagnostics, isPending } = await diagnoser.diagnose(document, deadline, FOR_COMPARISON);
        if (!isPending) found.set(path, diagnostics);
      } catch {
        // It has gone, may not be read, or the server did not answer in time.
      }
    }
    return found;
  }
}

function lineIn(texts: ReadonlyMap<string, Lines>): (diagnostic: Diagnostic) => string {
  return ({ path, range }) => texts.get(path)?.line(range.start.line - 1) ?? '';
}

function join(parts: readonly Part[], severity: DiagnoseOptions['severity']): DiagnosticsDifference {
  const isShown = (diagnostic: Diagnostic) => severity === 'all' || diagnostic.severity === 'error';
  const appeared = parts.flatMap((part) => part.appeared).filter(isShown);
  const disappeared = parts.flatMap((part) => part.disappeared).filter(isShown);
  return {
    appeared: appeared.slice(0, MAX_SHOWN),
    disappeared: disappeared.slice(0, MAX_SHOWN),
    omitted: Math.max(0, appeared.length - MAX_SHOWN) + Math.max(0, disappeared.length - MAX_SHOWN),
    isPending: parts.some((part) => part.isPending),
  };
}
