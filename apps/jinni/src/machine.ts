/** A file that is being written. */
export interface OutputFile {
  write(bytes: Buffer): void;
  close(): void;
}

/** What the program needs of the process that it is. */
export interface Machine {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  isTerminal(fd: 1 | 2): boolean;
  /** Writes all of it to standard output (1) or standard error (2). */
  write(fd: 1 | 2, bytes: Buffer): void;
  /** Writes to the terminal of the process, when it has one. */
  writeToTerminal(text: string): boolean;
  readFile(path: string): Buffer;
  readStdin(): Buffer;
  exists(path: string): boolean;
  /** Makes a file, or empties it, and the directories that it needs. */
  create(path: string): OutputFile;
  /** Makes a file of this name in the working directory, or empties it. Throws for what is no regular file. */
  createHere(name: string): OutputFile;
  /** The file that standard output goes to, when it is one and the system tells. */
  outputPath(): string | undefined;
  /** The absolute path without links; of what is not there yet, by its directory. */
  realPath(path: string): string;
}
