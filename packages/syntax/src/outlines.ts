import { sourceLanguageOf } from './languages.ts';
import { openSharedSyntax, type Syntax } from './open-syntax.ts';
import type { OutlineThread } from './outline-thread.ts';
import { type Identifier, isOutline, type NoOutline, type Outline } from './symbols.ts';

/** The most symbols that are kept between calls. Each takes about 300 bytes. */
const MOST_KEPT = 250_000;
/** After this much source in one batch, a second thread pays. */
const THREAD_AFTER_BYTES = 1024 * 1024;
const NO_LANGUAGE: NoOutline = { reason: 'no_grammar', message: 'no syntax tree for files of this kind' };

export interface SourceFile {
  /** A name of the file. Its last part shows the language. */
  readonly path: string;
  readonly content: Buffer;
  readonly version: string;
}

interface KnownOutline {
  readonly version: string;
  readonly outline: Outline | NoOutline;
}

/** Reads outlines on a second thread if there is enough to read for it to pay. */
export interface OutlineBatch {
  /** Undefined if the caller must read it. Resolves to undefined if it must be read again. */
  offer(file: SourceFile): Promise<Outline | NoOutline | undefined> | undefined;
  close(): void;
}

/** Outlines that are kept by the version of their file. */
export class Outlines {
  readonly #syntax: Syntax = openSharedSyntax();
  readonly #known = new Map<string, KnownOutline>();
  readonly #mostKept: number;
  readonly isPassive = true;
  #kept = 0;

  constructor({ mostKept = MOST_KEPT } = {}) {
    this.#mostKept = mostKept;
  }

  /** A version that was read before is not parsed again. Never rejects. */
  async read({ path, content, version }: SourceFile, limits?: { limitMs?: number }): Promise<Outline | NoOutline> {
    const known = this.known(path, version);
    if (known) return known;
    const language = sourceLanguageOf(path, content);
    if (language === undefined) return NO_LANGUAGE;
    const outline = await this.#syntax.outline(content, language, limits);
    // A time-out says as much about the machine as about the file.
    if (isOutline(outline) || outline.reason !== 'too_slow') this.#keep(path, { version, outline });
    return outline;
  }

  known(path: string, version: string): Outline | NoOutline | undefined {
    const known = this.#known.get(path);
    return known?.version === version ? known.outline : undefined;
  }

  /** See `Syntax`. Never rejects. */
  async identifiers(
    { path, content }: Pick<SourceFile, 'path' | 'content'>,
    name: string,
    options?: { limitMs?: number },
  ): Promise<readonly Identifier[] | NoOutline> {
    const language = sourceLanguageOf(path, content);
    return language === undefined ? NO_LANGUAGE : this.#syntax.identifiers(content, language, { name, ...options });
  }

  /** The lines that start within a string, or none if it cannot be parsed. Never rejects. */
  async textLines({ path, content }: Pick<SourceFile, 'path' | 'content'>): Promise<readonly number[]> {
    const language = sourceLanguageOf(path, content);
    const lines = language === undefined ? [] : await this.#syntax.textLines(content, language);
    return 'reason' in lines ? [] : lines;
  }

  openBatch(): OutlineBatch {
    let bytes = 0;
    let thread: OutlineThread | undefined;
    const offer = ({ path, content, version }: SourceFile) => {
      const language = sourceLanguageOf(path, content);
      if (language === undefined || this.known(path, version)) return undefined;
      bytes += content.length;
      if (bytes > THREAD_AFTER_BYTES) thread ??= this.#syntax.startThread();
      return thread?.offer(content, language)?.then((outline) => {
        if (outline) this.#keep(path, { version, outline });
        return outline;
      });
    };
    return { offer, close: () => thread?.close() };
  }

  close(): void {
    this.#known.clear();
    this.#kept = 0;
  }

  #keep(path: string, known: KnownOutline): void {
    this.#forget(path);
    this.#known.set(path, known);
    this.#kept += weightOf(known);
    for (const oldest of this.#known.keys()) {
      if (this.#kept <= this.#mostKept || oldest === path) return;
      this.#forget(oldest);
    }
  }

  #forget(path: string): void {
    const known = this.#known.get(path);
    if (!known) return;
    this.#kept -= weightOf(known);
    this.#known.delete(path);
  }
}

function weightOf({ outline }: KnownOutline): number {
  return isOutline(outline) ? 1 + outline.symbols.length + outline.faults.length : 1;
}

/** For `session.use`: each session has one store, whichever tool asks. */
export function createOutlines(): Outlines {
  return new Outlines();
}
