import { createHash } from 'node:crypto';
import { findImports } from './find-imports.ts';
import { findNames } from './find-names.ts';
import type { SourceSignals } from './reference-graph.ts';

/** The most names and imports that are kept. Each takes about 40 bytes. */
const MOST_KEPT = 1_000_000;

type KnownEntry = Readonly<{ version: string; signals: SourceSignals }>;

/** Keeps the signals of source files by their path and content. */
export class KnownSignals {
  /** The signals by path. Entries that were asked for last stand at the end. */
  readonly #kept = new Map<string, KnownEntry>();
  readonly #mostKept: number;
  #size = 0;

  constructor({ mostKept = MOST_KEPT } = {}) {
    this.#mostKept = mostKept;
  }

  /** Returns the signals of a text at a path. The same text is read only once. */
  read(path: string, content: Buffer): SourceSignals {
    const version = contentHash(content);
    const before = this.#kept.get(path);
    if (before) this.#drop(path, before);
    const signals =
      before?.version === version
        ? before.signals
        : { imports: findImports(path, content), names: findNames(path, content) };
    this.#kept.set(path, { version, signals });
    this.#size += sizeOf(signals);
    for (const [oldest, kept] of this.#kept) {
      if (this.#size <= this.#mostKept) break;
      this.#drop(oldest, kept);
    }
    return signals;
  }

  #drop(path: string, { signals }: KnownEntry): void {
    this.#kept.delete(path);
    this.#size -= sizeOf(signals);
  }
}

/** Returns a text that differs for any other content. */
export function contentHash(content: Buffer): string {
  return createHash('sha1').update(content).digest('base64');
}

function sizeOf({ imports, names }: SourceSignals): number {
  return imports.length + names.declared.size + names.used.size + 1;
}
