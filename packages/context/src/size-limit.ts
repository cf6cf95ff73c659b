import { ToolError } from '@jinn/core';
import { showPath } from './show-path.ts';

const MB = 1024 * 1024;
const SHOWN = 10;

interface Sized {
  readonly path: string;
  readonly size: number;
}

/** Adds up what would be dumped, and keeps the ten largest files. */
export class SizeLimit {
  total = 0;
  readonly #limitMb: number;
  /** The largest first. */
  readonly #largest: Sized[] = [];

  constructor(limitMb: number) {
    this.#limitMb = limitMb;
  }

  get isExceeded(): boolean {
    return this.total > this.#limitMb * MB;
  }

  add(path: string, size: number): void {
    this.total += size;
    if (this.#largest.length === SHOWN && size <= (this.#largest.at(-1)?.size ?? 0)) return;
    const at = this.#largest.findIndex((other) => other.size < size);
    this.#largest.splice(at < 0 ? this.#largest.length : at, 0, { path, size });
    if (this.#largest.length > SHOWN) this.#largest.pop();
  }

  /** The error that ends a run over the limit (seeds/jinni-design, 2). */
  toError(): ToolError {
    const files = this.#largest.map(({ path, size }) => ` - ${showPath(path)} (${megabytes(size)} MB)`);
    const lines = [
      `Total content size exceeds limit of ${this.#limitMb}MB (it is ${megabytes(this.total)} MB).`,
      '',
      'The largest files:',
      ...files,
    ];
    return new ToolError('resource_limit', lines.join('\n'), { suggestion: this.#advice() });
  }

  /** Names the fewest of the largest files that bring the rest below the limit. */
  #advice(): string {
    const rules: string[] = [];
    let rest = this.total;
    for (const { path, size } of this.#largest) {
      if (rest <= this.#limitMb * MB) break;
      rest -= size;
      rules.push(`  !/${path.replace(/[\\*?[\]]/g, '\\$&')}`);
    }
    const exclude =
      rest <= this.#limitMb * MB
        ? ['To stay below the limit, put these lines into .contextfiles:', ...rules]
        : [
            'Leave out what you do not need: in .contextfiles, a line such as `!data/` for each directory,',
            'or with --not, --not-in, --not-files, --keep-only.',
          ];
    return [...exclude, 'Or raise the limit: --size-limit-mb, JINNI_MAX_SIZE_MB, size_limit_mb.'].join('\n');
  }
}

function megabytes(bytes: number): string {
  return (bytes / MB).toFixed(2);
}
