import { TextLines, toUri } from '../client/positions.ts';
import type { Server } from '../servers/server-table.ts';
import type { SourceFiles } from './source-files.ts';

const MAX_OPEN = 50;
const MAX_RECENT = 20;
const MAX_OPEN_BYTES = 32 * 1024 * 1024;

export interface OpenDocument {
  readonly path: string;
  readonly uri: string;
  readonly languageId: string;
  readonly version: number;
  readonly lines: TextLines;
  /** False if the file holds bytes that are not UTF-8. */
  readonly isExact: boolean;
  readonly stat: string;
}

export interface DocumentSink {
  readonly server: Pick<Server, 'countsSeparators'>;
  notify(method: string, params: object): void;
}

/**
 * The documents that a server has open. It sees their text instead of the disk. Only open ones are changed or closed:
 * some servers end otherwise.
 */
export class Documents {
  readonly #sink: DocumentSink;
  readonly #files: SourceFiles;
  readonly #languageIdOf: (path: string) => string;
  /** By path. The last used comes last. */
  readonly #open = new Map<string, OpenDocument>();
  readonly #borrowed = new Map<string, number>();
  readonly #recent = new Set<string>();
  #version = 0;
  #revision = 0;
  #changedAt = Number.NEGATIVE_INFINITY;

  constructor(sink: DocumentSink, files: SourceFiles, languageIdOf: (path: string) => string) {
    this.#sink = sink;
    this.#files = files;
    this.#languageIdOf = languageIdOf;
  }

  get open(): readonly OpenDocument[] {
    return [...this.#open.values()];
  }

  get recent(): readonly string[] {
    return [...this.#recent];
  }

  /** Grows with each change of a text: until then the server can know nothing new. */
  get revision(): number {
    return this.#revision;
  }

  filesChanged(): void {
    this.#revision++;
    this.#changedAt = performance.now();
  }

  /** When files changed last that need not be open, on the clock of `performance`. */
  get changedAt(): number {
    return this.#changedAt;
  }

  get(path: string): OpenDocument | undefined {
    return this.#open.get(path);
  }

  /** Throws ToolError if the file cannot be read. */
  show(path: string): OpenDocument {
    this.#borrowed.delete(path);
    this.#recent.delete(path);
    this.#recent.add(path);
    for (const oldest of [...this.#recent].slice(0, -MAX_RECENT)) this.#recent.delete(oldest);
    return this.#showNow(path);
  }

  /** Opens a file for one question. `giveBack` closes it. Undefined if it cannot be read: it was only a guess. */
  borrow(path: string): OpenDocument | undefined {
    const isOpen = this.#open.has(path);
    const count = this.#borrowed.get(path) ?? 0;
    try {
      if (!isOpen || count > 0) this.#borrowed.set(path, count + 1);
      return this.#showNow(path);
    } catch {
      this.#borrowed.delete(path);
      return undefined;
    }
  }

  giveBack(paths: Iterable<string>): void {
    for (const path of paths) {
      const count = this.#borrowed.get(path);
      if (count === undefined) continue;
      if (count > 1) this.#borrowed.set(path, count - 1);
      else this.close(path);
    }
  }

  closeOthers(kept: ReadonlySet<string>): void {
    for (const { path } of this.open) if (!kept.has(path) && !this.#borrowed.has(path)) this.close(path);
  }

  #showNow(path: string): OpenDocument {
    const known = this.#open.get(path);
    if (known && this.#files.stat(path) === known.stat) return this.#touch(known);
    const { text, isExact, stat } = this.#files.read(path);
    return this.showText(path, { text, isExact, stat });
  }

  showText(path: string, { text, isExact, stat }: { text: string; isExact: boolean; stat: string }): OpenDocument {
    const known = this.#open.get(path);
    if (known && known.lines.text === text) return this.#touch({ ...known, isExact, stat });
    this.#version++;
    const document: OpenDocument = {
      path,
      uri: known?.uri ?? toUri(this.#files.root, path),
      languageId: known?.languageId ?? this.#languageIdOf(path),
      version: this.#version,
      lines: new TextLines(text, this.#sink.server.countsSeparators),
      isExact,
      stat,
    };
    if (known) this.#change(document, known);
    else this.#didOpen(document);
    return this.#touch(document);
  }

  synchronize(): void {
    for (const { path, stat } of this.open) {
      const now = this.#files.stat(path);
      if (now === stat) continue;
      try {
        if (now === undefined) this.close(path);
        else this.#refresh(path);
      } catch {
        this.close(path); // It can no longer be read.
      }
    }
  }

  close(path: string): void {
    const document = this.#open.get(path);
    if (!document) return;
    this.#open.delete(path);
    this.#borrowed.delete(path);
    this.#didClose(document);
  }

  #refresh(path: string): void {
    const before = [...this.#open.keys()];
    this.showText(path, this.#files.read(path));
    this.#reorder(before);
  }

  /** Bringing a document up to date is not a use. */
  #reorder(paths: readonly string[]): void {
    for (const path of paths) {
      const document = this.#open.get(path);
      if (document) this.#touch(document);
    }
  }

  #didOpen({ uri, languageId, version, lines }: OpenDocument): void {
    this.#sink.notify('textDocument/didOpen', { textDocument: { uri, languageId, version, text: lines.text } });
  }

  #didClose({ uri }: OpenDocument): void {
    this.#sink.notify('textDocument/didClose', { textDocument: { uri } });
  }

  #change(document: OpenDocument, before: OpenDocument): void {
    const { uri, version, lines } = document;
    const { text } = lines;
    this.#revision++;
    if (before.lines.isCountedOtherwise) {
      // typescript-language-server replaces only as many lines as the protocol counts in the old text.
      this.#didClose(before);
      this.#didOpen(document);
    } else this.#sink.notify('textDocument/didChange', { textDocument: { uri, version }, contentChanges: [{ text }] });
    this.#sink.notify('textDocument/didSave', { textDocument: { uri }, text });
  }

  #touch(document: OpenDocument): OpenDocument {
    this.#open.delete(document.path);
    this.#open.set(document.path, document);
    this.#closeSurplus();
    return document;
  }

  #closeSurplus(): void {
    const own = this.open.filter(({ path }) => !this.#borrowed.has(path));
    let count = own.length;
    let bytes = own.reduce((sum, { lines }) => sum + lines.text.length, 0);
    for (const { path, lines } of own.slice(0, -1)) {
      if (count <= MAX_OPEN && bytes <= MAX_OPEN_BYTES) return;
      count--;
      bytes -= lines.text.length;
      this.close(path);
    }
  }
}
