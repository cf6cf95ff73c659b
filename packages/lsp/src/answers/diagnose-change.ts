import { Deadline } from '../client/deadline.ts';
import { TextLines } from '../client/positions.ts';
import type { SourceFiles } from '../documents/source-files.ts';
import type { LanguageServers } from '../language-servers.ts';
import type { RunningServer } from '../servers/launch-server.ts';
import type { Server } from '../servers/server-table.ts';
import type { Diagnostic } from './diagnostics.ts';
import {
  bound,
  compare,
  type DiagnosedFiles,
  type DiagnosedText,
  type LateDifference,
  type ShownSeverity,
} from './findings.ts';

const MAX_FILES = 20;
/** Open files without changes that the change may have broken. */
const MAX_OTHERS = 5;
/** The share of the wait that may be spent on finding dependents. */
const SHARE_FOR_FINDING = 0.2;

export interface ChangedSource {
  readonly path: string;
  /** Undefined for a file that was made. */
  readonly before: Buffer | undefined;
  /** Undefined for a file that was removed. */
  readonly after: Buffer | undefined;
}

/** The diagnostics that a change added and removed. */
export interface DiagnosticsDifference {
  readonly appeared: readonly Diagnostic[];
  readonly disappeared: readonly Diagnostic[];
  readonly omitted: number;
  /** True if there may be more: a server was late. */
  readonly isPending: boolean;
  readonly failure?: string | undefined;
  readonly late: readonly LateDifference[];
}

export interface DiagnoseOptions {
  readonly files: SourceFiles;
  readonly waitMs: number;
  readonly severity: ShownSeverity;
  readonly signal?: AbortSignal | undefined;
  findDependents?(changed: readonly string[], server: Server, limitMs: number): Promise<readonly string[]>;
}

/**
 * Compares the diagnostics before and after files were changed. It must be called when they are written: the servers
 * are shown the texts from before, and then those of now. Returns undefined if no server of these files is warm, or if
 * it has come to run code of the workspace that no one trusts. Never throws. It starts no server and takes no longer
 * than `waitMs`.
 */
export async function diagnoseChange(
  servers: LanguageServers,
  changes: readonly ChangedSource[],
  options: DiagnoseOptions,
): Promise<DiagnosticsDifference | undefined> {
  const perServer = new Map<RunningServer, [ChangedSource, ...ChangedSource[]]>();
  for (const change of changes.slice(0, MAX_FILES)) {
    const running = servers.warm(change.path);
    if (!running) continue;
    const own = perServer.get(running);
    if (own) own.push(change);
    else perServer.set(running, [change]);
  }
  if (perServer.size === 0) return undefined;
  await options.files.prepare([...perServer.values()].flat().map(({ path }) => path));
  const deadline = new Deadline(options.waitMs, options.signal, { isForgiving: true });
  const parts = await Promise.all(
    [...perServer].map(([running, own]) =>
      servers.holding(running, async () => {
        if (!(await deadline.race(servers.isStillFit(own[0].path), () => '').catch(() => false))) return undefined;
        const paths = own.map(({ path }) => path);
        const limitMs = deadline.left * SHARE_FOR_FINDING;
        const found = (await options.findDependents?.(paths, running.server, limitMs).catch(() => [])) ?? [];
        return new ChangeDiagnosis({ running, changes: own, dependents: [...found] }, options).run(deadline, servers);
      }),
    ),
  );
  const known = parts.filter((part) => part !== undefined);
  return known.length === 0 ? undefined : join(known, options.severity);
}

interface Part extends Omit<DiagnosticsDifference, 'omitted' | 'late'> {
  readonly late: LateDifference | undefined;
}

class ChangeDiagnosis {
  readonly #running: RunningServer;
  readonly #changes: readonly ChangedSource[];
  readonly #changed: readonly string[];
  readonly #files: SourceFiles;
  readonly #others: readonly string[];
  readonly #dependents: readonly string[];
  #isPending = false;

  constructor(
    {
      running,
      changes,
      dependents,
    }: { running: RunningServer; changes: readonly ChangedSource[]; dependents: string[] },
    { files }: DiagnoseOptions,
  ) {
    this.#running = running;
    this.#changes = changes;
    this.#files = files;
    this.#changed = changes.map((change) => change.path);
    const { documents, server } = running;
    const recent = documents.recent.filter((path) => server.diagnosesAlone || documents.get(path));
    const others = recent.filter((path) => !this.#changed.includes(path)).slice(-MAX_OTHERS);
    const owed = running.late.owed.filter((path) => !this.#changed.includes(path) && files.stat(path) !== undefined);
    this.#others = [...new Set([...others, ...owed])];
    const asked = [...this.#changed, ...this.#others];
    this.#dependents = dependents.filter((path) => !asked.includes(path));
  }

  async run(deadline: Deadline, servers: LanguageServers): Promise<Part> {
    const { late } = this.#running;
    const told = late.take((path, said) => this.#wasPresent(path, said));
    late.stop((path) => this.#files.stat(path) !== undefined || this.#changed.includes(path));
    const { isWaitedFor } = late;
    const half = deadline.within(deadline.left / 2);
    for (const { path, before } of this.#changes) this.#show(path, before);
    const asked = isWaitedFor ? await this.#diagnose(this.#dependents, half) : new Map();
    const paths = [...this.#changed, ...this.#others];
    const before = late.baseline(paths, asked, (path) => this.#running.documents.get(path)?.lines.text);
    for (const { path, after } of this.#changes) this.#show(path, after);
    await servers.synchronize().catch(() => {});
    const known = this.#dependents.filter((path) => before.has(path));
    const after = isWaitedFor ? await this.#diagnose(known, deadline) : new Map();
    // Security: between the calls, too, a server is told nothing more if it has come to run code that no one trusts.
    const ask = async (path: string, limit: Deadline) =>
      (await servers.isStillFit(path)) ? this.#diagnoseUndisturbed(path, limit) : undefined;
    late.settle({ paths, before, after, ask, waitMs: deadline.limitMs });
    const { notLoaded, lacks } = this.#running.client;
    const isPending = this.#isPending || !isWaitedFor || notLoaded !== undefined;
    return { ...compare(before, after), isPending, failure: notLoaded && lacks, late: told };
  }

  /** True if a text was the present one right before the change. */
  #wasPresent(path: string, { lines, stat }: DiagnosedText): boolean {
    const change = this.#changes.find((each) => each.path === path);
    if (!change) return this.#files.stat(path) === stat;
    return change.before !== undefined && this.#files.decode(path, change.before).text === lines.text;
  }

  #show(path: string, content: Buffer | undefined): void {
    const { documents } = this.#running;
    if (!content) {
      if (documents.get(path)) documents.showText(path, { text: '', isExact: true, stat: '' });
      return;
    }
    const stat = this.#files.stat(path) ?? '';
    documents.showText(path, { ...this.#files.decode(path, content), stat });
  }

  async #diagnose(dependents: readonly string[], deadline: Deadline): Promise<DiagnosedFiles> {
    const findings = new Map<string, DiagnosedText>();
    const ask = async (path: string) => {
      const found = await this.#diagnoseFile(path, deadline);
      if (found) findings.set(path, found);
      return found !== undefined;
    };
    const { diagnosesAlone } = this.#running.server;
    const known = await Promise.all(this.#changed.map(ask));
    if (diagnosesAlone) for (const path of this.#others) known.push(await ask(path));
    else known.push(...(await Promise.all(this.#others.map(ask))));
    if (known.includes(false)) this.#isPending = true;
    // No one may have asked about these: without an answer in time they are omitted.
    for (const path of dependents) if (deadline.left > 0) await ask(path);
    return findings;
  }

  async #diagnoseFile(path: string, deadline: Deadline): Promise<DiagnosedText | undefined> {
    const { diagnoser, documents } = this.#running;
    const isChanged = this.#changed.includes(path);
    const document = isChanged ? documents.get(path) : documents.borrow(path);
    if (!document) return isChanged ? { diagnostics: [], lines: new TextLines(''), stat: '' } : undefined;
    const { lines, stat } = document;
    if (lines.text === '') return { diagnostics: [], lines, stat };
    const options = { isForComparison: true, kept: this.#changed };
    const diagnosis = await diagnoser.diagnose(document, deadline, options).catch(() => undefined);
    if (!isChanged) documents.giveBack([path]);
    return diagnosis && !diagnosis.isPending ? { diagnostics: diagnosis.diagnostics, lines, stat } : undefined;
  }

  /** Between calls, the answer of a server that has seen other texts does not count. */
  async #diagnoseUndisturbed(path: string, deadline: Deadline): Promise<DiagnosedText | undefined> {
    const { documents, server } = this.#running;
    const found = await this.#diagnoseFile(path, deadline);
    const allowed = [...this.#changed, path];
    const isDisturbed = server.diagnosesAlone && documents.open.some((open) => !allowed.includes(open.path));
    return isDisturbed || this.#files.stat(path) !== (found?.stat ?? '') ? undefined : found;
  }
}

function join(parts: readonly Part[], severity: ShownSeverity): DiagnosticsDifference {
  const appeared = parts.flatMap((part) => part.appeared);
  const disappeared = parts.flatMap((part) => part.disappeared);
  return {
    ...bound({ appeared, disappeared }, severity),
    isPending: parts.some((part) => part.isPending),
    failure: parts.find((part) => part.failure !== undefined)?.failure,
    late: parts.flatMap(({ late }) => late ?? []),
  };
}
