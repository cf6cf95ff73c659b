import { ToolError } from '@jinn/errors';
import type { PlannedFile } from '../budget/planned-file.ts';
import type { Section } from '../document/formats.ts';
import { showPath } from '../targets/show-path.ts';
import type { findSecrets } from './secrets.ts';

/** What happens to a file with what looks like a secret. */
export type SecretMode = 'warn' | 'omit' | 'fail';

interface SecretOptions {
  readonly mode: SecretMode;
  readonly find: typeof findSecrets;
  readonly warn: (sentence: string) => void;
}

interface FoundSecret {
  readonly line: number;
  readonly what: string;
}

/** Looks for secrets in the files that are read, and warns of those that are written. */
export class SecretWatch {
  readonly #options: SecretOptions;
  /** By the path of the file. */
  readonly #found = new Map<string, readonly FoundSecret[]>();
  /** How many files and sections with secrets are written. */
  #written = 0;

  constructor(options: SecretOptions) {
    this.#options = options;
  }

  /** Passes on the text of a file, chunk by chunk. */
  *see(path: string, chunks: Iterable<Buffer>): Iterable<Buffer> {
    const found: FoundSecret[] = [];
    let next = 1;
    for (const chunk of chunks) {
      next = this.#options.find(chunk, next, (line, what) => void found.push({ line, what }));
      yield chunk;
    }
    if (found.length > 0) this.#found.set(path, found);
  }

  /** Says whether a file that was seen must be left out, and warns of its secrets if so. */
  mustOmit(path: string): boolean {
    if (this.#options.mode !== 'omit') return false;
    const found = this.#found.get(path) ?? [];
    for (const secret of found) this.#warn(showPath(path), secret, ', left out');
    return found.length > 0;
  }

  /** Warns of the secrets of a file that was seen, as far as they are in the form in which it is written. */
  warnOf({ path, instead }: Pick<PlannedFile, 'path' | 'instead'>): void {
    const found = this.#found.get(path);
    const written = found && (instead ? found.filter(this.#isIn(instead.bytes)) : found);
    if (!written || written.length === 0) return;
    this.#written++;
    for (const secret of written) this.#warn(showPath(path), secret);
  }

  /** Warns of secrets in removed lines of a diff, which are in no file. */
  warnOfRemoved({ title, text }: Section): void {
    const removed = Buffer.from(text.replace(/^[^-\n].*$/gm, ''));
    this.#options.find(removed, 1, (line, what) => {
      this.#written++;
      this.#warn(title, { line, what });
    });
  }

  /** Throws ToolError if secrets would be written and the run must fail then. */
  check(): void {
    if (this.#options.mode !== 'fail' || this.#written === 0) return;
    const hold = this.#written === 1 ? 'a file holds' : `${this.#written} files hold`;
    throw new ToolError('permission_denied', `${hold} what looks like a secret; nothing was written`, {
      suggestion: 'leave these files out, or choose --secrets=omit or --secrets=warn',
    });
  }

  /**
   * Returns a function that tells whether a secret is in these bytes. The lines of an outline or a piece are not those
   * of the file: secrets of the same kind count as the same.
   */
  #isIn(bytes: Buffer): (secret: FoundSecret) => boolean {
    const kinds = new Set<string>();
    this.#options.find(bytes, 1, (_, what) => void kinds.add(what));
    return ({ what }) => kinds.has(what);
  }

  #warn(name: string, { line, what }: FoundSecret, end = ''): void {
    this.#options.warn(`${name}: line ${line} looks like ${what}${end}`);
  }
}
