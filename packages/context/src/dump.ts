import { posix } from 'node:path';
import { ToolError } from '@jinn/core/errors';
import type { Recency } from '@jinn/git/git-log';
import type { OpenFile } from '@jinn/workspace';
import { visitInTurns } from '@jinn/workspace/walk';
import type { PlannedFile } from './budget/planned-file.ts';
import { SizeLimit } from './budget/size-limit.ts';
import { ContentReader, type Facts, type WholeText } from './document/content-reader.ts';
import { CountedContent } from './document/counted-content.ts';
import { DocumentWriter, renderContent, type Style, type WrittenFile } from './document/document-writer.ts';
import { type FileText, readText, withoutSecrets } from './document/file-text.ts';
import { formatOf, type Section } from './document/formats.ts';
import { reasonOf } from './document/read-fault.ts';
import { rewriterOf } from './document/rewrite.ts';
import { Batch, type Sink, Spool, type TextSink } from './document/spool.ts';
import type { DumpOptions } from './document-options.ts';
import type { ShortenContext } from './outline/shorten.ts';
import type { SecretMode, SecretWatch } from './secrets/secret-watch.ts';
import type { Observer } from './signals/observer.ts';
import type { Candidate } from './targets/candidate.ts';
import { collect } from './targets/collect.ts';
import type { TakenDirectory } from './targets/collect-options.ts';
import { showPath } from './targets/show-path.ts';
import type { TargetPlan } from './targets/targets.ts';

export type { DumpOptions } from './document-options.ts';

/** How much of the document is held until all sizes are known. Files beyond that are read again. */
const MAX_HELD = 24 * 1024 * 1024;
const UNKNOWN_ENCODING = 'the encoding is unknown, so "\ufffd" replaces all characters that are not ASCII';
/** How many files are read before other work gets its turn. */
const FILES_PER_TURN = 64;

/**
 * Writes a document with the content of all files. Nothing reaches the sink before the total size is known. Throws
 * ToolError `resource_limit` when it is over the limit. Returns what was written.
 */
export async function dump(plan: TargetPlan, options: DumpOptions, sink: Sink): Promise<DumpResult> {
  const batch = new Batch(sink);
  const run = new DumpRun(plan, { ...options, ...(await loadObservers(options)) }, batch);
  const takeFiles = ({ names, candidateOf }: TakenDirectory) => {
    run.checkCount(names.length);
    return visitInTurns(names, options.checkpoint, (name) => run.visit(candidateOf(name)), FILES_PER_TURN);
  };
  await collect(plan, { ...options, takeFiles }, (candidate) => run.visit(candidate));
  const dumped = await run.finish();
  batch.flush();
  return dumped;
}

/** Looks at files, besides writing them; most dumps need neither of the two. */
interface FileObservers {
  readonly secretWatch: SecretWatch | undefined;
  readonly observer: Observer | undefined;
}

async function loadObservers({ secrets, maxTokens, focus, warn }: DumpOptions): Promise<FileObservers> {
  return {
    secretWatch: secrets && (await watchSecrets(secrets, warn)),
    observer: maxTokens === undefined ? undefined : (await import('./signals/observer.ts')).observe(focus),
  };
}

async function watchSecrets(mode: SecretMode, warn: DumpOptions['warn']): Promise<SecretWatch> {
  const { SecretWatch } = await import('./secrets/secret-watch.ts');
  return new SecretWatch({ mode, warn });
}

export interface DumpResult {
  readonly files: number;
}

class DumpRun {
  readonly #plan: TargetPlan;
  readonly #options: DumpOptions & FileObservers;
  readonly #sink: Batch;
  readonly #held = new Spool();
  readonly #reader: ContentReader;
  readonly #style: Style;
  #writer: DocumentWriter;
  readonly #size: SizeLimit;
  /** True if the sections before the files depend on all files. */
  readonly #needsAllFiles: boolean;
  /** True if the text of a file is inspected before it is written. */
  readonly #mustInspect: boolean;
  /** Files that are read again, to be written after those that are held. */
  readonly #postponed: PlannedFile[] = [];
  #isHolding: boolean;
  #visited = 0;
  #written = 0;
  #partBytes = 0;
  /** True while the sink is called: its failure ends the run, but that of a file does not. */
  #hasSinkFailed = false;

  constructor(plan: TargetPlan, options: DumpOptions & FileObservers, sink: Batch) {
    this.#plan = plan;
    this.#options = options;
    this.#sink = sink;
    this.#size = new SizeLimit(options.sizeLimitMb, options.isLimitFinal);
    this.#reader = new ContentReader({ findsReturns: options.format === 'xml' });
    this.#needsAllFiles = needsAllFiles(options);
    this.#mustInspect = this.#needsAllFiles || options.secrets !== undefined;
    this.#isHolding = !this.#needsAllFiles;
    this.#style = { format: formatOf(options.format ?? 'fences'), lineNumbers: options.lineNumbers ?? false };
    this.#writer = this.#startWriter();
  }

  #startWriter(): DocumentWriter {
    return new DocumentWriter(this.#style, {
      write: (bytes) => (this.#isHolding ? this.#held.write(bytes) : this.#pass(bytes.length, (to) => to.write(bytes))),
      writeText: (text) =>
        this.#isHolding ? this.#held.writeText(text) : this.#pass(text.length, (to) => to.writeText(text)),
    });
  }

  /** Throws ToolError `resource_limit` if this many more files exceed the limit of the run. */
  checkCount(more: number): void {
    const { maxFiles = Number.POSITIVE_INFINITY } = this.#options;
    if (this.#visited + more <= maxFiles) return;
    throw new ToolError('resource_limit', `there are more than ${maxFiles} files to read`, {
      suggestion: 'name targets, leave out what you do not need with rules, or ask with list_only',
    });
  }

  /** Reads a file for the document, unless the file is binary. */
  visit(candidate: Candidate): void {
    this.checkCount(1);
    this.#visited++;
    try {
      if (!(this.#readQuickly(candidate) ?? candidate.read((file) => this.#readFile(candidate, file)))) {
        this.#options.explain?.({ path: candidate.path, isDirectory: false, included: false, reason: 'binary' });
      }
    } catch (error) {
      this.#options.warn(`${showPath(candidate.path)}: ${reasonOf(error)}`);
    }
  }

  /** Writes the sections before the files, and the files that have not been written yet. */
  async finish(): Promise<DumpResult> {
    if (this.#size.isExceeded) throw this.#size.toError();
    const { files, sections } = this.#needsAllFiles ? await this.#arrange() : { files: this.#postponed, sections: [] };
    this.#checkSecrets(files, sections);
    for (const section of sections) this.#writer.section(section);
    this.#held.drainTo(this.#sink);
    this.#isHolding = false;
    for (const file of files) {
      this.#splitBefore(file);
      this.#emitPostponed(file);
    }
    this.#writer.end();
    return { files: this.#written };
  }

  /** Throws ToolError if secrets would be written and the run must fail then. */
  #checkSecrets(files: readonly PlannedFile[], sections: readonly Section[]): void {
    const { secretWatch } = this.#options;
    if (this.#needsAllFiles) for (const file of files) secretWatch?.warnOf(file);
    for (const section of sections) secretWatch?.warnOfSection(section);
    secretWatch?.check();
  }

  /** Decides which files are written, and in what form. */
  async #arrange(): Promise<{ files: readonly PlannedFile[]; sections: readonly Section[] }> {
    const { sections, sortsByChange, secretWatch } = this.#options;
    const sorted = sortsByChange ? await this.#sortByChange() : this.#postponed;
    const files = await this.#shorten(sorted);
    const asked = (await sections?.(files.map(({ path }) => path))) ?? [];
    const shown = secretWatch ? asked.map((section) => secretWatch.withoutSecrets(section)) : asked;
    return this.#fit(files, [...(await this.#head(files)), ...shown]);
  }

  async #fit(files: readonly PlannedFile[], sections: readonly Section[]) {
    const { maxTokens, maxBytes, part, more, observer, explainBudget } = this.#options;
    if (maxTokens === undefined || !observer) return { files, sections };
    const { fitToBudget } = await import('./budget/fit-to-budget.ts');
    const signals = async () => ({ observer, recent: await this.#recent() });
    const budget = { maxTokens, maxBytes, part, more, head: sections, signals, explain: explainBudget };
    const fitted = await fitToBudget(files, { ...budget, ...this.#shortening() });
    return { files: fitted.files, sections: fitted.head };
  }

  #shortening(): ShortenContext {
    const { counter, onShortened, observer } = this.#options;
    const focus = observer?.focus;
    return { reader: this.#reader, counter, style: this.#style, rewrite: this.#options, focus, onShortened };
  }

  /** Puts the files that changed last at the end, where a reader of a long document looks first. */
  async #sortByChange(): Promise<readonly PlannedFile[]> {
    const { sortByChange } = await import('./targets/sort-by-change.ts');
    return sortByChange(this.#postponed, (await this.#options.recent?.()) ?? new Map(), this.#plan.outputRoot);
  }

  async #head(files: readonly PlannedFile[]): Promise<readonly Section[]> {
    const { tree, summary } = this.#options;
    return tree || summary ? (await import('./document/head.ts')).headSections(files, { tree, summary }) : [];
  }

  /**
   * Replaces the files that the options name by their outlines, and leaves out the bodies of functions of the others,
   * if the options ask for that. A file without an outline or a syntax tree stays whole.
   */
  async #shorten(files: readonly PlannedFile[]): Promise<readonly PlannedFile[]> {
    const { isOutlined, compress } = this.#options;
    if (!isOutlined && !compress) return files;
    const { makeCompressed, makeOutline } = await import('./outline/shorten.ts');
    const shortening = this.#shortening();
    const shortened: PlannedFile[] = [];
    for (const file of files) {
      const outline = isOutlined?.(file.path) ? await makeOutline(file, shortening) : undefined;
      const isCompressed = typeof compress === 'function' ? compress(file.path) : compress;
      const shorter = outline ?? (isCompressed ? await makeCompressed(file, shortening) : undefined);
      shortened.push(shorter ?? file);
    }
    return shortened;
  }

  /** Returns what changed lately, by the path that is shown. */
  async #recent(): Promise<ReadonlyMap<string, Recency>> {
    const known = await this.#options.recent?.();
    const { outputRoot } = this.#plan;
    const found = new Map<string, Recency>();
    for (const { path } of this.#postponed) {
      const recency = known?.get(posix.resolve(outputRoot, path));
      if (recency) found.set(path, recency);
    }
    return found;
  }

  /** Reads a file in the way that is enough for most. Returns undefined for a file that needs `#readFile`. */
  #readQuickly(candidate: Candidate): boolean | undefined {
    if (!this.#isHolding || this.#held.size > MAX_HELD || rewriterOf(candidate.path, this.#options)) return undefined;
    const whole = this.#reader.readWith(candidate);
    if (!whole) return undefined;
    if (whole === 'binary') return false;
    this.#count(candidate, whole.size);
    if (this.#size.isExceeded) return true;
    if (this.#mustInspect) this.#emit(candidate, this.#toText(candidate.path, whole));
    else this.#emitNow({ path: candidate.path, facts: whole.facts, content: whole.bytes });
    return true;
  }

  #count(candidate: Candidate, size: number): void {
    this.#size.add(candidate, size);
    this.#options.onFile?.(size);
    if (this.#size.isExceeded) this.#stopHolding();
  }

  /** Reads any file. Returns false if it is binary. */
  #readFile(candidate: Candidate, file: OpenFile): boolean {
    const mayHold = this.#isHolding && this.#held.size + file.size <= MAX_HELD;
    const whole = rewriterOf(candidate.path, this.#options) ? undefined : this.#reader.readWhole(file);
    if (whole === 'binary' || (!whole && !this.#reader.isText(file))) return false;
    this.#count(candidate, file.size);
    if (this.#size.isExceeded) return true;
    const text = whole
      ? this.#toText(candidate.path, whole)
      : readText(candidate.path, file, this.#reader, this.#options);
    if (mayHold) this.#emit(candidate, text);
    else this.#postpone(candidate, file.size, text);
    return true;
  }

  #toText(path: string, { facts, bytes }: WholeText): FileText {
    return withoutSecrets(path, { facts, chunks: () => [bytes] }, this.#options);
  }

  #emit({ path }: Candidate, { facts, chunks }: FileText): void {
    const { secretWatch } = this.#options;
    this.#emitNow({ path, facts, content: secretWatch ? secretWatch.watch(path, chunks()) : chunks() });
    secretWatch?.warnOf({ path, instead: undefined });
  }

  #emitNow(file: WrittenFile): void {
    const { onWritten, counter, warn } = this.#options;
    if (file.facts.encoding === 'unknown') warn(`${showPath(file.path)}: ${UNKNOWN_ENCODING}`);
    if (!onWritten) this.#writer.file(file);
    else {
      const counted = new CountedContent(file.content, counter);
      this.#writer.file({ ...file, content: counted });
      onWritten(file.path, counted.tokens);
    }
    this.#written++;
  }

  #postpone(candidate: Candidate, size: number, { facts, chunks }: FileText): void {
    this.#isHolding = false;
    const { path } = candidate;
    const tokens = this.#mustInspect ? this.#inspect(path, facts, chunks()) : 0;
    this.#postponed.push({ path, size, tokens, candidate, facts, instead: undefined });
    if (!this.#needsAllFiles) this.#options.secretWatch?.warnOf({ path, instead: undefined });
  }

  /** Drops the files that are held. Nothing will be written; the sizes of the remaining files are only added up. */
  #stopHolding(): void {
    this.#isHolding = false;
    this.#held.clear();
    this.#postponed.length = 0;
  }

  /**
   * Looks for secrets and imports, and counts tokens, as the options ask. Returns the tokens of the text as written.
   */
  #inspect(path: string, facts: Facts, chunks: Iterable<Buffer>): number {
    const { counter, secretWatch, observer } = this.#options;
    let tokens = 0;
    const seen = observer ? observer.watch(path, chunks) : chunks;
    const checked = secretWatch ? secretWatch.watch(path, seen) : seen;
    for (const chunk of this.#needsAllFiles ? renderContent(checked, this.#style, facts) : checked) {
      if (this.#needsAllFiles) tokens += counter.count(chunk);
    }
    return tokens;
  }

  /** Begins a new part if the file does not fit into this one. Each part is a document of its own. */
  #splitBefore({ size, instead }: PlannedFile): void {
    const { splitBytes } = this.#options;
    const next = instead ? instead.bytes.length : size;
    if (splitBytes === undefined || this.#partBytes === 0 || this.#partBytes + next <= splitBytes) return;
    this.#writer.end();
    this.#sink.nextPart();
    this.#writer = this.#startWriter();
    this.#partBytes = 0;
  }

  #pass(bytes: number, write: (sink: TextSink) => void): void {
    this.#partBytes += bytes;
    this.#hasSinkFailed = true;
    write(this.#sink);
    this.#hasSinkFailed = false;
  }

  #emitPostponed({ path, candidate, facts: { encoding }, instead }: PlannedFile): void {
    try {
      if (instead) this.#emitNow({ path, facts: { ...instead.facts, encoding }, content: instead.bytes });
      else {
        candidate.readLater((file) => {
          const { facts, chunks } = readText(path, file, this.#reader, this.#options);
          this.#emitNow({ path, facts, content: chunks() });
        });
      }
    } catch (error) {
      if (this.#hasSinkFailed) throw error;
      this.#options.warn(`${showPath(path)}: ${reasonOf(error)}`);
    }
  }
}

/** Reports whether all files must be known before the first is written. */
function needsAllFiles(options: DumpOptions): boolean {
  const { tree, summary, sections, isOutlined, compress, sortsByChange, maxTokens, splitBytes } = options;
  const asks = Boolean(tree || summary || sections || isOutlined || compress || sortsByChange);
  return asks || maxTokens !== undefined || splitBytes !== undefined;
}
