import type { ToolContext } from '@jinn/core';
import { MAX_SOURCE_BYTES, sourceLanguageOf } from '@jinn/syntax';
import { type OpenDirectory, versionOf, type Workspace } from '@jinn/workspace';
import {
  EXCLUDED_DIRECTORIES,
  type Fingerprint,
  fingerprintOf,
  isUnchanged,
  LeftOut,
  type TakenFiles,
  walk,
} from '@jinn/workspace/walk';
import { ASTRO, type TreeScope } from './scope.ts';

const LEAST_BITS = 512;
/** The number of trigrams of the characters that names are made of: larger filters would be no better. */
const MOST_BITS = 65_536;
const SPREAD = 40_503;
const CLASSES = classesOfBytes();
const MOST_FILES = 20_000;
const FILES_A_TURN = 128;
const TOO_LARGE = `too large (over ${MAX_SOURCE_BYTES / 1024 / 1024} MiB), not searched`;
export const NOT_PARSED = 'cannot be parsed, not searched';

/** The facts about a source file that need no parser. */
export interface IndexedFile {
  readonly path: string;
  readonly language: string;
  readonly version: string;
  readonly filter: TrigramFilter;
}

interface KnownFile {
  /** Undefined if the file was changed just now, so that a later change might have the same times. */
  readonly fingerprint: Fingerprint | undefined;
  /** Undefined for a file that can have no outline. */
  readonly file: IndexedFile | undefined;
  readonly isTooLarge: boolean;
}

export interface SourceScan {
  readonly files: readonly IndexedFile[];
  readonly warnings: readonly string[];
  /** The files that the scan omitted, for the caller to show. */
  readonly leftOut: LeftOut;
  readonly isWhole: boolean;
}

/**
 * `content` is set if the file was read just now. It is valid until the promise settles. Without a promise, the scan
 * continues at once.
 */
export type VisitFile = (file: IndexedFile, content: Buffer | undefined) => Promise<void> | undefined;

/** The source files of a workspace, each read once and again when it has changed. */
export class SourceIndex {
  readonly isPassive = true;
  readonly #known = new Map<string, KnownFile>();

  /**
   * Visits at most 20,000 source files, by path. A warning says if there are more. A file that must be read anyway
   * comes with its content.
   */
  async scan({ workspace, checkpoint }: ToolContext, scope: TreeScope, visit?: VisitFile): Promise<SourceScan> {
    const files: IndexedFile[] = [];
    const read = createReader();
    const leftOut = new LeftOut();
    let seen = 0;
    const look = (directory: OpenDirectory, name: string): Promise<void> | undefined => {
      const path = directory.pathOf(name);
      if (!scope.matches({ name, path }) || ++seen > MOST_FILES) return undefined;
      const { file, content, isTooLarge } = this.#scanEntry(workspace, path, () => read(directory, name));
      if (isTooLarge && sourceLanguageOf(name) !== undefined) leftOut.add(TOO_LARGE, path);
      if (!file) return undefined;
      files.push(file);
      return visit?.(file, content);
    };
    const takeFiles = async (directory: OpenDirectory, { names }: TakenFiles) => {
      for (const [i, name] of names.entries()) {
        if (i % FILES_A_TURN === 0) await checkpoint();
        const visiting = look(directory, name);
        if (visiting !== undefined) await visiting;
      }
    };
    const options = {
      gitignore: true,
      excludeDirectories: EXCLUDED_DIRECTORIES,
      entersTracked: scope.entersTracked,
      checkpoint,
      takeFiles,
      hidden: scope.hidden,
      maxDepth: scope.maxDepth,
      leftOut,
    };
    const { warnings } = await walk(workspace, `./${scope.start}`, options, () => undefined);
    if (seen <= MOST_FILES) return { files, warnings, leftOut, isWhole: true };
    return {
      files,
      leftOut,
      isWhole: false,
      warnings: [...warnings, `only the first ${MOST_FILES} of ${seen} source files were looked at`],
    };
  }

  close(): void {
    this.#known.clear();
  }

  #scanEntry(
    workspace: Workspace,
    path: string,
    read: () => Buffer | 'too large' | undefined,
  ): Omit<KnownFile, 'fingerprint'> & { content?: Buffer | undefined } {
    const known = this.#known.get(path);
    if (known?.fingerprint && isUnchanged(workspace.root, path, known.fingerprint)) return known;
    // It is taken before the content, so that a change in between is noticed the next time.
    const fingerprint = fingerprintOf(workspace, path);
    const found = read();
    const isTooLarge = found === 'too large';
    const content = isTooLarge ? undefined : found;
    const file = content && toIndexed(path, content);
    if (this.#known.size >= MOST_FILES) this.#known.clear();
    this.#known.set(path, { fingerprint, file, isTooLarge });
    return { file, content, isTooLarge };
  }
}

/** The content is valid until the next call, or undefined if it cannot be read. */
type ReadFile = (directory: OpenDirectory, name: string) => Buffer | 'too large' | undefined;

function createReader(): ReadFile {
  let buffer: Buffer | undefined;
  return (directory, name) => {
    buffer ??= Buffer.allocUnsafeSlow(MAX_SOURCE_BYTES + 1);
    try {
      const size = directory.readListedFile(name, buffer);
      return size > MAX_SOURCE_BYTES ? 'too large' : buffer.subarray(0, size);
    } catch {
      return undefined; // It is gone, or closed to us.
    }
  };
}

function toIndexed(path: string, content: Buffer): IndexedFile | undefined {
  const language = sourceLanguageOf(path, content) ?? (ASTRO.test(path) ? 'astro' : undefined);
  if (language === undefined || content.includes(0)) return undefined;
  return { path, language, version: versionOf(content), filter: new TrigramFilter(content) };
}

/** For `session.use`: each session has one, whichever tool asks. */
export function createSourceIndex(): SourceIndex {
  return new SourceIndex();
}

/** A number for each byte of names, the same for both cases of a letter, or 0 for others. */
function classesOfBytes(): Uint8Array {
  const classes = new Uint8Array(256);
  for (const [i, char] of [...'abcdefghijklmnopqrstuvwxyz0123456789_$'].entries()) {
    classes[char.charCodeAt(0)] = i + 1;
    classes[char.toUpperCase().charCodeAt(0)] = i + 1;
  }
  return classes;
}

/**
 * A filter in an eighth of a file's size, of its runs of three letters, digits, `_` and `$`. It proves for most files
 * that a word is not in them.
 */
export class TrigramFilter {
  readonly #bits: Uint8Array;

  constructor(content: Uint8Array) {
    let size = LEAST_BITS;
    while (size < content.length && size < MOST_BITS) size *= 2;
    this.#bits = new Uint8Array(size / 8);
    const bits = this.#bits;
    const mask = size - 1;
    let [first, second] = [0, 0];
    for (let i = 0; i < content.length; i++) {
      const third = CLASSES[content[i] as number] as number;
      if (first !== 0 && second !== 0 && third !== 0) {
        const bit = hash(first, second, third) & mask;
        bits[bit >> 3] = (bits[bit >> 3] as number) | (1 << (bit & 7));
      }
      first = second;
      second = third;
    }
  }

  /** False if the content certainly lacks some, in either case of the letters. */
  mayHold(trigrams: readonly number[]): boolean {
    const mask = this.#bits.length * 8 - 1;
    for (const trigram of trigrams) {
      const bit = trigram & mask;
      if (((this.#bits[bit >> 3] as number) & (1 << (bit & 7))) === 0) return false;
    }
    return true;
  }
}

function hash(first: number, second: number, third: number): number {
  return (((first * 39 + second) * 39 + third) * SPREAD) >>> 4;
}

/** The trigrams that a file must have to declare a name path or a part of one. */
export function trigramsOf(path: string): number[] {
  const words = path.replace(/\[\d+\]$/, '').match(/[\w$]+/g) ?? [];
  return words.flatMap((word) => {
    const classes = Array.from(word, (char) => CLASSES[char.charCodeAt(0)] ?? 0);
    return classes.slice(2).map((third, i) => hash(classes[i] as number, classes[i + 1] as number, third));
  });
}
