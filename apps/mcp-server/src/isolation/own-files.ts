import fs from 'node:fs';
import path from 'node:path';
import { olderOf } from '../audit/open-log.ts';
import { realPathOf } from '../named-file.ts';
import type { ServeOptions } from '../options.ts';
import type { TeamSettings } from '../people/team-settings.ts';
import { isBelow } from '../roots.ts';

interface OwnFiles extends Pick<ServeOptions, 'http' | 'tokenFile' | 'team' | 'approvalKeyFile' | 'logFile'> {
  readonly database: TeamSettings['database'];
  /** The file with the password of the database; undefined if there is none. */
  readonly passwordFile: string | undefined;
}

/**
 * Returns the files that only the server may use, absolute: those with tokens, keys, settings and records. A directory
 * that holds only such files is among them, so that a replaced file is hidden at once. Throws an Error, over HTTP, for
 * a file that lies in a root, where tools and commands work.
 */
export function ownFilesOf(
  { http, tokenFile, team, approvalKeyFile, logFile, database, passwordFile }: OwnFiles,
  { roots, home }: { roots: readonly string[]; home: string },
): string[] {
  const named: [string, string | undefined][] = [
    ['--token-file', tokenFile],
    ['--team', team],
    ['--approval-key-file', approvalKeyFile],
    ['--log-file', logFile],
    ['--log-file', logFile && olderOf(logFile)],
    ['PGPASSFILE', database && passwordFile],
    ...keysIn(database?.url).map((file): [string, string] => ['sslkey', file]),
  ];
  const files = named.flatMap(([source, file]) => (file ? [{ source, file: path.resolve(file) }] : []));
  for (const { source, file } of files) {
    const root = roots.find((one) => isBelow(one, realPathOf(file)));
    if (http === undefined || root === undefined) continue;
    throw new Error(`${source}: ${file} lies in ${root}, where tools and commands work: keep it outside`);
  }
  const rotated = logFile ? rotatedOf(realPathOf(path.resolve(logFile))) : [];
  // A file whose name begins like a log may belong to the project that it lies in.
  const outside = rotated.filter((file) => !roots.some((root) => isBelow(root, file)));
  const given = [...files.map(({ file }) => file), ...outside];
  const real = new Set(given.map(realPathOf));
  const isOurs = (directory: string) => {
    const names = namesIn(directory);
    return names.length > 0 && names.every((name) => real.has(path.join(directory, name)));
  };
  const isOfOthers = (directory: string) => directory === home || roots.includes(directory);
  const directories = [...new Set([...real].map((file) => path.dirname(file)))];
  return [...new Set([...given, ...directories.filter((directory) => !isOfOthers(directory) && isOurs(directory))])];
}

/** Returns the existing older parts of a log: their names begin with its name. */
function rotatedOf(logFile: string): string[] {
  const { dir, base } = path.parse(logFile);
  const names = namesIn(dir).filter((name) => name.startsWith(`${base}.`) || name.startsWith(`${base}-`));
  return names.map((name) => path.join(dir, name));
}

/** Returns the files with private keys that the URL of a database names. */
function keysIn(url: string | undefined): string[] {
  return url !== undefined && URL.canParse(url) ? new URL(url).searchParams.getAll('sslkey') : [];
}

function namesIn(directory: string): string[] {
  try {
    return fs.readdirSync(directory);
  } catch {
    return [];
  }
}
