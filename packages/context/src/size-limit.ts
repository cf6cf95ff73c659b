import { ToolError } from '@jinn/core';
import type { Candidate } from './collect.ts';
import { showPath } from './show-path.ts';

const MB = 1024 * 1024;
const SHOWN = 10;
const CONTROLS = /\p{Cc}/gu;

interface Sized {
  readonly candidate: Pick<Candidate, 'path' | 'ruled'>;
  readonly size: number;
}

/** Adds up what would be dumped, and keeps the ten largest files. */
export class SizeLimit {
  total = 0;
  readonly #limitMb: number;
  /** Nothing raises it. */
  readonly #isFinal: boolean;
  /** The largest first. */
  readonly #largest: Sized[] = [];
  /** What directories hold themselves, in bytes, each with one of its files; by their shown paths. */
  readonly #directories = new Map<string, DirectorySize>();

  constructor(limitMb: number, isFinal = false) {
    this.#limitMb = limitMb;
    this.#isFinal = isFinal;
  }

  get isExceeded(): boolean {
    return this.total > this.#limitMb * MB;
  }

  add(candidate: Sized['candidate'], size: number): void {
    this.total += size;
    this.#addToDirectory(candidate, size);
    if (this.#largest.length === SHOWN && size <= (this.#largest.at(-1)?.size ?? 0)) return;
    const at = this.#largest.findIndex((other) => other.size < size);
    this.#largest.splice(at < 0 ? this.#largest.length : at, 0, { candidate, size });
    if (this.#largest.length > SHOWN) this.#largest.pop();
  }

  #addToDirectory(candidate: Sized['candidate'], size: number): void {
    const directory = candidate.path.slice(0, candidate.path.lastIndexOf('/') + 1);
    const known = this.#directories.get(directory);
    if (known) known.size += size;
    else this.#directories.set(directory, { candidate, size });
  }

  /** The error that ends a run over the limit (seeds/jinni-design, 2). */
  toError(): ToolError {
    const files = this.#largest.map(({ candidate, size }) => ` - ${showPath(candidate.path)} (${megabytes(size)} MB)`);
    const lines = [
      `Total content size exceeds limit of ${this.#limitMb}MB (it is ${this.#shownTotal}).`,
      '',
      'The largest files:',
      ...files,
    ];
    return new ToolError('resource_limit', lines.join('\n'), { suggestion: this.#advice() });
  }

  /** In bytes where the limit is exceeded by so little that it would not show. */
  get #shownTotal(): string {
    const shown = megabytes(this.total);
    return shown === megabytes(this.#limitMb * MB) ? `${this.total} bytes` : `${shown} MB`;
  }

  /** Names the fewest of the largest files that bring the rest below the limit. */
  #advice(): string {
    const chosen: Sized[] = [];
    let rest = this.total;
    for (const file of this.#largest) {
      if (rest <= this.#limitMb * MB) break;
      rest -= file.size;
      chosen.push(file);
    }
    const exclude = rest <= this.#limitMb * MB ? adviseFor(chosen) : this.#adviseDirectories();
    const raise = this.#isFinal
      ? 'An answer has no more; ask for parts of it with targets.'
      : 'Or raise the limit: --size-limit-mb, JINNI_MAX_SIZE_MB, size_limit_mb.';
    return [...exclude, raise].join('\n');
  }

  /** Names the fewest directories that bring the rest below the limit, or the largest ones. */
  #adviseDirectories(): string[] {
    const lines: string[] = [];
    let rest = this.total;
    const largest = sumUp([...this.#directories.values()]).sort((a, b) => b.size - a.size);
    for (const { pattern, size } of largest.slice(0, SHOWN)) {
      if (rest <= this.#limitMb * MB) break;
      rest -= size;
      lines.push(`  ${pattern} (${megabytes(size)} MB)`);
    }
    return [
      `Leave out what you do not need: in ${showPath(largest[0]?.file ?? '.contextfiles')}, a line such as \`!data/\` for each directory,`,
      'or with --not, --not-in, --not-files, --keep-only.',
      ...(lines.length > 0 ? ['The largest directories:', ...lines] : []),
    ];
  }
}

/** The directories side by side where their paths part, with all that lies in them, and the rules that leave them out. */
function sumUp(directories: readonly DirectorySize[]) {
  const places = directories.flatMap(({ candidate: { ruled }, size }) =>
    ruled ? [{ file: ruled.file, names: ruled.path.split('/').slice(0, -1), size }] : [],
  );
  const shared = places.reduce((depth, { names }) => {
    const parting = names.findIndex((name, i) => name !== places[0]?.names[i]);
    return Math.min(depth, parting < 0 ? names.length : parting);
  }, places[0]?.names.length ?? 0);
  const sums = new Map<string, { readonly file: string; readonly pattern: string; size: number }>();
  for (const { file, names, size } of places) {
    if (names.length === shared) continue;
    const pattern = `!/${names
      .slice(0, shared + 1)
      .map(toPattern)
      .join('/')}/`;
    const sum = sums.get(pattern) ?? { file, pattern, size: 0 };
    sums.set(pattern, { ...sum, size: sum.size + size });
  }
  return [...sums.values()];
}

interface DirectorySize {
  readonly candidate: Sized['candidate'];
  size: number;
}

function adviseFor(chosen: readonly Sized[]): string[] {
  const rules = new Map<string, string[]>();
  const named: string[] = [];
  for (const { path, ruled } of chosen.map(({ candidate }) => candidate)) {
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

/** What a rule cannot hold, it can have any character in place of. */
function toPattern(path: string): string {
  const pattern = path.replace(/[\\*?[\]]/g, '\\$&').replace(/ $/, '\\ ');
  return pattern.replace(CONTROLS, '?');
}

function megabytes(bytes: number): string {
  return (bytes / MB).toFixed(2);
}
