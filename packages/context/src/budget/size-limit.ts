import { ToolError } from '@jinn/core/errors';
import { showPath } from '../targets/show-path.ts';
import { adviseOn, MB, megabytes, type SizedDirectory, type SizedFile } from './size-advice.ts';

const SHOWN = 10;

/** Adds up the sizes of files, and keeps the ten largest. */
export class SizeLimit {
  total = 0;
  readonly #limitMb: number;
  /** True when the caller has no way to raise the limit. */
  readonly #isFinal: boolean;
  /** Sorted by size, the largest first. */
  readonly #largest: SizedFile[] = [];
  /** Bytes directly in each directory, with a sample file, by the path that is shown. */
  readonly #directories = new Map<string, SizedDirectory>();
  /** The directory of the last file. */
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

  /** Makes the error for a run over the limit. */
  toError(): ToolError {
    const files = this.#largest.map(({ candidate, size }) => ` - ${showPath(candidate.path)} (${megabytes(size)} MB)`);
    const lines = [
      `Total content size exceeds limit of ${this.#limitMb}MB (it is ${this.#shownTotal}).`,
      '',
      'The largest files:',
      ...files,
    ];
    return new ToolError('resource_limit', lines.join('\n'), { suggestion: this.#advice });
  }

  /** The total in MB; in bytes if it would otherwise look the same as the limit. */
  get #shownTotal(): string {
    const shown = megabytes(this.total);
    return shown === megabytes(this.#limitMb * MB) ? `${this.total} bytes` : `${shown} MB`;
  }

  get #advice(): string {
    const directories = [...this.#directories.values()];
    const exclude = adviseOn({ largest: this.#largest, directories, excess: this.total - this.#limitMb * MB });
    const raise = this.#isFinal
      ? 'An answer has no more; ask for parts of it with targets.'
      : 'Or raise the limit: --size-limit-mb, JINNI_MAX_SIZE_MB, size_limit_mb.';
    return [...exclude, raise].join('\n');
  }
}
