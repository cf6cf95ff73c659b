import { ToolError } from '@jinn/core/errors';
import { toLatin1 } from '../read/text-content.ts';

const MAX_SHOWN = 120;
/** The header of a hunk with the numbers of its first line and of its lines, before and after. */
export const NUMBERED = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@ ?/;
const FENCE = /^\s*(?:```|~~~)/;
/** The command by which a patch is written in a shell. */
const HERE_DOCUMENT = /^\s*(?:apply_patch\s*)?<<-?\s*(["']?)(\w+)\1\s*$/;
const CORRECT = 'correct the patch and send it again (nothing was changed)';

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
  /** The line of the patch where it starts, from 1. */
  readonly at: number;
  /** The line of the file where its numbers say that it starts, from 0. */
  readonly near?: number;
  /** True if the file ends after it without a line ending. Undefined if it ends as before. */
  readonly isOpen?: boolean;
}

export type Section =
  | {
      readonly kind: 'add';
      readonly path: string;
      readonly lines: readonly string[];
      readonly isOpen?: boolean;
      readonly isExecutable?: boolean | undefined;
    }
  /** With hunks, these must remove all that the file holds. */
  | { readonly kind: 'delete'; readonly path: string; readonly hunks?: readonly Hunk[] }
  | {
      readonly kind: 'update';
      readonly path: string;
      readonly moveTo?: string;
      readonly hunks: readonly Hunk[];
      /** The mode that the file gets. Undefined keeps it. */
      readonly isExecutable?: boolean | undefined;
    };

/** The lines of a patch, without blank lines around them, the fence of Markdown, and the command of a shell. */
export class PatchText {
  readonly lines: readonly string[];
  /** The index of the first of these lines in the whole text. */
  readonly #offset: number;

  constructor(patch: string) {
    const text = patch.replace(/^\ufeff/, '');
    // A lone CR within a line belongs to the text of that line.
    const lines = text.includes('\n') ? text.split(/\r?\n/) : text.split('\r');
    const isText = (line: string) => line.trim() !== '';
    let [start, end] = [0, lines.length];
    for (let isWrapped = true; isWrapped; ) {
      end = lines.slice(0, end).findLastIndex(isText) + 1;
      while (start < end && !isText(lines[start] ?? '')) start++;
      const first = lines[start] ?? '';
      const tag = HERE_DOCUMENT.exec(first)?.[2];
      isWrapped = end - start > 1 && (tag !== undefined || FENCE.test(first));
      if (!isWrapped) break;
      start++;
      const last = (lines[end - 1] ?? '').trim();
      if (tag === undefined ? /^(?:```|~~~)$/.test(last) : last === tag) end--;
    }
    this.#offset = start;
    this.lines = lines.slice(start, end);
  }

  toHunk(
    body: HunkBody,
    // The numbers of `header` count if it has any.
    head: { anchors: readonly string[]; header: string; at: number; endOfFile?: boolean },
  ): Hunk {
    const { anchors, header, at, endOfFile = false } = head;
    if (body.lines.length === 0) throw this.invalid('the hunk does not contain any lines', at);
    const [, start, old = '1'] = NUMBERED.exec(header) ?? [];
    // A range without lines is named by the line before it.
    const near = start === undefined ? undefined : Math.max(0, Number(start) - (old === '0' ? 0 : 1));
    return {
      anchors: anchors.map(toLatin1),
      lines: body.lines,
      endOfFile,
      at: this.#offset + at + 1,
      ...(near !== undefined && (body.old > 0 || old === '0') && { near }),
      ...(body.isOpen !== undefined && { isOpen: body.isOpen }),
    };
  }

  quote(at: number): string {
    return JSON.stringify((this.lines[at] ?? '').slice(0, MAX_SHOWN));
  }

  notInHunk(at: number): ToolError {
    const what = `${this.quote(at)} in a hunk: its lines start with ' ', '-' or '+'`;
    return this.invalid(what, at, `put a blank before each line that stays, and send the patch again`);
  }

  invalid(what: string, at: number, suggestion = CORRECT): ToolError {
    return new ToolError('patch_invalid', `parse patch: line ${this.#offset + at + 1}: ${what}`, { suggestion });
  }
}

export class HunkBody {
  readonly lines: HunkLine[] = [];
  /** How many of them the file has before the change, and after it. */
  old = 0;
  now = 0;
  isOpen: boolean | undefined;

  take(line: string): boolean {
    const sign = line === '' ? ' ' : line[0];
    if (sign === '\\') {
      // "\ No newline at end of file" is said of the line before.
      this.isOpen = (this.isOpen ?? false) || this.lines.at(-1)?.sign !== '-';
      return true;
    }
    if (sign !== ' ' && sign !== '-' && sign !== '+') return false;
    this.lines.push({ sign, text: toLatin1(line.slice(1)) });
    if (sign !== '+') this.old++;
    if (sign !== '-') this.now++;
    return true;
  }
}
