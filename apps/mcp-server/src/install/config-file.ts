import fs from 'node:fs';
import path from 'node:path';

/** A file of a host that registers servers. */
export interface ConfigFile {
  /** As the host names it. */
  readonly named: string;
  /** Where it is, behind links. */
  readonly path: string;
  /** Undefined if there is none. */
  readonly text: string | undefined;
}

/** Reads the first of the files that exists; if none does, the last is the one to make. */
export function readConfig(files: readonly string[]): ConfigFile {
  const named = files.find((file) => fs.existsSync(file)) ?? files.at(-1) ?? '';
  if (!fs.existsSync(named)) return { named, path: named, text: undefined };
  const real = fs.realpathSync(named);
  return { named, path: real, text: fs.readFileSync(real, 'utf8') };
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

function keepBackup(file: string): string {
  for (let i = 1; ; i++) {
    const backup = i === 1 ? `${file}.bak` : `${file}.bak${i}`;
    try {
      fs.copyFileSync(file, backup, fs.constants.COPYFILE_EXCL);
      return backup;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}
