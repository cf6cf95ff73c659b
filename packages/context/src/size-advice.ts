import type { Candidate } from './collect.ts';
import { showPath } from './show-path.ts';

export const MB = 1024 * 1024;
const SHOWN = 10;
const CONTROLS = /\p{Cc}/gu;

/** A file, and its bytes. */
export interface Sized {
  readonly candidate: Pick<Candidate, 'path' | 'ruled'>;
  readonly size: number;
}

/** One of the files of a directory, and the bytes of all that lie directly in it. */
export interface SizedDirectory {
  readonly candidate: Sized['candidate'];
  size: number;
}

interface TooMuch {
  /** The largest first. */
  readonly largest: readonly Sized[];
  readonly directories: readonly SizedDirectory[];
  /** Bytes beyond the limit. */
  readonly excess: number;
}

/** What to leave out: the fewest of the largest files that are enough, or else directories. */
export function adviseOn({ largest, directories, excess }: TooMuch): string[] {
  const files = fewest(largest, excess);
  return files ? adviseFiles(files) : adviseDirectories(sumUp(directories), excess);
}

/** Of what is sorted by size the first that are as large together; undefined when not even all are. */
function fewest<T extends { readonly size: number }>(sorted: readonly T[], size: number): readonly T[] | undefined {
  let sum = 0;
  const last = sorted.findIndex((item) => {
    sum += item.size;
    return sum >= size;
  });
  return last < 0 ? undefined : sorted.slice(0, last + 1);
}

function adviseFiles(files: readonly Sized[]): string[] {
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

/** The directories side by side where their paths part, with all that lies in them, and the rules that leave them out. */
function sumUp(directories: readonly SizedDirectory[]): RuledDirectory[] {
  const places = directories.flatMap(({ candidate: { ruled }, size }) =>
    ruled ? [{ file: ruled.file, names: ruled.path.split('/').slice(0, -1), size }] : [],
  );
  const first = places[0]?.names ?? [];
  const shared = first.findIndex((name, i) => places.some(({ names }) => names[i] !== name));
  const depth = shared < 0 ? first.length : shared;
  const sums = new Map<string, RuledDirectory>();
  for (const { file, names, size } of places) {
    if (names.length === depth) continue;
    const pattern = `!/${toPattern(names.slice(0, depth + 1).join('/'))}/`;
    sums.set(pattern, { file, pattern, size: size + (sums.get(pattern)?.size ?? 0) });
  }
  return [...sums.values()];
}

/** What a rule cannot hold, it can have any character in place of. */
function toPattern(path: string): string {
  const pattern = path.replace(/[\\*?[\]]/g, '\\$&').replace(/ $/, '\\ ');
  return pattern.replace(CONTROLS, '?');
}

export function megabytes(bytes: number): string {
  return (bytes / MB).toFixed(2);
}
