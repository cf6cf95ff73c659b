import fs from 'node:fs';
import path from 'node:path';
import { olderOf } from '../audit/open-log.ts';
import type { ServeOptions } from '../options.ts';

interface OwnFiles extends Pick<ServeOptions, 'http' | 'tokenFile' | 'team' | 'approvalKeyFile' | 'logFile'> {
  /** The file with the password of the database; undefined if there is none. */
  readonly passwordFile: string | undefined;
}

/**
 * Returns the files that the server has to itself, absolute: with tokens, keys and settings, and with what others have done. A
 * directory that holds nothing else is among them, so that what replaces one of its files is hidden at once. Throws an Error for one
 * that is served over HTTP: it lies in a root, where tools and commands work.
 */
export function ownFilesOf(
  { http, tokenFile, team, approvalKeyFile, logFile, passwordFile }: OwnFiles,
  { roots, home }: { roots: readonly string[]; home: string },
): string[] {
  const named: [string, string | undefined][] = [
    ['--token-file', tokenFile],
    ['--team', team],
    ['--approval-key-file', approvalKeyFile],
    ['--log-file', logFile],
    ['--log-file', logFile && olderOf(logFile)],
    ['PGPASSFILE', passwordFile],
  ];
  const files = named.flatMap(([source, file]) => (file ? [{ source, file: path.resolve(file) }] : []));
  for (const { source, file } of files) {
    const root = roots.find((one) => realPathOf(file).startsWith(`${one === '/' ? '' : one}/`));
    if (http === undefined || root === undefined) continue;
    throw new Error(`${source}: ${file} lies in ${root}, where tools and commands work: keep it outside`);
  }
  const given = files.map(({ file }) => file);
  const real = new Set(given.map(realPathOf));
  const isOurs = (directory: string) => {
    const names = namesIn(directory);
    return names.length > 0 && names.every((name) => real.has(path.join(directory, name)));
  };
  const directories = [...new Set([...real].map((file) => path.dirname(file)))];
  return [...new Set([...given, ...directories.filter((directory) => directory !== home && isOurs(directory))])];
}

/** Returns the real path of a file that may be missing. */
function realPathOf(file: string): string {
  if (fs.existsSync(file)) return fs.realpathSync(file);
  const directory = path.dirname(file);
  return fs.existsSync(directory) ? path.join(fs.realpathSync(directory), path.basename(file)) : file;
}

function namesIn(directory: string): string[] {
  try {
    return fs.readdirSync(directory);
  } catch {
    return [];
  }
}
