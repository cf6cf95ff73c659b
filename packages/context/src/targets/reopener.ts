import type { OpenDirectory, OpenFile, Workspace } from '@jinn/workspace';

/** A file that a walk came upon: its name in a directory below the workspace root. */
interface WalkedPath {
  readonly workspace: Workspace;
  readonly directory: string;
  readonly name: string;
}

/** Opens files again after a walk. The directory of the last one stays open, because the next is mostly in it too. */
export class Reopener {
  #workspace: Workspace | undefined;
  #path = '';
  #directory: OpenDirectory | undefined;

  /** Opens a file for as long as `use` runs. */
  read<T>({ workspace, directory, name }: WalkedPath, use: (file: OpenFile) => T): T {
    const file = this.#directoryOf(workspace, directory).openFile(name);
    try {
      return use(file);
    } finally {
      file.close();
    }
  }

  close(): void {
    this.#directory?.close();
    this.#directory = undefined;
  }

  #directoryOf(workspace: Workspace, path: string): OpenDirectory {
    if (this.#directory && this.#workspace === workspace && this.#path === path) return this.#directory;
    this.close();
    this.#workspace = workspace;
    this.#path = path;
    this.#directory = workspace.openDirectory(`./${path}`);
    return this.#directory;
  }
}
