import type { ToolContext } from '@jinn/core';
import { languageOf, MAX_SOURCE_BYTES } from '@jinn/syntax';
import { type OpenDirectory, versionOf, type Workspace } from '@jinn/workspace';
import {
  EXCLUDED_DIRECTORIES,
  type Fingerprint,
  fingerprintOf,
  isUnchanged,
  type TakenFiles,
  walk,
} from '@jinn/workspace/walk';
import type { TreeScope } from './scope.ts';
import { TrigramFilter } from './trigram-filter.ts';

/** The most files whose facts are kept. */
const MOST_FILES = 20_000;
/** Files that are looked at before other work gets its turn. */
const FILES_A_TURN = 128;

/** The facts about a source file that need no parser. */
export interface IndexedFile {
  /** The path below the workspace root. */
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
}

export interface Scan {
  /** The files, in the order of their paths. */
  readonly files: readonly IndexedFile[];
  readonly warnings: readonly string[];
  /** False if there were more files than are looked at. */
  readonly isWhole: boolean;
}

/**
 * Gets each file in the order of the paths. `content` is there if the file was read just now; it is valid until the
 * returned promise settles. Without a promise, the scan goes on at once.
 */
export type VisitFile = (file: IndexedFile, content: Buffer | undefined) => Promise<void> | undefined;

/** The source files of a workspace, each read once and again when it has changed. */
export class SourceIndex {
  readonly isPassive = true;
  readonly #known = new Map<string, KnownFile>();

  /**
   * Visits all source files of a scope. At most 20,000: the rest is left out, and a warning says so. A file that must
   * be read anyway is visited with its content, so that it need not be opened twice.
   */
  async scan({ workspace, checkpoint }: ToolContext, scope: TreeScope, visit?: VisitFile): Promise<Scan> {
    const files: IndexedFile[] = [];
    const read = createReader();
    let seen = 0;
    const look = (directory: OpenDirectory, name: string): Promise<void> | undefined => {
      if (!scope.matches({ name, path: directory.pathOf(name) }) || ++seen > MOST_FILES) return undefined;
      const { file, content } = this.#scanEntry({ workspace, directory, name, read });
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
      checkpoint,
      takeFiles,
      hidden: scope.hidden,
      maxDepth: scope.maxDepth,
    };
    const { warnings } = await walk(workspace, `./${scope.start}`, options, () => undefined);
    if (seen <= MOST_FILES) return { files, warnings, isWhole: true };
    return {
      files,
      isWhole: false,
      warnings: [...warnings, `only the first ${MOST_FILES} of ${seen} source files were looked at`],
    };
  }

  /** Forgets all files. */
  close(): void {
    this.#known.clear();
  }

  #scanEntry({ workspace, directory, name, read }: ScannedEntry): {
    file: IndexedFile | undefined;
    content?: Buffer | undefined;
  } {
    const path = directory.pathOf(name);
    const known = this.#known.get(path);
    if (known?.fingerprint && isUnchanged(workspace.root, path, known.fingerprint)) return { file: known.file };
    // It is taken before the content, so that a change in between is noticed the next time.
    const fingerprint = fingerprintOf(workspace, path);
    const content = read(directory, name);
    const file = content && toIndexed(path, content);
    if (this.#known.size >= MOST_FILES) this.#known.clear();
    this.#known.set(path, { fingerprint, file });
    return { file, content };
  }
}

interface ScannedEntry {
  readonly workspace: Workspace;
  readonly directory: OpenDirectory;
  readonly name: string;
  readonly read: ReadFile;
}

/** Returns the content until the next call; undefined for a file that is too large or cannot be read. */
type ReadFile = (directory: OpenDirectory, name: string) => Buffer | undefined;

function createReader(): ReadFile {
  let buffer: Buffer | undefined;
  return (directory, name) => {
    buffer ??= Buffer.allocUnsafeSlow(MAX_SOURCE_BYTES + 1);
    try {
      const size = directory.readListedFile(name, buffer);
      return size > MAX_SOURCE_BYTES ? undefined : buffer.subarray(0, size);
    } catch {
      return undefined; // It is gone, or closed to us.
    }
  };
}

function toIndexed(path: string, content: Buffer): IndexedFile | undefined {
  const language = languageOf(path, content);
  if (language === undefined || content.includes(0)) return undefined;
  return { path, language, version: versionOf(content), filter: new TrigramFilter(content) };
}

/** Makes the index of a session, for `session.use`: each session has one, whichever tool asks. */
export function createSourceIndex(): SourceIndex {
  return new SourceIndex();
}
