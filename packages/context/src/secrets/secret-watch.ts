import { ToolError } from '@jinn/core/errors';
import { PRIVATE_KEY } from '@jinn/workspace/secrets/content';
import type { PlannedFile } from '../budget/planned-file.ts';
import type { DocumentSection } from '../document/formats.ts';
import { escapePath } from '../targets/escape-path.ts';
import { findSecrets } from './secrets.ts';

export type SecretMode = 'warn' | 'omit' | 'fail';

const KEY_END = /-----END [A-Z ]{0,40}PRIVATE KEY/;
/** A line of a private key, perhaps in quotes or a comment, or of the headers above it. */
const KEY_LINE = /^\W*(?:[\w+/=]+|[\w-]+: .*)?(?:\\[nr]|\W)*$/;

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
  readonly #found = new Map<string, readonly FoundSecret[]>();
  #written = 0;

  constructor(options: SecretOptions) {
    this.#options = options;
  }

  /** Passes on the text of a file that is read first, and searches it, unless `cut` does that. */
  watch(path: string, chunks: Iterable<Buffer>): Iterable<Buffer> {
    return this.#options.mode === 'omit' ? chunks : this.#search(path, chunks);
  }

  /** Passes on the text of a file, in which a note replaces each line with a secret if these lines must be omitted. */
  cut(path: string, chunks: Iterable<Buffer>): Iterable<Buffer> {
    return this.#options.mode === 'omit' ? this.#search(path, chunks) : chunks;
  }

  *#search(path: string, chunks: Iterable<Buffer>): Iterable<Buffer> {
    const cutter = new LineCutter();
    const cuts = this.#options.mode === 'omit';
    for (const chunk of chunks) {
      const cut = cutter.next(chunk);
      yield cuts ? cut : chunk;
    }
    if (cutter.found.length > 0) this.#found.set(path, cutter.found);
  }

  /** Returns a section in which a note replaces each line with a secret, if these lines must be omitted. */
  withoutSecrets(section: DocumentSection): DocumentSection {
    if (this.#options.mode !== 'omit') return section;
    const cutter = new LineCutter();
    const text = cutter.next(Buffer.from(section.text)).toString();
    if (cutter.found.length > 0) this.#warnOfOmission(section.title, cutter.found);
    return { ...section, text };
  }

  /** Warns of the secrets of a file that was read, as far as they are in the form in which it is written. */
  warnOf({ path, instead }: Pick<PlannedFile, 'path' | 'instead'>): void {
    const found = this.#found.get(path);
    const written = found && (instead ? found.filter(this.#isIn(instead.bytes)) : found);
    if (!written || written.length === 0) return;
    this.#written++;
    if (this.#options.mode === 'omit') this.#warnOfOmission(escapePath(path), written);
    else for (const secret of written) this.#warn(escapePath(path), secret);
  }

  /** Warns of secrets in removed lines of a diff, which are in no file. With `all`, also of those in other lines. */
  warnOfSection({ title, text }: DocumentSection, { all = false } = {}): void {
    const lines = Buffer.from(all ? text : text.replace(/^[^-\n].*$/gm, ''));
    findSecrets(lines, 1, (line, what) => {
      this.#written++;
      this.#warn(title, { line, what });
    });
  }

  check(): void {
    if (this.#options.mode !== 'fail' || this.#written === 0) return;
    const hold = this.#written === 1 ? 'a file holds' : `${this.#written} files hold`;
    throw new ToolError('permission_denied', `${hold} what looks like a secret (nothing was written)`, {
      suggestion: 'leave these files out, or choose --secrets=omit or --secrets=warn',
    });
  }

  /** The lines of an outline or a piece differ from those of the file, so secrets of one kind count as the same. */
  #isIn(bytes: Buffer): (secret: FoundSecret) => boolean {
    if (this.#options.mode === 'omit') return ({ what }) => bytes.includes(noteOf(what));
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
    const keeps = `--secrets=warn keeps ${others.length === 0 ? 'it' : 'them'}`;
    this.#options.warn(`${name}: line ${first.line} was omitted: it looks like ${first.what}${more}; ${keeps}`);
  }
}

function noteOf(what: string): string {
  return `[line omitted: it looks like ${what}]`;
}

/** Replaces the lines of a text that have secrets. The text keeps its number of lines. */
class LineCutter {
  readonly found: FoundSecret[] = [];
  #next = 1;
  /** True in a private key. Its other lines become empty. */
  #isInKey = false;

  next(chunk: Buffer): Buffer {
    const first = this.#next;
    const notes = new Map<number, string>();
    this.#next = findSecrets(chunk, first, (line, what) => {
      this.found.push({ line, what });
      notes.set(line - first, what);
    });
    if (notes.size === 0 && !this.#isInKey) return chunk;
    const lines = chunk.toString('latin1').split('\n');
    return Buffer.from(lines.map((line, i) => this.#cutLine(line, notes.get(i))).join('\n'), 'latin1');
  }

  #cutLine(line: string, what: string | undefined): string {
    const isOfKey = this.#isInKey && (KEY_LINE.test(line) || KEY_END.test(line));
    this.#isInKey = (isOfKey || what === PRIVATE_KEY) && !KEY_END.test(line);
    const end = line.endsWith('\r') ? '\r' : '';
    if (what !== undefined) return noteOf(what) + end;
    return isOfKey ? end : line;
  }
}
