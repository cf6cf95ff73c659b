import { type OpenDirectory, type ToolContext, versionOf, type Workspace } from '@jinn/core';
import { languageOf } from '@jinn/syntax';
import {
  EXCLUDED_DIRECTORIES,
  type Fingerprint,
  fingerprintOf,
  inTurns,
  isUnchanged,
  type TakenFiles,
  walk,
} from '@jinn/walk';
import type { TreeScope } from './scope.ts';
import { TrigramFilter } from './trigram-filter.ts';

/** Larger files have no outline. */
const MOST_BYTES = 2 * 1024 * 1024;
/** What is known of more files is not kept. */
const MOST_FILES = 20_000;
/** Files that are looked at before other work gets its turn. */
const FILES_A_TURN = 128;

/** What is known of a source file without parsing it. */
export interface IndexedFile {
  /** The path below the workspace root. */
  readonly path: string;
  readonly language: string;
  readonly version: string;
  readonly filter: TrigramFilter;
}

interface Known {
  /** Undefined if the file was changed just now, so that a later change might have the same times. */
  readonly fingerprint: Fingerprint | undefined;
  /** Undefined for a file that no outline can be made of. */
  readonly file: IndexedFile | undefined;
}

export interface Scan {
  /** In the order of their paths. */
  readonly files: readonly IndexedFile[];
  readonly warnings: readonly string[];
}

/** The source files of a workspace, each read once and again when it has changed. */
export class SourceIndex {
  readonly #known = new Map<string, Known>();
  #buffer: Buffer | undefined;

  /** Looks at all source files of a scope. At most 20,000: the rest is left out, and a warning says so. */
  async scan({ workspace, checkpoint }: ToolContext, scope: TreeScope): Promise<Scan> {
    const files: IndexedFile[] = [];
    let seen = 0;
    const look = (directory: OpenDirectory, name: string) => {
      if (!scope.matches({ name, path: directory.pathOf(name) }) || ++seen > MOST_FILES) return;
      const file = this.#look(workspace, directory, name);
      if (file) files.push(file);
    };
    const takeFiles = (directory: OpenDirectory, { names }: TakenFiles) =>
      inTurns(names.toArray(), checkpoint, (name) => look(directory, name), FILES_A_TURN);
    const options = {
      gitignore: true,
      excludeDirectories: EXCLUDED_DIRECTORIES,
      checkpoint,
      takeFiles,
      hidden: scope.hidden,
      maxDepth: scope.maxDepth,
    };
    const { warnings } = await walk(workspace, `./${scope.start}`, options, () => undefined);
    if (seen <= MOST_FILES) return { files, warnings };
    return { files, warnings: [...warnings, `only the first ${MOST_FILES} of ${seen} source files were looked at`] };
  }

  /** Forgets all files. */
  close(): void {
    this.#known.clear();
  }

  #look(workspace: Workspace, directory: OpenDirectory, name: string): IndexedFile | undefined {
    const path = directory.pathOf(name);
    const known = this.#known.get(path);
    if (known?.fingerprint && isUnchanged(workspace.root, path, known.fingerprint)) return known.file;
    // Taken before the content, so that a change in between is seen the next time.
    const fingerprint = fingerprintOf(workspace, path);
    const content = this.#read(directory, name);
    const file = content && toIndexed(path, content);
    if (this.#known.size >= MOST_FILES) this.#known.clear();
    this.#known.set(path, { fingerprint, file });
    return file;
  }

  /** Returns the content until the next call; undefined for a file that is too large or cannot be read. */
  #read(directory: OpenDirectory, name: string): Buffer | undefined {
    this.#buffer ??= Buffer.allocUnsafeSlow(MOST_BYTES + 1);
    try {
      const size = directory.readListedFile(name, this.#buffer);
      return size > MOST_BYTES ? undefined : this.#buffer.subarray(0, size);
    } catch {
      return undefined; // It is gone, or closed to us.
    }
  }
}

function toIndexed(path: string, content: Buffer): IndexedFile | undefined {
  const language = languageOf(path, content);
  if (language === undefined || content.includes(0)) return undefined;
  return { path, language, version: versionOf(content), filter: new TrigramFilter(content) };
}

/** For `session.use`: each session has one, whichever tool asks. */
export function createSourceIndex(): SourceIndex {
  return new SourceIndex();
}
