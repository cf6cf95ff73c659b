import { ToolError } from '@jinn/core/errors';
import type { Candidate } from '../targets/candidate.ts';
import { escapePath } from '../targets/escape-path.ts';

const DEFAULT_LIMIT_MB = 100;
const MB = 1024 * 1024;
const SHOWN = 10;
const CONTROLS = /\p{Cc}/gu;

/** Returns the limit in MB (of 1024 * 1024): from a flag or an argument, otherwise from `JINNI_MAX_SIZE_MB`, otherwise 100. */
export function chooseLimit(
  asked: number | undefined,
  variable: string | undefined,
  warn: (sentence: string) => void,
): number {
  if (asked !== undefined && asked > 0) return asked;
  if (variable === undefined || variable === '') return DEFAULT_LIMIT_MB;
  if (/^\s*\d+\s*$/.test(variable) && Number(variable) > 0) return Number(variable);
  warn(
    `JINNI_MAX_SIZE_MB is ${JSON.stringify(variable)} and not a number of megabytes. The limit is ${DEFAULT_LIMIT_MB}`,
  );
  return DEFAULT_LIMIT_MB;
}

/** Adds up the sizes of files, and keeps the ten largest. */
export class SizeLimit {
  total = 0;
  readonly #limitMb: number;
  readonly #isFinal: boolean;
  /** Sorted by size, the largest first. */
  readonly #largest: SizedFile[] = [];
  /** Bytes directly in each directory, with a sample file, by the path that is shown. */
  readonly #directories = new Map<string, SizedDirectory>();
  #last = '';
  #lastDirectory: SizedDirectory | undefined;

  constructor(limitMb: number, isFinal = false) {
    this.#limitMb = limitMb;
    this.#isFinal = isFinal;
  }

  get isExceeded(): boolean {
    return this.total > this.#limitMb * MB;
  }

  add(candidate: SizedFile['candidate'], size: number): void {
    this.total += size;
    this.#addToDirectory(candidate, size);
    if (this.#largest.length === SHOWN && size <= (this.#largest.at(-1)?.size ?? 0)) return;
    const at = this.#largest.findIndex((other) => other.size < size);
    this.#largest.splice(at < 0 ? this.#largest.length : at, 0, { candidate, size });
    if (this.#largest.length > SHOWN) this.#largest.pop();
  }

  #addToDirectory(candidate: SizedFile['candidate'], size: number): void {
    const { path } = candidate;
    const length = path.lastIndexOf('/') + 1;
    // Files come directory by directory.
    if (length !== this.#last.length || !path.startsWith(this.#last) || !this.#lastDirectory) {
      this.#last = path.slice(0, length);
      this.#lastDirectory = this.#directories.get(this.#last) ?? { candidate, size: 0 };
      this.#directories.set(this.#last, this.#lastDirectory);
    }
    this.#lastDirectory.size += size;
  }

  toError(): ToolError {
    const files = this.#largest.map(
      ({ candidate, size }) => ` - ${escapePath(candidate.path)} (${megabytes(size)} MB)`,
    );
    const lines = [
      `Total content size exceeds limit of ${this.#limitMb}MB (it is ${this.#shownTotal}).`,
      '',
      'The largest files:',
      ...files,
    ];
    return new ToolError('resource_limit', lines.join('\n'), { suggestion: this.#advice });
  }

  /** The total in MB. In bytes if it would otherwise look the same as the limit. */
  get #shownTotal(): string {
    const shown = megabytes(this.total);
    return shown === megabytes(this.#limitMb * MB) ? `${this.total} bytes` : `${shown} MB`;
  }

  get #advice(): string {
    const excess = this.total - this.#limitMb * MB;
    const files = fewest(this.#largest, excess);
    const exclude = files ? adviseFiles(files) : adviseDirectories(sumUp([...this.#directories.values()]), excess);
    const raise = this.#isFinal
      ? 'A result has no more. Ask for parts of it with targets.'
      : 'Or raise the limit: --size-limit-mb, JINNI_MAX_SIZE_MB, size_limit_mb.';
    return [...exclude, raise].join('\n');
  }
}

interface SizedFile {
  readonly candidate: Pick<Candidate, 'path' | 'ruled'>;
  readonly size: number;
}

interface SizedDirectory {
  readonly candidate: SizedFile['candidate'];
  size: number;
}

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
    if (!ruled) named.push(`  ${escapePath(path)}`);
    else rules.set(ruled.file, [...(rules.get(ruled.file) ?? []), `  !/${toPattern(ruled.path)}`]);
  }
  return [
    ...[...rules].flatMap(([file, lines]) => [
      `To stay below the limit, put these lines into ${escapePath(file)}:`,
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
  const file = escapePath(largest[0]?.file ?? '.contextfiles');
  return [
    `Leave out what you do not need: in ${file}, a line such as \`!data/\` for each directory,`,
    'or with --not, --not-in, --not-files, --keep-only.',
    ...(lines.length > 0 ? ['The largest directories:', ...lines] : []),
  ];
}

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

function megabytes(bytes: number): string {
  return (bytes / MB).toFixed(2);
}
