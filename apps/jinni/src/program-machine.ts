/** A file that is being written. */
export interface OutputFile {
  write(bytes: Buffer): void;
  close(): void;
}

/** Waits for the first change in some directories. */
export interface ChangeWatch {
  add(directory: string): void;
  /** Resolves soon after something changed in one of them. Then the watch is over. */
  changed(): Promise<void>;
}

/** What the program needs from its process and the system. */
export interface Machine {
  /** The variables of the process. `PATH` has no directory of the working directory, except in `ownVariables`. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly ownVariables: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Hears that the program begins to do more than print a text about itself. */
  begin(): void;
  isTerminal(fd: 1 | 2): boolean;
  /** Reports whether a descriptor is a device, such as a terminal; false for a pipe and a file. */
  isDevice(fd: 1 | 2): boolean;
  /** Writes all bytes to standard output (1) or standard error (2). */
  write(fd: 1 | 2, bytes: Buffer): void;
  /** Writes to the terminal of the process, if it has one. */
  writeToTerminal(text: string): boolean;
  readFile(path: string): Buffer;
  /** Reads a file that the tree may have; undefined for anything but a regular file of at most `most` bytes. */
  readSmallFile(path: string, most: number): Buffer | undefined;
  readStdin(): Buffer;
  exists(path: string): boolean;
  /** Makes an empty directory that only the user may enter. */
  makeTempDirectory(): string;
  /** Removes a directory with all that it holds. */
  remove(directory: string): void;
  /** Creates a file and its directories, or empties the file. */
  create(path: string): OutputFile;
  /** Creates a file in the working directory, or empties it. Throws when something else than a regular file is there. */
  createHere(name: string): OutputFile;
  /** Returns the file that standard output goes to; undefined if it is not a file, or the system does not tell. */
  outputPath(): string | undefined;
  /** Starts to watch directories for changes, except of some files. All paths are absolute. */
  startWatch(except: ReadonlySet<string>): ChangeWatch;
  /**
   * Returns the absolute path without links. If the path does not exist yet, only the links of its directory are
   * resolved.
   */
  realPath(path: string): string;
}
