import { ToolError } from '@jinn/errors';
import type { PlannedFile } from '../budget/planned-file.ts';
import type { Section } from '../document/formats.ts';
import { showPath } from '../targets/show-path.ts';
import { findSecrets } from './secrets.ts';

/** The treatment of a file that seems to hold a secret. */
export type SecretMode = 'warn' | 'omit' | 'fail';

/** The line at which the diff of the next file begins. */
const DIFF_OF_FILE = /^(?=diff --git )/m;
const TAKES_IN = '--secrets=warn takes it in';

interface SecretOptions {
  readonly mode: SecretMode;
  readonly warn: (sentence: string) => void;
}

interface FoundSecret {
  readonly line: number;
  readonly what: string;
}

/** Looks for secrets in the files that are read, and warns of those that are written. */
export class SecretWatch {
  readonly #options: SecretOptions;
  /** The secrets by the path of the file. */
  readonly #found = new Map<string, readonly FoundSecret[]>();
  /** How many files and sections with secrets are written. */
  #written = 0;

  constructor(options: SecretOptions) {
    this.#options = options;
  }

  /** Passes on the text of a file, chunk by chunk. */
  *watch(path: string, chunks: Iterable<Buffer>): Iterable<Buffer> {
    const found: FoundSecret[] = [];
    let next = 1;
    for (const chunk of chunks) {
      next = findSecrets(chunk, next, (line, what) => void found.push({ line, what }));
      yield chunk;
    }
    if (found.length > 0) this.#found.set(path, found);
  }

  /** Reports whether a file that was read must be left out; if so, it warns of that. */
  mustOmit(path: string): boolean {
    const found = this.#found.get(path);
    if (this.#options.mode !== 'omit' || !found) return false;
    this.#warnOfOmission(showPath(path), found);
    return true;
  }

  /**
   * Returns a section without its secrets, if they must be left out. A diff loses the files that have some; another
   * section loses the lines. Returns undefined if nothing remains.
   */
  withoutSecrets(section: Section): Section | undefined {
    if (this.#options.mode !== 'omit') return section;
    const parts = section.text.split(section.language === 'diff' ? DIFF_OF_FILE : /(?<=\n)/);
    const clean = parts.filter((part) => !this.#hasSecret(part, section.title));
    if (clean.length === parts.length) return section;
    return clean.length === 0 ? undefined : { ...section, text: clean.join('').trimEnd() };
  }

  #hasSecret(part: string, title: string): boolean {
    const found: FoundSecret[] = [];
    findSecrets(Buffer.from(part), 1, (line, what) => void found.push({ line, what }));
    const [, file] = /^diff --git a\/.* b\/(.*)$/m.exec(part) ?? [];
    if (found.length > 0) this.#warnOfOmission(file === undefined ? title : `the ${title} of ${showPath(file)}`, found);
    return found.length > 0;
  }

  /** Warns of the secrets of a file that was read, as far as they are in the form in which it is written. */
  warnOf({ path, instead }: Pick<PlannedFile, 'path' | 'instead'>): void {
    const found = this.#found.get(path);
    const written = found && (instead ? found.filter(this.#isIn(instead.bytes)) : found);
    if (!written || written.length === 0) return;
    this.#written++;
    for (const secret of written) this.#warn(showPath(path), secret);
  }

  /** Warns of secrets in removed lines of a diff, which are in no file; with `all`, also of those in other lines. */
  warnOfSection({ title, text }: Section, { all = false } = {}): void {
    const lines = Buffer.from(all ? text : text.replace(/^[^-\n].*$/gm, ''));
    findSecrets(lines, 1, (line, what) => {
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
   * Returns a function that reports whether a secret is in these bytes. The lines of an outline or a piece differ from
   * those of the file, so secrets of the same kind count as the same.
   */
  #isIn(bytes: Buffer): (secret: FoundSecret) => boolean {
    const kinds = new Set<string>();
    findSecrets(bytes, 1, (_, what) => void kinds.add(what));
    return ({ what }) => kinds.has(what);
  }

  #warn(name: string, { line, what }: FoundSecret): void {
    this.#options.warn(`${name}: line ${line} looks like ${what}`);
  }

  #warnOfOmission(name: string, [first, ...others]: readonly FoundSecret[]): void {
    if (!first) return;
    const more = others.length === 0 ? '' : `, and ${others.length} more like secrets`;
    this.#options.warn(`${name} was left out: line ${first.line} looks like ${first.what}${more}; ${TAKES_IN}`);
  }
}
