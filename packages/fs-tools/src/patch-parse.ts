import { ToolError } from '@jinn/core';

const MAX_SHOWN = 120;
const MAX_ANCHORS = 50;

/** One line of a hunk, its text as bytes (latin1) without a line ending. */
export interface HunkLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

export interface Hunk {
  /** Lines that stand before it in the file, outermost first. */
  readonly anchors: readonly string[];
  readonly lines: readonly HunkLine[];
  readonly endOfFile: boolean;
  /** The line of the patch where it begins, from 1. */
  readonly at: number;
}

export type Section =
  | { readonly kind: 'add'; readonly path: string; readonly lines: readonly string[] }
  | { readonly kind: 'delete'; readonly path: string }
  | { readonly kind: 'update'; readonly path: string; readonly moveTo?: string; readonly hunks: readonly Hunk[] };

export interface Patch {
  readonly sections: readonly Section[];
  /** The line ending of the patch itself. */
  readonly ending: '\n' | '\r\n';
}

const HEADER = /^\s*\*\*\* (Add File|Delete File|Update File|Move to): *(.*?)\s*$/;
const MOVE_TO = /^\*\*\* Move to: *(.*?)\s*$/;
const END_OF_FILE = /^\*\*\* End of File\s*$/;
const END_PATCH = /^\*\*\* End Patch\s*$/;
const UNIFIED = /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@ ?/;

/**
 * Reads a patch. The place of a line says what it is: inside a hunk, a line that begins with a blank, `-` or `+` belongs to
 * the file, whatever follows. Throws `patch_invalid`, which names the line at fault.
 */
export function parsePatch(patch: string): Patch {
  return { sections: new PatchReader(patch).readAll(), ending: /\r\n/.test(patch) ? '\r\n' : '\n' };
}

class PatchReader {
  readonly #lines: readonly string[];
  /** The index of the line of the whole text where the patch begins. */
  readonly #offset: number;
  #next = 0;

  constructor(patch: string) {
    const text = patch.replace(/^\ufeff/, '');
    // A lone CR within a line belongs to the text of that line.
    const lines = text.includes('\n') ? text.split(/\r?\n/) : text.split('\r');
    const first = lines.findIndex((line) => line.trim() !== '');
    this.#offset = Math.max(0, first);
    const last = lines.findLastIndex((line) => line.trim() !== '');
    this.#lines = lines.slice(this.#offset, last + 1);
  }

  readAll(): Section[] {
    if (this.#lines.length < 2) throw this.#invalid('it is empty, or not a patch', 0);
    if (this.#lines[0]?.trim() !== '*** Begin Patch')
      throw this.#invalid("the first line must be '*** Begin Patch'", 0);
    const end = this.#lines.length - 1;
    if (!END_PATCH.test(this.#lines[end] ?? '')) throw this.#invalid("the last line must be '*** End Patch'", end);
    const sections: Section[] = [];
    for (this.#next = 1; this.#next < end; ) {
      if (this.#line.trim() === '') this.#next++;
      else sections.push(this.#readSection());
    }
    if (sections.length === 0) throw this.#invalid('it contains no operations', 0);
    return sections;
  }

  get #line(): string {
    return this.#lines[this.#next] ?? '';
  }

  /** True at a line that ends a hunk or an added file, and at the end of the patch. */
  get #isHeader(): boolean {
    return this.#next >= this.#lines.length - 1 || this.#line.startsWith('*** ');
  }

  #readSection(): Section {
    const at = this.#next++;
    const [, kind, path = ''] = HEADER.exec(this.#lines[at] ?? '') ?? [];
    if (kind === undefined || kind === 'Move to') {
      const valid = "'*** Add File: path', '*** Delete File: path', '*** Update File: path'";
      throw this.#invalid(`${this.#quote(at)} is not a valid header; valid headers: ${valid}`, at);
    }
    if (path === '') throw this.#invalid('the path is missing', at);
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
        throw this.#invalid(`${this.#quote(at)} in an added file; every line of it starts with '+'`, at);
      } else lines.push(toBytes(this.#line.slice(1)));
    }
    return lines;
  }

  #readUpdate(path: string, at: number): Section {
    const moveTo = MOVE_TO.exec(this.#line)?.[1];
    if (moveTo === '') throw this.#invalid('the path is missing', this.#next);
    if (moveTo !== undefined) this.#next++;
    const hunks: Hunk[] = [];
    let blanks = this.#blanksBeforeHeader();
    while (blanks === undefined) {
      hunks.push(this.#readHunk(hunks.length === 0));
      blanks = this.#blanksBeforeHeader();
    }
    this.#next += blanks;
    if (hunks.length === 0 && moveTo === undefined) throw this.#invalid(`the update of ${path} has no hunk`, at);
    return { kind: 'update', path, ...(moveTo !== undefined && { moveTo }), hunks };
  }

  /** How many blank lines stand before the header of the next section; undefined if something else stands there. */
  #blanksBeforeHeader(): number | undefined {
    let at = this.#next;
    while (at < this.#lines.length - 1 && this.#lines[at]?.trim() === '') at++;
    const line = this.#lines[at] ?? '';
    return line.startsWith('*** ') && !END_OF_FILE.test(line) ? at - this.#next : undefined;
  }

  #readHunk(isFirst: boolean): Hunk {
    const at = this.#next;
    const anchors: string[] = [];
    for (; this.#line.startsWith('@@'); this.#next++) {
      const anchor = this.#line.replace(UNIFIED, '@@ ').slice(2).trim();
      if (anchor !== '') anchors.push(toBytes(anchor));
    }
    if (anchors.length > MAX_ANCHORS) throw this.#invalid(`more than ${MAX_ANCHORS} '@@' lines before one hunk`, at);
    if (at === this.#next && !isFirst) throw this.#invalid(`expected '@@' before ${this.#quote(at)}`, at);
    const lines: HunkLine[] = [];
    for (; !this.#isHeader && !this.#line.startsWith('@@'); this.#next++) lines.push(this.#readHunkLine());
    const endOfFile = END_OF_FILE.test(this.#line);
    if (endOfFile) this.#next++;
    if (lines.length === 0) throw this.#invalid('the hunk does not contain any lines', at);
    return { anchors, lines, endOfFile, at: this.#offset + at + 1 };
  }

  #readHunkLine(): HunkLine {
    const sign = this.#line === '' ? ' ' : this.#line[0];
    if (sign === ' ' || sign === '-' || sign === '+') return { sign, text: toBytes(this.#line.slice(1)) };
    throw this.#invalid(`${this.#quote(this.#next)} in a hunk; its lines start with ' ', '-' or '+'`, this.#next);
  }

  #quote(at: number): string {
    return JSON.stringify((this.#lines[at] ?? '').slice(0, MAX_SHOWN));
  }

  #invalid(what: string, at: number): ToolError {
    return new ToolError('patch_invalid', `parse patch: line ${this.#offset + at + 1}: ${what}`, {
      suggestion: 'correct the patch and send it again; nothing was changed',
    });
  }
}

function toBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}
