import fs from 'node:fs';
import path from 'node:path';

export interface ConfigFile {
  readonly named: string;
  /** The path behind links. */
  readonly path: string;
  readonly text: string | undefined;
}

/**
 * Reads the first of the files that exists; if none does, the last one is made later. Throws an Error if it cannot be
 * edited without a loss.
 */
export function readConfigFile(files: readonly string[]): ConfigFile {
  const named = files.find((file) => statOf(file) !== undefined) ?? files.at(-1) ?? '';
  if (statOf(named) === undefined) return { named, path: named, text: undefined };
  if (!fs.existsSync(named)) throw new Error(`${named} is a link to nothing; remove it, or make what it leads to`);
  const real = fs.realpathSync(named);
  if (!fs.statSync(real).isFile()) throw new Error(`${named} is not a file; remove it, and run this again`);
  return { named, path: real, text: decode(fs.readFileSync(real), named) };
}

function statOf(file: string): fs.Stats | undefined {
  return fs.lstatSync(file, { throwIfNoEntry: false });
}

// Other encodings would come back as replacement characters.
function decode(bytes: Buffer, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Error(`${file} was left as it is: it is not UTF-8; save it as UTF-8, and run this again`);
  }
}

/** Replaces the file, and returns the name of a copy of its old content. Its mode stays. A new file may be private, for secrets. */
export function replaceConfigFile({ path: file, text: before }: ConfigFile, text: string, isPrivate: boolean) {
  const backup = before === undefined ? undefined : keepBackup(file);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const mode = before === undefined ? (isPrivate ? 0o600 : 0o644) : fs.statSync(file).mode & 0o777;
  const temporary = `${file}.${process.pid}.tmp`;
  fs.writeFileSync(temporary, text, { mode, flag: 'wx' });
  if (before !== undefined) fs.chmodSync(temporary, mode);
  fs.renameSync(temporary, file);
  return backup;
}

/** Returns the copies of a file that replaceConfigFile kept, the newest first. */
export function readBackups({ path: file }: ConfigFile): string[] {
  const texts: string[] = [];
  for (let i = 1; fs.existsSync(backupOf(file, i)); i++) texts.unshift(fs.readFileSync(backupOf(file, i), 'utf8'));
  return texts;
}

function backupOf(file: string, i: number): string {
  return i === 1 ? `${file}.bak` : `${file}.bak${i}`;
}

function keepBackup(file: string): string {
  for (let i = 1; ; i++) {
    const backup = backupOf(file, i);
    try {
      fs.copyFileSync(file, backup, fs.constants.COPYFILE_EXCL);
      // The removed text may be a secret.
      fs.chmodSync(backup, fs.statSync(file).mode & 0o600);
      return backup;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}
