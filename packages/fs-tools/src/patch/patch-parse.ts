import { DiffReader, isDiff } from './patch-diff.ts';
import { type Hunk, HunkBody, NUMBERED, PatchText, type Section, toBytes } from './patch-text.ts';

const MAX_ANCHORS = 50;

export interface Patch {
  readonly sections: readonly Section[];
  /** The line ending of the patch itself. */
  readonly ending: '\n' | '\r\n';
}

const HEADER = /^\s*\*\*\* (Add File|Delete File|Update File|Move to): *(.*?)\s*$/;
const MOVE_TO = /^\*\*\* Move to: *(.*?)\s*$/;
const END_OF_FILE = /^\*\*\* End of File\s*$/;
const END_PATCH = /^\s*\*\*\* End Patch\s*$/;
const BEGIN_PATCH = /^\s*\*\*\* Begin Patch\s*$/;

/**
 * Reads a patch of either form, with or without what wraps it; `*** Begin Patch` may be missing. The place of a
 * line says what it is: inside a hunk, a line that begins with a blank, `-` or `+` belongs to the file, whatever
 * follows. Throws `patch_invalid`, which names the faulty line.
 */
export function parsePatch(patch: string): Patch {
  const text = new PatchText(patch);
  const reader = hasHeader(text) || !isDiff(text) ? new PatchReader(text) : new DiffReader(text);
  return { sections: reader.readAll(), ending: /\r\n/.test(patch) ? '\r\n' : '\n' };
}

/** Reports whether the first line, or the first one behind `*** Begin Patch`, is the header of a section. */
function hasHeader({ lines }: PatchText): boolean {
  return HEADER.test(lines.find((line) => line.trim() !== '' && !BEGIN_PATCH.test(line)) ?? '');
}

class PatchReader {
  readonly #text: PatchText;
  readonly #lines: readonly string[];
  /** The index behind the last section. */
  readonly #end: number;
  #next = 0;

  constructor(text: PatchText) {
    this.#text = text;
    this.#lines = text.lines;
    this.#end = text.lines.length - 1;
  }

  readAll(): Section[] {
    if (this.#lines.length === 0) throw this.#text.invalid('it is empty, or not a patch', 0);
    if (BEGIN_PATCH.test(this.#line)) this.#next++;
    else if (!hasHeader(this.#text)) {
      throw this.#text.invalid(
        "the first line must be '*** Begin Patch'",
        0,
        "send '*** Begin Patch' and then '*** Update File: path', or a unified diff with its --- and +++ lines",
      );
    }
    // Without its end a patch may have been cut off on its way.
    if (!END_PATCH.test(this.#lines[this.#end] ?? '')) {
      throw this.#text.invalid("the last line must be '*** End Patch'", this.#end, 'send the whole patch again');
    }
    const sections: Section[] = [];
    while (this.#next < this.#end) {
      if (this.#line.trim() === '') this.#next++;
      else sections.push(this.#readSection());
    }
    if (sections.length === 0) throw this.#text.invalid('it contains no operations', 0);
    return sections;
  }

  get #line(): string {
    return this.#lines[this.#next] ?? '';
  }

  /** True at a line that ends a hunk or an added file, and at the end of the patch. */
  get #isHeader(): boolean {
    return this.#next >= this.#end || this.#line.startsWith('*** ');
  }

  #readSection(): Section {
    const at = this.#next++;
    const [, kind, path = ''] = HEADER.exec(this.#lines[at] ?? '') ?? [];
    if (kind === undefined || kind === 'Move to') {
      const valid = "'*** Add File: path', '*** Delete File: path', '*** Update File: path'";
      throw this.#text.invalid(`${this.#text.quote(at)} is not a valid header; valid headers: ${valid}`, at);
    }
    if (path === '') throw this.#text.invalid('the path is missing', at);
    if (kind === 'Delete File') return { kind: 'delete', path };
    return kind === 'Add File' ? { kind: 'add', path, lines: this.#readAdded() } : this.#readUpdate(path, at);
  }

  #readAdded(): string[] {
    const lines: string[] = [];
    let blanks = 0;
    for (; !this.#isHeader; this.#next++) {
      if (this.#line.trim() === '') blanks++;
      else if (!this.#line.startsWith('+') || blanks > 0) {
        if (HEADER.test(this.#line)) break;
        const at = blanks > 0 ? this.#next - blanks : this.#next;
        throw this.#text.invalid(`${this.#text.quote(at)} in an added file; every line of it starts with '+'`, at);
      } else lines.push(toBytes(this.#line.slice(1)));
    }
    return lines;
  }

  #readUpdate(path: string, at: number): Section {
    const moveTo = MOVE_TO.exec(this.#line)?.[1];
    if (moveTo === '') throw this.#text.invalid('the path is missing', this.#next);
    if (moveTo !== undefined) this.#next++;
    const hunks: Hunk[] = [];
    let blanks = this.#blanksBeforeHeader();
    while (blanks === undefined) {
      hunks.push(this.#readHunk(hunks.length === 0));
      blanks = this.#blanksBeforeHeader();
    }
    this.#next += blanks;
    if (hunks.length === 0 && moveTo === undefined) throw this.#text.invalid(`the update of ${path} has no hunk`, at);
    return { kind: 'update', path, ...(moveTo !== undefined && { moveTo }), hunks };
  }

  /** Counts the blank lines before the header of the next section; returns undefined if something else stands there. */
  #blanksBeforeHeader(): number | undefined {
    let at = this.#next;
    while (at < this.#end && this.#lines[at]?.trim() === '') at++;
    const line = this.#lines[at] ?? '';
    if (at >= this.#end) return at - this.#next;
    return line.startsWith('*** ') && !END_OF_FILE.test(line) ? at - this.#next : undefined;
  }

  #readHunk(isFirst: boolean): Hunk {
    const at = this.#next;
    const anchors: string[] = [];
    for (; this.#line.startsWith('@@'); this.#next++) {
      const anchor = this.#line.replace(NUMBERED, '@@ ').slice(2).trim();
      if (anchor !== '') anchors.push(anchor);
    }
    if (anchors.length > MAX_ANCHORS)
      throw this.#text.invalid(`more than ${MAX_ANCHORS} '@@' lines before one hunk`, at);
    if (at === this.#next && !isFirst) throw this.#text.invalid(`expected '@@' before ${this.#text.quote(at)}`, at);
    const body = new HunkBody();
    for (; !this.#isHeader && !this.#line.startsWith('@@'); this.#next++) {
      if (!body.take(this.#line)) throw this.#text.notInHunk(this.#next);
    }
    const endOfFile = END_OF_FILE.test(this.#line);
    const header = this.#lines.slice(at, this.#next).find((line) => NUMBERED.test(line) && line.startsWith('@@')) ?? '';
    const hunk = this.#text.toHunk(body, { anchors, header, at, endOfFile });
    if (endOfFile) this.#next++;
    return hunk;
  }
}
