import type { Encoding } from './positions.ts';
import { Lines } from './positions.ts';
import type { SourceFiles } from './source-files.ts';
import { toUri } from './uris.ts';

const MAX_OPEN = 50;
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
  readonly encoding: Encoding;
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
  #version = 0;

  constructor(sink: DocumentSink, files: SourceFiles, languageIdOf: (path: string) => string) {
    this.#sink = sink;
    this.#files = files;
    this.#languageIdOf = languageIdOf;
  }

  get open(): readonly OpenDocument[] {
    return [...this.#open.values()];
  }

  /** The document as it was last shown; undefined if it is not open. */
  get(path: string): OpenDocument | undefined {
    return this.#open.get(path);
  }

  /** Shows a file to the server, or what has become of it since. Throws ToolError where it cannot be read. */
  show(path: string): OpenDocument {
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
      lines: new Lines(text),
      isExact,
      stat,
    };
    if (known) this.#change(document);
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
    this.#sink.notify('textDocument/didClose', { textDocument: { uri: document.uri } });
  }

  #refresh(path: string): void {
    const before = [...this.#open.keys()];
    this.showText(path, this.#files.read(path));
    this.#reorder(before);
  }

  /** A document that was only brought up to date was not used. */
  #reorder(paths: readonly string[]): void {
    for (const path of paths) {
      const document = this.#open.get(path);
      if (document) this.#touch(document);
    }
  }

  #didOpen({ uri, languageId, version, lines }: OpenDocument): void {
    this.#sink.notify('textDocument/didOpen', { textDocument: { uri, languageId, version, text: lines.text } });
  }

  #change({ uri, version, lines }: OpenDocument): void {
    const { text } = lines;
    this.#sink.notify('textDocument/didChange', { textDocument: { uri, version }, contentChanges: [{ text }] });
    this.#sink.notify('textDocument/didSave', { textDocument: { uri }, text });
  }

  #touch(document: OpenDocument): OpenDocument {
    this.#open.delete(document.path);
    this.#open.set(document.path, document);
    this.#closeSurplus();
    return document;
  }

  #closeSurplus(): void {
    let bytes = 0;
    for (const { lines } of this.#open.values()) bytes += lines.text.length;
    for (const { path, lines } of this.open.slice(0, -1)) {
      if (this.#open.size <= MAX_OPEN && bytes <= MAX_OPEN_BYTES) return;
      bytes -= lines.text.length;
      this.close(path);
    }
  }
}
