import { posix } from 'node:path';
import { ToolError } from '@jinn/core/errors';
import type { Recency } from '@jinn/git/git-log';
import type { OpenFile } from '@jinn/workspace';
import { visitInTurns } from '@jinn/workspace/walk';
import type { PlannedFile } from './budget/planned-file.ts';
import { SizeLimit } from './budget/size-limit.ts';
import { type ContentKind, ContentReader, describeReadError, type WholeText } from './document/content-reader.ts';
import { DocumentPieces, type DocumentStyle, renderContent, type WrittenFile } from './document/document-pieces.ts';
import { FileCharsets, type FoundCharset, UNKNOWN } from './document/file-charsets.ts';
import { type FileText, type RewriteOptions, readFileText, rewriterOf, withoutSecrets } from './document/file-text.ts';
import { DOCUMENT_FORMATS, type DocumentSection, type FormatName } from './document/formats.ts';
import { Batch, type DocumentPiece, type Sink, Spool } from './document/spool.ts';
import type { ShortenContext } from './outline/shorten.ts';
import type { SecretMode } from './secrets/secret-watch.ts';
import type { SignalObserver } from './signals/observer.ts';
import type { Candidate } from './targets/candidate.ts';
import { type CollectOptions, collectFiles, type TakenDirectory } from './targets/collect.ts';
import { escapePath } from './targets/escape-path.ts';
import type { TargetPlan } from './targets/targets.ts';
import type { TokenCounter } from './tokens/tokens.ts';

/** How much of the document is held until all sizes are known. Files beyond that are read again. */
const MAX_HELD = 64 * 1024 * 1024;
const UNKNOWN_ENCODING = 'the encoding is unknown, so "\ufffd" replaces all that is not UTF-8';
/** How many files are read before other work gets its turn. */
const FILES_PER_TURN = 64;

export interface DumpOptions extends CollectOptions, RewriteOptions {
  readonly counter: TokenCounter;
  readonly maxFiles?: number | undefined;
  readonly sizeLimitMb: number;
  /** True if the caller has no way to raise the limit. */
  readonly isLimitFinal?: boolean | undefined;
  /** How to look for secrets before anything is written, or undefined to not look. */
  readonly secrets?: SecretMode | undefined;
  readonly format?: FormatName | undefined;
  readonly lineNumbers?: boolean | undefined;
  readonly showsEncoding?: boolean | undefined;
  readonly tree?: boolean | undefined;
  readonly summary?: boolean | undefined;
  readonly sections?: ((paths: readonly string[]) => Promise<readonly DocumentSection[]>) | undefined;
  /** True to omit the bodies of functions of all files, or of those for which the function returns true. */
  readonly compress?: boolean | ((path: string) => boolean) | undefined;
  readonly isOutlined?: ((path: string) => boolean) | undefined;
  /** Puts the files that changed last at the end, by the times of `recent`. */
  readonly sortsByChange?: boolean | undefined;
  /** Returns what changed lately, by absolute path. It is called only with a budget, or to sort. */
  readonly recent?: (() => Promise<ReadonlyMap<string, Recency>>) | undefined;
  /** Starts a new part of the document when one has this many bytes. A file is never split. */
  readonly splitBytes?: number | undefined;
  readonly maxTokens?: number | undefined;
  readonly maxBytes?: number | undefined;
  readonly focus?: string | undefined;
  /** Which part of the files to return, from 1, if they do not fit into the budget. */
  readonly part?: number | undefined;
  readonly more?: ((nextPart: number) => string) | undefined;
  readonly onFile?: ((bytes: number) => void) | undefined;
  readonly onShortened?: ((path: string) => void) | undefined;
  readonly onWritten?: ((path: string, tokens: number) => void) | undefined;
  /** Hears a line for each file of a budget: its form in the document, and why. */
  readonly explainBudget?: ((lines: readonly string[]) => void) | undefined;
}

/** Writes a document when all sizes are known. Returns how many files it has. Throws ToolError `resource_limit` over the limit. */
export async function dump(plan: TargetPlan, options: DumpOptions, sink: Sink): Promise<number> {
  const { secrets, maxTokens, focus, warn, checkpoint } = options;
  const secretWatch = secrets && new (await import('./secrets/secret-watch.ts')).SecretWatch({ mode: secrets, warn });
  const observer =
    maxTokens === undefined ? undefined : new (await import('./signals/observer.ts')).SignalObserver(focus);
  const run = new DumpRun(plan, { ...options, secretWatch, observer }, new Batch(sink));
  const takeFiles = ({ names, candidateOf }: TakenDirectory) => {
    run.checkCount(names.length);
    return visitInTurns(names, checkpoint, (name) => run.visit(candidateOf(name)), FILES_PER_TURN);
  };
  await collectFiles(plan, { ...options, takeFiles }, (candidate) => run.visit(candidate));
  return run.finish();
}

type RunOptions = DumpOptions & { readonly observer: SignalObserver | undefined };

class DumpRun {
  readonly #plan: TargetPlan;
  readonly #options: RunOptions;
  readonly #sink: Batch;
  readonly #held = new Spool();
  readonly #reader: ContentReader;
  readonly #charsets: FileCharsets;
  readonly #style: DocumentStyle;
  #pieces: DocumentPieces;
  readonly #size: SizeLimit;
  /** True if the sections before the files depend on all files. */
  readonly #needsAllFiles: boolean;
  /** Files that are read again, to be written after those that are held. */
  readonly #postponed: PlannedFile[] = [];
  #isHolding: boolean;
  #visited = 0;
  #written = 0;
  #partBytes = 0;
  /** True while the sink is called: its failure ends the run, but that of a file does not. */
  #isInSink = false;

  constructor(plan: TargetPlan, options: RunOptions, sink: Batch) {
    const { format = 'fences', lineNumbers = false, showsEncoding = false } = options;
    this.#plan = plan;
    this.#options = options;
    this.#sink = sink;
    this.#size = new SizeLimit(options.sizeLimitMb, options.isLimitFinal);
    this.#reader = new ContentReader({ findsReturns: format === 'xml' });
    this.#charsets = new FileCharsets(options.charsets);
    this.#needsAllFiles = needsAllFiles(options);
    this.#isHolding = !this.#needsAllFiles;
    this.#style = { format: DOCUMENT_FORMATS[format], lineNumbers, showsEncoding };
    this.#pieces = new DocumentPieces(this.#style);
  }

  checkCount(more: number): void {
    const { maxFiles = Number.POSITIVE_INFINITY } = this.#options;
    if (this.#visited + more <= maxFiles) return;
    throw new ToolError('resource_limit', `there are more than ${maxFiles} files to read`, {
      suggestion: 'name targets, exclude what you do not need with rules, or ask with list_only',
    });
  }

  visit(candidate: Candidate): Promise<undefined> | undefined {
    this.checkCount(1);
    this.#visited++;
    return this.#take(candidate);
  }

  #take(candidate: Candidate, found?: FoundCharset): Promise<undefined> | undefined {
    const { path } = candidate;
    try {
      const kind =
        (found ? undefined : this.#readQuickly(candidate)) ??
        candidate.read((file) => this.#readFile(candidate, file, found));
      if (kind === 'foreign') return this.#charsets.find(candidate).then((charset) => this.#take(candidate, charset));
      if (kind === 'binary') this.#options.explain?.({ path, isDirectory: false, included: false, reason: 'binary' });
    } catch (error) {
      this.#options.warn(`${escapePath(path)}: ${describeReadError(error)}`);
    }
    return undefined;
  }

  /** Reads a file without opening it twice. Returns undefined for a file that needs `#readFile`. */
  #readQuickly(candidate: Candidate): ContentKind | undefined {
    if (!this.#isHolding || this.#held.size > MAX_HELD || rewriterOf(candidate.path, this.#options)) return undefined;
    const whole = this.#reader.readWith(candidate);
    if (typeof whole !== 'object') return whole;
    if (this.#count(candidate, whole.size)) this.#emit(candidate.path, this.#toText(candidate.path, whole));
    return 'plain';
  }

  #readFile(candidate: Candidate, file: OpenFile, found: FoundCharset | undefined): ContentKind {
    const { path } = candidate;
    const mayHold = this.#isHolding && this.#held.size + file.size <= MAX_HELD;
    const whole = found || rewriterOf(path, this.#options) ? undefined : this.#reader.readWhole(file);
    const kind = found || typeof whole === 'object' ? 'plain' : (whole ?? this.#reader.kindOf(file));
    if (kind !== 'plain' || !this.#count(candidate, file.size)) return kind;
    const text =
      typeof whole === 'object'
        ? this.#toText(path, whole)
        : readFileText({ path, charset: found?.charset }, file, this.#reader, this.#options);
    if (mayHold) this.#emit(path, text);
    else this.#postpone(candidate, file.size, text);
    return kind;
  }

  /** Counts a file. Beyond the limit, it drops what is held and returns false: only sizes are added up from then on. */
  #count(candidate: Candidate, size: number): boolean {
    this.#size.add(candidate, size);
    this.#options.onFile?.(size);
    if (!this.#size.isExceeded) return true;
    this.#isHolding = false;
    this.#held.clear();
    this.#postponed.length = 0;
    return false;
  }

  #toText(path: string, { facts, bytes }: WholeText): FileText {
    return withoutSecrets(path, { facts, chunks: () => [bytes] }, this.#options);
  }

  #emit(path: string, { facts, chunks }: FileText): void {
    const { secretWatch } = this.#options;
    this.#write({ path, facts, content: secretWatch ? secretWatch.watch(path, chunks()) : chunks() });
    secretWatch?.warnOf({ path, instead: undefined });
  }

  #postpone(candidate: Candidate, size: number, { facts, chunks }: FileText): void {
    this.#isHolding = false;
    const { path } = candidate;
    const { counter, secretWatch, observer } = this.#options;
    const seen = observer ? observer.watch(path, chunks()) : chunks();
    const checked = secretWatch ? secretWatch.watch(path, seen) : seen;
    let tokens = 0;
    if (this.#needsAllFiles || secretWatch) {
      const shown = this.#needsAllFiles ? renderContent(checked, this.#style, facts) : checked;
      for (const chunk of shown) if (this.#needsAllFiles) tokens += counter.count(chunk);
    }
    this.#postponed.push({ path, size, tokens, candidate, facts, instead: undefined });
    if (!this.#needsAllFiles) secretWatch?.warnOf({ path, instead: undefined });
  }

  async finish(): Promise<number> {
    if (this.#size.isExceeded) throw this.#size.toError();
    const { files, sections } = this.#needsAllFiles ? await this.#arrange() : { files: this.#postponed, sections: [] };
    this.#checkSecrets(files, sections);
    for (const section of sections) this.#pass(this.#pieces.section(section));
    this.#held.drainTo(this.#sink);
    this.#isHolding = false;
    for (const file of files) {
      this.#splitBefore(file);
      this.#writePostponed(file);
    }
    this.#pass(this.#pieces.end());
    this.#sink.flush();
    return this.#written;
  }

  #checkSecrets(files: readonly PlannedFile[], sections: readonly DocumentSection[]): void {
    const { secretWatch } = this.#options;
    if (this.#needsAllFiles) for (const file of files) secretWatch?.warnOf(file);
    for (const section of sections) secretWatch?.warnOfSection(section);
    secretWatch?.check();
  }

  async #arrange(): Promise<{ files: readonly PlannedFile[]; sections: readonly DocumentSection[] }> {
    const { sections, sortsByChange, secretWatch, tree, summary } = this.#options;
    const files = await this.#shorten(sortsByChange ? await this.#sortByChange() : this.#postponed);
    const asked = (await sections?.(files.map(({ path }) => path))) ?? [];
    const shown = secretWatch ? asked.map((section) => secretWatch.withoutSecrets(section)) : asked;
    const head = tree || summary ? (await import('./document/head.ts')).headSections(files, { tree, summary }) : [];
    return this.#fit(files, [...head, ...shown]);
  }

  async #fit(files: readonly PlannedFile[], sections: readonly DocumentSection[]) {
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

  async #sortByChange(): Promise<readonly PlannedFile[]> {
    const { sortByChange } = await import('./targets/sort-by-change.ts');
    return sortByChange(this.#postponed, (await this.#options.recent?.()) ?? new Map(), this.#plan.outputRoot);
  }

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

  async #recent(): Promise<ReadonlyMap<string, Recency>> {
    const known = await this.#options.recent?.();
    const found = new Map<string, Recency>();
    for (const { path } of this.#postponed) {
      const recency = known?.get(posix.resolve(this.#plan.outputRoot, path));
      if (recency) found.set(path, recency);
    }
    return found;
  }

  #splitBefore({ size, instead }: PlannedFile): void {
    const { splitBytes } = this.#options;
    const next = instead ? instead.bytes.length : size;
    if (splitBytes === undefined || this.#partBytes === 0 || this.#partBytes + next <= splitBytes) return;
    this.#pass(this.#pieces.end());
    this.#sink.nextPart();
    this.#pieces = new DocumentPieces(this.#style);
    this.#partBytes = 0;
  }

  #writePostponed({ path, candidate, facts: { charset }, instead }: PlannedFile): void {
    try {
      if (instead) this.#write({ path, facts: { ...instead.facts, charset }, content: [instead.bytes] });
      else {
        candidate.readLater((file) => {
          const { facts, chunks } = readFileText({ path, charset }, file, this.#reader, this.#options);
          this.#write({ path, facts, content: chunks() });
        });
      }
    } catch (error) {
      if (this.#isInSink) throw error;
      this.#options.warn(`${escapePath(path)}: ${describeReadError(error)}`);
    }
  }

  #write(file: WrittenFile): void {
    const { onWritten, warn } = this.#options;
    if (file.facts.charset === UNKNOWN) warn(`${escapePath(file.path)}: ${UNKNOWN_ENCODING}`);
    this.#pass(this.#pieces.file(onWritten ? { ...file, content: this.#counted(file, onWritten) } : file));
    this.#written++;
  }

  *#counted({ path, content }: WrittenFile, onWritten: (path: string, tokens: number) => void): Iterable<Buffer> {
    let tokens = 0;
    for (const chunk of content) {
      tokens += this.#options.counter.count(chunk);
      yield chunk;
    }
    onWritten(path, tokens);
  }

  #pass(pieces: Iterable<DocumentPiece>): void {
    for (const piece of pieces) {
      if (this.#isHolding) this.#held.write(piece);
      else {
        this.#partBytes += piece.length;
        this.#isInSink = true;
        this.#sink.write(piece);
        this.#isInSink = false;
      }
    }
  }
}

function needsAllFiles(options: DumpOptions): boolean {
  const { tree, summary, sections, isOutlined, compress, sortsByChange, maxTokens, splitBytes } = options;
  const asks = Boolean(tree || summary || sections || isOutlined || compress || sortsByChange);
  return asks || maxTokens !== undefined || splitBytes !== undefined;
}
