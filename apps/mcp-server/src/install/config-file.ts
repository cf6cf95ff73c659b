import fs from 'node:fs';
import path from 'node:path';

/** A file of a host that registers servers. */
export interface ConfigFile {
  /** The path as the host names it. */
  readonly named: string;
  /** The path behind links. */
  readonly path: string;
  /** The content; undefined if there is no file. */
  readonly text: string | undefined;
}

/**
 * Reads the first of the files that exists; if none does, the last one is made later. Throws an Error if it cannot be
 * edited without a loss.
 */
export function readConfig(files: readonly string[]): ConfigFile {
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

/**
 * Decodes the bytes of a file. Throws for other encodings than UTF-8, which would come back as replacement characters.
 */
function decode(bytes: Buffer, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Error(`${file} was left as it is: it is not UTF-8; save it as UTF-8, and run this again`);
  }
}

/**
 * Replaces the file whole, and keeps its old content beside it under a new name, which is returned. Its mode stays. A new
 * file that is private can be read by its owner alone: it may come to hold secrets.
 */
export function replaceConfig({ path: file, text: before }: ConfigFile, text: string, isPrivate: boolean) {
  const backup = before === undefined ? undefined : keepBackup(file);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const mode = before === undefined ? (isPrivate ? 0o600 : 0o644) : fs.statSync(file).mode & 0o777;
  const temporary = `${file}.${process.pid}.tmp`;
  fs.writeFileSync(temporary, text, { mode, flag: 'wx' });
  if (before !== undefined) fs.chmodSync(temporary, mode);
  fs.renameSync(temporary, file);
  return backup;
}

/** Returns what the copies beside a file hold that replaceConfig kept, the newest first. */
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
