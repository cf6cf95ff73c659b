import type { OpenFile } from '@jinn/core';
import { fitToBudget, type PlannedFile } from './budget.ts';
import type { Candidate } from './candidate.ts';
import { collect } from './collect.ts';
import type { CollectOptions, TakenDirectory } from './collect-options.ts';
import { ContentReader, type Facts } from './content.ts';
import { DocumentWriter, renderContent, type Style } from './document-writer.ts';
import { type FormatName, formatOf, type Section } from './formats.ts';
import { headSections } from './head.ts';
import { reasonOf } from './read-fault.ts';
import { findSecrets } from './secrets.ts';
import { showPath } from './show-path.ts';
import { SizeLimit } from './size-limit.ts';
import { Batch, type Sink, Spool, type TextSink } from './spool.ts';
import type { TargetPlan } from './targets.ts';
import type { TokenCounter } from './tokens.ts';

/** How much of the document is held until all sizes are known. Files beyond that are read again. */
const MAX_HELD = 24 * 1024 * 1024;

export interface DumpOptions extends CollectOptions {
  /** The most file content, in MB of 1024 * 1024. */
  readonly sizeLimitMb: number;
  /** True when the caller has no way to raise the limit. */
  readonly isLimitFinal?: boolean | undefined;
  readonly format?: FormatName | undefined;
  readonly lineNumbers?: boolean | undefined;
  /** What comes before the files. */
  readonly tree?: boolean | undefined;
  readonly summary?: boolean | undefined;
  readonly sections?: ((paths: readonly string[]) => Promise<readonly Section[]>) | undefined;
  /** The most tokens that the document may have. */
  readonly maxTokens?: number | undefined;
  readonly counter: TokenCounter;
  /** Warns of what looks like a secret, before anything is written. */
  readonly checkSecrets?: boolean | undefined;
  /** Called with the bytes of each file that has been read. */
  readonly onFile?: ((bytes: number) => void) | undefined;
}

/**
 * Writes a document with the content of all files. Nothing reaches the sink before the total size is known. Throws
 * ToolError `resource_limit` when it is over the limit.
 */
export async function dump(plan: TargetPlan, options: DumpOptions, sink: Sink): Promise<void> {
  const batch = new Batch(sink);
  const run = new DumpRun(options, batch);
  const takeFiles = ({ names, candidateOf }: TakenDirectory) => {
    for (const name of names.toArray()) run.visit(candidateOf(name));
  };
  await collect(plan, { ...options, takeFiles }, (candidate) => run.visit(candidate));
  await run.finish();
  batch.flush();
}

class DumpRun {
  readonly #options: DumpOptions;
  readonly #sink: TextSink;
  readonly #held = new Spool();
  readonly #reader = new ContentReader();
  readonly #style: Style;
  readonly #writer: DocumentWriter;
  readonly #size: SizeLimit;
  /** True when what comes before the files depends on all of them. */
  readonly #plans: boolean;
  /** Files that are written after what is held, and read again for that. */
  readonly #later: PlannedFile[] = [];
  #isHolding: boolean;
  /** True while the sink is called: its failure ends the run, but that of a file does not. */
  #hasSinkFailed = false;

  constructor(options: DumpOptions, sink: TextSink) {
    this.#options = options;
    this.#sink = sink;
    this.#size = new SizeLimit(options.sizeLimitMb, options.isLimitFinal);
    this.#plans = Boolean(options.tree || options.summary || options.sections || options.maxTokens !== undefined);
    this.#isHolding = !this.#plans;
    const output: TextSink = {
      write: (bytes) => (this.#isHolding ? this.#held.write(bytes) : this.#pass((to) => to.write(bytes))),
      writeText: (text) => (this.#isHolding ? this.#held.writeText(text) : this.#pass((to) => to.writeText(text))),
    };
    this.#style = { format: formatOf(options.format ?? 'fences'), lineNumbers: options.lineNumbers ?? false };
    this.#writer = new DocumentWriter(this.#style, output);
  }

  /** Reads a file for the document, unless the file is binary. */
  visit(candidate: Candidate): void {
    try {
      if (!(this.#seeQuickly(candidate) ?? candidate.read((file) => this.#see(candidate, file)))) {
        this.#options.explain?.({ path: candidate.path, isDirectory: false, included: false, reason: 'binary' });
      }
    } catch (error) {
      this.#options.warn(`${showPath(candidate.path)}: ${reasonOf(error)}`);
    }
  }

  /** Writes what comes before the files, and the files that have not been written yet. */
  async finish(): Promise<void> {
    if (this.#size.isExceeded) throw this.#size.toError();
    const { files, sections } = this.#plans ? await this.#plan() : { files: this.#later, sections: [] };
    for (const section of sections) this.#writer.section(section);
    this.#held.drainTo(this.#sink);
    this.#isHolding = false;
    for (const file of files) this.#writeLater(file);
    this.#writer.end();
  }

  async #plan(): Promise<{ files: readonly PlannedFile[]; sections: readonly Section[] }> {
    const { maxTokens, counter, sections } = this.#options;
    const files = this.#later;
    const asked = (await sections?.(files.map(({ path }) => path))) ?? [];
    for (const section of asked) this.#checkRemoved(section);
    const head = [...headSections(files, this.#options), ...asked];
    if (maxTokens === undefined) return { files, sections: head };
    const fitted = fitToBudget(files, { maxTokens, counter, head, reader: this.#reader, style: this.#style });
    return { files: fitted.files, sections: fitted.head };
  }

  /** Writes a file in the way that is enough for most; returns undefined for a file that needs another. */
  #seeQuickly(candidate: Candidate): boolean | undefined {
    if (!this.#isHolding || this.#held.size > MAX_HELD) return undefined;
    const whole = this.#reader.readWith(candidate);
    if (!whole) return undefined;
    if (whole === 'binary') return false;
    this.#count(candidate, whole.size);
    if (!this.#size.isExceeded) this.#write(candidate, whole.facts, [whole.bytes]);
    return true;
  }

  #count(candidate: Candidate, size: number): void {
    this.#size.add(candidate, size);
    this.#options.onFile?.(size);
    if (this.#size.isExceeded) this.#stopHolding();
  }

  #write({ path }: Candidate, facts: Facts, chunks: readonly Buffer[]): void {
    if (this.#mustLook()) this.#look(path, chunks);
    this.#writer.file({ path, facts, chunks });
  }

  /** Returns false when the file is binary. */
  #see(candidate: Candidate, file: OpenFile): boolean {
    const mayHold = this.#isHolding && this.#held.size + file.size <= MAX_HELD;
    const whole = mayHold ? this.#reader.readWhole(file) : undefined;
    if (whole === 'binary' || (!whole && !this.#reader.isText(file))) return false;
    this.#count(candidate, file.size);
    if (this.#size.isExceeded) return true;
    if (!mayHold) this.#postpone(candidate, file);
    else if (whole) this.#write(candidate, whole.facts, [whole.bytes]);
    else this.#hold(candidate, file);
    return true;
  }

  /** Writes a file chunk by chunk. */
  #hold({ path }: Candidate, file: OpenFile): void {
    const facts = this.#reader.inspect(file);
    if (this.#mustLook()) this.#look(path, this.#reader.chunks(file, facts.encoding));
    this.#writer.file({ path, facts, chunks: this.#reader.chunks(file, facts.encoding) });
  }

  #postpone(candidate: Candidate, file: OpenFile): void {
    this.#isHolding = false;
    const tokens = this.#mustLook() ? this.#look(candidate.path, this.#chunksOf(file)) : 0;
    this.#later.push({ path: candidate.path, size: file.size, tokens, candidate, outline: undefined });
  }

  /** Drops what is held. Nothing will be written, and the files that remain are only added up. */
  #stopHolding(): void {
    this.#isHolding = false;
    this.#held.clear();
    this.#later.length = 0;
  }

  #mustLook(): boolean {
    return this.#plans || this.#options.checkSecrets === true;
  }

  /** Looks for secrets and counts tokens, as far as that is asked for. Returns the tokens of the text as written. */
  #look(path: string, chunks: Iterable<Buffer>): number {
    const checked = this.#options.checkSecrets ? this.#checkSecrets(path, chunks) : chunks;
    let tokens = 0;
    for (const chunk of this.#plans ? renderContent(checked, this.#style) : checked) {
      if (this.#plans) tokens += this.#options.counter.count(chunk);
    }
    return tokens;
  }

  *#checkSecrets(path: string, chunks: Iterable<Buffer>): Iterable<Buffer> {
    let line = 1;
    for (const chunk of chunks) {
      const tell = (at: number, what: string) => this.#options.warn(`${showPath(path)}: line ${at} looks like ${what}`);
      line = findSecrets(chunk, line, tell);
      yield chunk;
    }
  }

  /** Warns of secrets in removed lines of a diff, which are in no file. */
  #checkRemoved({ title, text }: Section): void {
    if (!this.#options.checkSecrets) return;
    const tell = (line: number, what: string) => this.#options.warn(`${title}: line ${line} looks like ${what}`);
    findSecrets(Buffer.from(text.replace(/^[^-\n].*$/gm, '')), 1, tell);
  }

  #chunksOf(file: OpenFile): Iterable<Buffer> {
    return this.#reader.chunks(file, this.#reader.inspect(file).encoding);
  }

  #pass(write: (sink: TextSink) => void): void {
    this.#hasSinkFailed = true;
    write(this.#sink);
    this.#hasSinkFailed = false;
  }

  #writeLater({ path, candidate, outline }: PlannedFile): void {
    try {
      if (outline) {
        this.#writer.file({ path, facts: outline.facts, chunks: [outline.bytes] });
        return;
      }
      candidate.readLater((file) => {
        const facts: Facts = this.#reader.inspect(file);
        this.#writer.file({ path, facts, chunks: this.#reader.chunks(file, facts.encoding) });
      });
    } catch (error) {
      if (this.#hasSinkFailed) throw error;
      this.#options.warn(`${showPath(path)}: ${reasonOf(error)}`);
    }
  }
}
