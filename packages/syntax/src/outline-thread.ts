import type { Worker } from 'node:worker_threads';
import type { CompiledSyntax, LibrarySource } from './compile.ts';
import { languageNamed, otherLanguageOf } from './languages.ts';
import type { NoOutline, Outline } from './symbols.ts';

/** The most bytes that wait for the thread: as many as it parses until the caller, who parses too, sends more. */
const ROOM_BYTES = 256 * 1024;

export interface ThreadData {
  readonly script: LibrarySource;
  readonly library: WebAssembly.Module;
}

export interface ThreadTask {
  readonly content: Uint8Array;
  readonly language: string;
  readonly grammars: readonly (readonly [string, WebAssembly.Module])[];
}

/** Reads outlines on a thread. It compiles nothing: the flags of V8 that compiling sets are those of all threads. */
export class OutlineThread {
  readonly #worker: Worker;
  readonly compiled: CompiledSyntax;
  readonly #sent = new Set<string>();
  readonly #waiting: { readonly bytes: number; settle(outline: Outline | NoOutline | undefined): void }[] = [];
  #room = 0;

  constructor(script: string, compiled: CompiledSyntax) {
    this.compiled = compiled;
    const { Worker: Thread } = process.getBuiltinModule('node:worker_threads');
    const workerData: ThreadData = { script: compiled.script, library: compiled.library };
    this.#worker = new Thread(script, { workerData, env: {}, execArgv: [] });
    this.#worker.once('online', () => {
      this.#room += ROOM_BYTES;
    });
    this.#worker.on('message', (json: string) => {
      const pending = this.#waiting.shift();
      if (pending === undefined) return; // It was sent before the thread was closed.
      this.#room += pending.bytes;
      pending.settle(JSON.parse(json));
    });
    // Without a listener, an error would end the process.
    this.#worker.on('error', () => this.#fail());
    this.#worker.on('exit', () => this.#fail());
  }

  /** Copies the content. Undefined if the thread is busy or lacks the language. Resolves to undefined on failure. */
  offer(content: Buffer, language: string): Promise<Outline | NoOutline | undefined> | undefined {
    if (this.#room <= 0) return undefined;
    const grammars = this.#grammarsFor(language, content);
    if (!grammars) return undefined;
    const copy = new Uint8Array(content);
    const task: ThreadTask = { content: copy, language, grammars: grammars.filter(([name]) => !this.#sent.has(name)) };
    for (const [name] of grammars) this.#sent.add(name);
    this.#room -= copy.length;
    const bytes = copy.length;
    this.#worker.postMessage(task, [copy.buffer]);
    return new Promise((settle) => this.#waiting.push({ bytes, settle }));
  }

  close(): void {
    this.#waiting.length = 0;
    this.#room = Number.NEGATIVE_INFINITY;
    void this.#worker.terminate();
  }

  /** Undefined if others may be embedded in it, or there is no grammar here. */
  #grammarsFor(language: string, content: Buffer): (readonly [string, WebAssembly.Module])[] | undefined {
    if (languageNamed(language)?.grammar.embedding) return undefined;
    const grammars: (readonly [string, WebAssembly.Module])[] = [];
    for (const name of [language, otherLanguageOf(language, content)]) {
      const module = name === undefined ? undefined : this.compiled.grammar(name);
      if (name !== undefined && module) grammars.push([name, module]);
    }
    return grammars.length > 0 ? grammars : undefined;
  }

  #fail(): void {
    this.#room = Number.NEGATIVE_INFINITY;
    for (const { settle } of this.#waiting.splice(0)) settle(undefined);
  }
}
