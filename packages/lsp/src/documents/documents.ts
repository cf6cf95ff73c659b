import { Lines } from '../client/positions.ts';
import { toUri } from '../client/uris.ts';
import type { Server } from '../servers/server-table.ts';
import type { SourceFiles } from './source-files.ts';

const MAX_OPEN = 50;
const MAX_RECENT = 20;
const MAX_OPEN_BYTES = 32 * 1024 * 1024;

/** A document that a server has open, as it was shown to it. */
export interface OpenDocument {
  readonly path: string;
  readonly uri: string;
  readonly languageId: string;
  readonly version: number;
  readonly lines: Lines;
  /** False if the file holds bytes that are no UTF-8. */
  readonly isExact: boolean;
  readonly stat: string;
}

/** The part of a client that documents need. */
export interface DocumentSink {
  readonly server: Pick<Server, 'countsSeparators'>;
  notify(method: string, params: object): void;
}

/**
 * The documents that a server has open. While one is open the server sees what it was shown and not the disk, so each is
 * compared with its file before a question is asked. Nothing is changed or closed that is not open: some servers end at that.
 */
export class Documents {
  readonly #sink: DocumentSink;
  readonly #files: SourceFiles;
  readonly #languageIdOf: (path: string) => string;
  /** By path; the one that was used last comes last. */
  readonly #open = new Map<string, OpenDocument>();
  /** How many questions have a document open that was opened for them alone. */
  readonly #borrowed = new Map<string, number>();
  /** Paths that were asked about, also of documents that were closed since; the last comes last. */
  readonly #recent = new Set<string>();
  #version = 0;
  #revision = 0;

  constructor(sink: DocumentSink, files: SourceFiles, languageIdOf: (path: string) => string) {
    this.#sink = sink;
    this.#files = files;
    this.#languageIdOf = languageIdOf;
  }

  get open(): readonly OpenDocument[] {
    return [...this.#open.values()];
  }

  /** The paths of the last twenty documents that were shown for their own sake; the last comes last. */
  get recent(): readonly string[] {
    return [...this.#recent];
  }

  /** A number that grows with each change of a text: as long as it is the same, so is all that the server can know. */
  get revision(): number {
    return this.#revision;
  }

  /** Takes note that files changed on the disk. */
  filesChanged(): void {
    this.#revision++;
  }

  /** Returns the document as it was last shown; undefined if it is not open. */
  get(path: string): OpenDocument | undefined {
    return this.#open.get(path);
  }

  /** Shows a file to the server, or what has become of it since. Throws ToolError where it cannot be read. */
  show(path: string): OpenDocument {
    this.#borrowed.delete(path);
    this.#recent.delete(path);
    this.#recent.add(path);
    for (const oldest of [...this.#recent].slice(0, -MAX_RECENT)) this.#recent.delete(oldest);
    return this.#showNow(path);
  }

  /**
   * Opens a file for one question; `giveBack` closes it, unless it was shown for its own sake before or since. Returns
   * undefined where it cannot be read: it was only a guess.
   */
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

  /** Closes what was opened by `borrow`, and nobody else needs. */
  giveBack(paths: Iterable<string>): void {
    for (const path of paths) {
      const count = this.#borrowed.get(path);
      if (count === undefined) continue;
      if (count > 1) this.#borrowed.set(path, count - 1);
      else this.close(path);
    }
  }

  /** Closes all but these documents, and what questions have borrowed. */
  closeOthers(kept: ReadonlySet<string>): void {
    for (const { path } of this.open) if (!kept.has(path) && !this.#borrowed.has(path)) this.close(path);
  }

  #showNow(path: string): OpenDocument {
    const known = this.#open.get(path);
    if (known && this.#files.stat(path) === known.stat) return this.#touch(known);
    const { text, isExact, stat } = this.#files.read(path);
    return this.showText(path, { text, isExact, stat });
  }

  /** Shows a text instead of what the file holds, until the file is shown again. */
  showText(path: string, { text, isExact, stat }: { text: string; isExact: boolean; stat: string }): OpenDocument {
    const known = this.#open.get(path);
    if (known && known.lines.text === text) return this.#touch({ ...known, isExact, stat });
    this.#version++;
    const document: OpenDocument = {
      path,
      uri: known?.uri ?? toUri(this.#files.root, path),
      languageId: known?.languageId ?? this.#languageIdOf(path),
      version: this.#version,
      lines: new Lines(text, this.#sink.server.countsSeparators),
      isExact,
      stat,
    };
    if (known) this.#change(document, known);
    else this.#didOpen(document);
    return this.#touch(document);
  }

  /** Brings all open documents to what their files hold; closes those whose files are gone. */
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

  /** Restores the order of use: a document that was only brought up to date was not used. */
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
