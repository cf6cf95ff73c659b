import { ToolError } from '@jinn/core';

const MAX_SHOWN = 120;

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

const HEADER = /^\s*\*\*\* (Add File|Delete File|Update File|Move to): *(.*?)\s*$/;
const END_OF_FILE = /^\s*\*\*\* End of File\s*$/;
const UNIFIED = /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@ ?/;

/** Reads a patch (seeds/jinn-tool-reference, apply_patch). Throws `patch_invalid` that names the line at fault. */
export function parsePatch(patch: string): Section[] {
  return new PatchReader(patch).readAll();
}

class PatchReader {
  readonly #lines: readonly string[];
  /** The index of the line of the whole text where the patch begins. */
  readonly #offset: number;
  #next = 0;

  constructor(patch: string) {
    const lines = patch
      .replace(/^\ufeff/, '')
      .replace(/\r\n?/g, '\n')
      .split('\n');
    this.#offset = Math.max(
      0,
      lines.findIndex((line) => line.trim() !== ''),
    );
    const last = lines.findLastIndex((line) => line.trim() !== '');
    this.#lines = lines.slice(this.#offset, last + 1);
  }

  readAll(): Section[] {
    if (this.#lines.length < 2) throw this.#invalid('it is empty, or not a patch', 0);
    if (this.#lines[0]?.trim() !== '*** Begin Patch')
      throw this.#invalid("the first line must be '*** Begin Patch'", 0);
    const end = this.#lines.length - 1;
    if (this.#lines[end]?.trim() !== '*** End Patch') throw this.#invalid("the last line must be '*** End Patch'", end);
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

  /** True at the header of a section, and at the end of the patch. */
  get #isHeader(): boolean {
    return this.#next >= this.#lines.length - 1 || /^\s*\*\*\* /.test(this.#line);
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
        const at = blanks > 0 ? this.#next - blanks : this.#next;
        throw this.#invalid(`${this.#quote(at)} in an added file; every line of it starts with '+'`, at);
      } else lines.push(toBytes(this.#line.slice(1)));
    }
    return lines;
  }

  #readUpdate(path: string, at: number): Section {
    const moveTo = /^\s*\*\*\* Move to: *(.*?)\s*$/.exec(this.#line)?.[1];
    if (moveTo === '') throw this.#invalid('the path is missing', this.#next);
    if (moveTo !== undefined) this.#next++;
    const hunks: Hunk[] = [];
    while (!this.#isHeader || END_OF_FILE.test(this.#line)) {
      if (this.#line.trim() === '' && this.#restIsBlank()) break;
      hunks.push(this.#readHunk(hunks.length === 0));
    }
    if (hunks.length === 0 && moveTo === undefined) throw this.#invalid(`the update of ${path} has no hunk`, at);
    return { kind: 'update', path, ...(moveTo !== undefined && { moveTo }), hunks };
  }

  /** True when only blank lines are left before the next section. */
  #restIsBlank(): boolean {
    const rest = this.#lines.slice(this.#next, -1).find((line) => line.trim() !== '');
    return rest === undefined || (/^\s*\*\*\* /.test(rest) && !END_OF_FILE.test(rest));
  }

  #readHunk(isFirst: boolean): Hunk {
    const at = this.#next;
    const anchors: string[] = [];
    for (; this.#line.startsWith('@@'); this.#next++) {
      const anchor = this.#line.replace(UNIFIED, '@@ ').slice(2).trim();
      if (anchor !== '') anchors.push(toBytes(anchor));
    }
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
