import fs from 'node:fs';
import path from 'node:path';
import { isWithin, realPathOf } from '@jinn/workspace';
import { olderOf } from './audit/operator-log.ts';
import type { TeamSettings } from './people/team-settings.ts';

interface OwnFiles {
  readonly isHttp: boolean;
  readonly tokenFile: string | undefined;
  readonly team: string | undefined;
  readonly approvalKeyFile: string | undefined;
  readonly logFile: string | undefined;
  readonly database: TeamSettings['database'];
  readonly passwordFile: string | undefined;
}

/** Returns the paths that only the server may use, and directories that hold only such files. Throws over HTTP for one in a root. */
export function ownFilesOf(
  { isHttp, tokenFile, team, approvalKeyFile, logFile, database, passwordFile }: OwnFiles,
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
    const root = roots.find((one) => isWithin(realPathOf(file), one));
    if (!isHttp || root === undefined) continue;
    throw new Error(`${source}: ${file} is in ${root}, where tools and commands work. Keep it outside`);
  }
  const rotated = logFile ? rotatedOf(realPathOf(path.resolve(logFile))) : [];
  // A file whose name starts like a log may belong to the project that it is in.
  const outside = rotated.filter((file) => !roots.some((root) => isWithin(file, root)));
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

function rotatedOf(logFile: string): string[] {
  const { dir, base } = path.parse(logFile);
  const names = namesIn(dir).filter((name) => name.startsWith(`${base}.`) || name.startsWith(`${base}-`));
  return names.map((name) => path.join(dir, name));
}

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
