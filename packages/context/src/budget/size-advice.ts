import type { Candidate } from '../targets/candidate.ts';
import { showPath } from '../targets/show-path.ts';

export const MB = 1024 * 1024;
const SHOWN = 10;
const CONTROLS = /\p{Cc}/gu;

/** A file with its size in bytes. */
export interface SizedFile {
  readonly candidate: Pick<Candidate, 'path' | 'ruled'>;
  readonly size: number;
}

/** Bytes directly in a directory, with a sample file. */
export interface SizedDirectory {
  readonly candidate: SizedFile['candidate'];
  size: number;
}

interface TooMuch {
  /** Sorted by size, the largest first. */
  readonly largest: readonly SizedFile[];
  readonly directories: readonly SizedDirectory[];
  /** Bytes beyond the limit. */
  readonly excess: number;
}

/** Advises what to leave out: as few of the largest files as possible, or directories if files are not enough. */
export function adviseOn({ largest, directories, excess }: TooMuch): string[] {
  const files = fewest(largest, excess);
  return files ? adviseFiles(files) : adviseDirectories(sumUp(directories), excess);
}

/** Returns the first items that are together at least as large as `size`; undefined if all together are smaller. */
function fewest<T extends { readonly size: number }>(sorted: readonly T[], size: number): readonly T[] | undefined {
  let sum = 0;
  const last = sorted.findIndex((item) => {
    sum += item.size;
    return sum >= size;
  });
  return last < 0 ? undefined : sorted.slice(0, last + 1);
}

function adviseFiles(files: readonly SizedFile[]): string[] {
  const rules = new Map<string, string[]>();
  const named: string[] = [];
  for (const { path, ruled } of files.map(({ candidate }) => candidate)) {
    if (!ruled) named.push(`  ${showPath(path)}`);
    else rules.set(ruled.file, [...(rules.get(ruled.file) ?? []), `  !/${toPattern(ruled.path)}`]);
  }
  return [
    ...[...rules].flatMap(([file, lines]) => [
      `To stay below the limit, put these lines into ${showPath(file)}:`,
      ...lines,
    ]),
    ...(named.length > 0 ? ['To stay below the limit, do not name these files:', ...named] : []),
  ];
}

interface RuledDirectory {
  readonly file: string;
  readonly pattern: string;
  readonly size: number;
}

function adviseDirectories(directories: readonly RuledDirectory[], excess: number): string[] {
  const largest = directories.toSorted((a, b) => b.size - a.size).slice(0, SHOWN);
  const lines = (fewest(largest, excess) ?? largest).map(({ pattern, size }) => `  ${pattern} (${megabytes(size)} MB)`);
  const file = showPath(largest[0]?.file ?? '.contextfiles');
  return [
    `Leave out what you do not need: in ${file}, a line such as \`!data/\` for each directory,`,
    'or with --not, --not-in, --not-files, --keep-only.',
    ...(lines.length > 0 ? ['The largest directories:', ...lines] : []),
  ];
}

/** Adds up the sizes of directories below the common one of all paths, with a rule that leaves out each. */
function sumUp(directories: readonly SizedDirectory[]): RuledDirectory[] {
  const ruled = directories.flatMap(({ candidate, size }) =>
    candidate.ruled ? [{ file: candidate.ruled.file, names: candidate.ruled.path.split('/').slice(0, -1), size }] : [],
  );
  const first = ruled[0]?.names ?? [];
  const shared = first.findIndex((name, i) => ruled.some(({ names }) => names[i] !== name));
  const depth = shared < 0 ? first.length : shared;
  const sums = new Map<string, RuledDirectory>();
  for (const { file, names, size } of ruled) {
    if (names.length === depth) continue;
    const pattern = `!/${toPattern(names.slice(0, depth + 1).join('/'))}/`;
    sums.set(pattern, { file, pattern, size: size + (sums.get(pattern)?.size ?? 0) });
  }
  return [...sums.values()];
}

/** Returns the pattern that matches a path, with `?` for each character that a rule cannot hold. */
function toPattern(path: string): string {
  const pattern = path.replace(/[\\*?[\]]/g, '\\$&').replace(/ $/, '\\ ');
  return pattern.replace(CONTROLS, '?');
}

export function megabytes(bytes: number): string {
  return (bytes / MB).toFixed(2);
}
