import { fromSystemError, isOutOfDescriptors } from '@jinn/core/errors';
import type { OpenDirectory, OpenFile, Workspace } from '@jinn/workspace';

/** The most directories that are held open. */
const MAX_OPEN = 8;

/** Opens many files by their paths, in the order of the paths, without a walk from the root for each. */
export class OpenFiles {
  readonly #workspace: Workspace;
  readonly #directories = new Map<string, OpenDirectory>();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /**
   * Opens a file, and closes it when `use` returns. Throws ToolError if the guard refuses it or the system cannot open
   * it.
   */
  withFile<T>(path: string, use: (file: OpenFile) => T): T {
    if (path.startsWith('/')) return this.#workspace.withFile(path, use); // A file that jinn keeps lies in no directory of it.
    const file = this.#openFile(path);
    try {
      return use(file);
    } finally {
      file.close();
    }
  }

  close(): void {
    for (const directory of this.#directories.values()) directory.close();
    this.#directories.clear();
  }

  #openFile(path: string): OpenFile {
    const slash = path.lastIndexOf('/');
    const open = () => openIn(this.#open(slash < 0 ? '.' : `./${path.slice(0, slash)}`), path.slice(slash + 1));
    try {
      return open();
    } catch (error) {
      if (!isOutOfDescriptors(error)) throw error;
      this.close();
      return open();
    }
  }

  #open(path: string): OpenDirectory {
    const known = this.#directories.get(path);
    if (known) return known;
    const directory = this.#workspace.openDirectory(path);
    const [oldest] = this.#directories;
    if (oldest && this.#directories.size >= MAX_OPEN) {
      oldest[1].close();
      this.#directories.delete(oldest[0]);
    }
    this.#directories.set(path, directory);
    return directory;
  }
}

function openIn(directory: OpenDirectory, name: string): OpenFile {
  try {
    return directory.openListedFile(name);
  } catch (error) {
    throw fromSystemError(error, directory.pathOf(name));
  }
}
