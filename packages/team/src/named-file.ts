import fs from 'node:fs';

const OTHERS_READ = 0o004;
const NOT_OPEN: Readonly<Record<string, string>> = {
  ENOENT: 'or its directory is not there',
  ENOTDIR: 'or its directory is not there',
  EISDIR: 'is a directory',
  EACCES: 'may not be opened by you',
  EPERM: 'may not be opened by you',
  EROFS: 'is on a disk that can only be read',
  ENOSPC: 'cannot be made: the disk is full',
};

/** Returns why a file that the operator named cannot be opened, or else the message of the error. */
export function whyNotTaken(file: string, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined) return message;
  return `${file} ${NOT_OPEN[code] ?? `cannot be opened: ${message}`}`;
}

/** Warns of a secret file that is open to other users. Throws what the system says. */
export function warnIfOpen(file: string, source: string, warn: (line: string) => void): void {
  const isOpen = (fs.statSync(file).mode & OTHERS_READ) !== 0;
  if (isOpen) warn(`${source}: every user can read ${file}: close it with chmod 600 ${file}`);
}

/** Reads a secret from a file that the flag `source` names. Throws an Error for the operator. */
export function readSecretFile(file: string, source: string, warn: (line: string) => void): string {
  try {
    const text = fs.readFileSync(file, 'utf8').trim();
    warnIfOpen(file, source, warn);
    return text;
  } catch (error) {
    throw new Error(`${source}: ${whyNotTaken(file, error)}`);
  }
}
