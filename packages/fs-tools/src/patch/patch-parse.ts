import { unquoteName } from '@jinn/core/text/unquote-name';
import { toLatin1 } from '../read/text-content.ts';
import { type Hunk, HunkBody, NUMBERED, PatchText, type Section } from './patch-text.ts';

const MAX_ANCHORS = 50;

export interface Patch {
  readonly sections: readonly Section[];
  readonly ending: '\n' | '\r\n';
}

const HEADER = /^\s*\*\*\* (Add File|Delete File|Update File|Move to): *(.*?)\s*$/;
const MOVE_TO = /^\*\*\* Move to: *(.*?)\s*$/;
const END_OF_FILE = /^\*\*\* End of File\s*$/;
const END_PATCH = /^\s*\*\*\* End Patch\s*$/;
const BEGIN_PATCH = /^\s*\*\*\* Begin Patch\s*$/;

/**
 * Reads a patch of either form, with or without what wraps it. `*** Begin Patch` may be missing. The place of a
 * line says what it is: inside a hunk, a line that starts with a blank, `-` or `+` belongs to the file, no matter what
 * follows. Throws `patch_invalid`, which names the faulty line.
 */
export function parsePatch(patch: string): Patch {
  const text = new PatchText(patch);
  const reader = hasHeader(text) || !isDiff(text) ? new PatchReader(text) : new DiffReader(text);
  return { sections: reader.readAll(), ending: /\r\n/.test(patch) ? '\r\n' : '\n' };
}

function hasHeader({ lines }: PatchText): boolean {
  return HEADER.test(lines.find((line) => line.trim() !== '' && !BEGIN_PATCH.test(line)) ?? '');
}

class PatchReader {
  readonly #text: PatchText;
  readonly #lines: readonly string[];
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
      throw this.#text.invalid(`${this.#text.quote(at)} is not a valid header. Valid headers: ${valid}`, at);
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
        throw this.#text.invalid(`${this.#text.quote(at)} in an added file: each of its lines starts with '+'`, at);
      } else lines.push(toLatin1(this.#line.slice(1)));
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

  /** Counts the blank lines before the header of the next section. Returns undefined if something else is there. */
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

const NO_FILE = '/dev/null';
const GIT_HEADER = /^diff --git (.+)$/;
/** The lines of git about a file next to its names and hunks. */
const EXTENDED =
  /^(?:(new file|deleted file|old|new) mode|(rename from|rename to|copy from|copy to)|(?:dis)?similarity index|index) (.+)$/;
const BINARY = /^(?:Binary files |GIT binary patch)/;
/** What may be between the files of a diff. */
const BETWEEN = /^(?:diff |Index: |=+$|Only in |\*\*\* End Patch|$)/;
const ENDS_HUNK = /^(?:diff --git |\*\*\* End Patch)/;
/** A mode of git, by itself or after the hashes of an `index` line. */
const MODE = /(?:^| )(\d{6})$/;
/** The line by which `git format-patch` ends a patch. */
const SIGNATURE = '-- ';

function isDiff({ lines }: PatchText): boolean {
  return lines.some((line, at) => GIT_HEADER.test(line) || isNamePair(lines, at));
}

function isNamePair(lines: readonly string[], at: number): boolean {
  return (lines[at] ?? '').startsWith('--- ') && (lines[at + 1] ?? '').startsWith('+++ ');
}

interface DiffHeader {
  git?: readonly [old: string, now: string] | undefined;
  old?: string;
  now?: string;
  isNew?: boolean;
  isDeleted?: boolean;
  isExecutable?: boolean | undefined;
  from?: string;
  to?: string;
}

/** Reads a unified diff. It skips the text before the first file, as in a mail. */
class DiffReader {
  readonly #text: PatchText;
  #next = 0;

  constructor(text: PatchText) {
    this.#text = text;
  }

  readAll(): Section[] {
    const sections: Section[] = [];
    let isMail = true;
    while (this.#next < this.#text.lines.length) {
      if (this.#isFile) {
        const section = this.#readFile();
        if (section) sections.push(section);
        isMail = false;
      } else {
        isMail ||= this.#line === SIGNATURE;
        if (!isMail && !BETWEEN.test(this.#line)) throw this.#text.notInHunk(this.#next);
        this.#next++;
      }
    }
    if (sections.length === 0) throw this.#text.invalid('it contains no operations', 0);
    return sections;
  }

  get #line(): string {
    return this.#text.lines[this.#next] ?? '';
  }

  get #isFile(): boolean {
    return GIT_HEADER.test(this.#line) || isNamePair(this.#text.lines, this.#next);
  }

  /** Reads the part about one file. Returns undefined if nothing of it changes. */
  #readFile(): Section | undefined {
    const at = this.#next;
    const header = this.#readHeader();
    const hunks: Hunk[] = [];
    while (this.#line.startsWith('@@')) hunks.push(this.#readHunk());
    const { isNew, isDeleted, isExecutable, from, to, old, now } = header;
    if (from !== undefined && to !== undefined) return { kind: 'update', path: from, moveTo: to, hunks, isExecutable };
    const path = pathOf(header);
    const isEmpty = old === undefined && hunks.length === 0 && isExecutable === undefined;
    if (path === undefined) {
      if (isEmpty) return undefined;
      const names = old === undefined ? 'no --- and +++ lines' : `two names, ${old} and ${now}`;
      throw this.#text.invalid(
        `the file has ${names}`,
        at,
        'write --- a/path and +++ b/path, and for a rename the lines "rename from path" and "rename to path" before them',
      );
    }
    if (isDeleted) return { kind: 'delete', path, hunks };
    if (isNew) return { ...this.#toNew(path, hunks, at), isExecutable };
    if (isEmpty) return undefined;
    if (hunks.length > 0 || old === undefined) return { kind: 'update', path, hunks, isExecutable };
    throw this.#text.invalid(`the update of ${path} has no hunk`, at);
  }

  #toNew(path: string, hunks: readonly Hunk[], at: number): Extract<Section, { kind: 'add' }> {
    const lines = hunks.flatMap((hunk) => hunk.lines);
    if (lines.some(({ sign }) => sign !== '+')) {
      throw this.#text.invalid(`the new file ${path} has lines that do not start with '+'`, at);
    }
    return { kind: 'add', path, lines: lines.map(({ text }) => text), isOpen: hunks.at(-1)?.isOpen === true };
  }

  #readHeader(): DiffHeader {
    const header: DiffHeader = {};
    const [, names] = GIT_HEADER.exec(this.#line) ?? [];
    if (names !== undefined) this.#readExtended(header, names);
    if (!isNamePair(this.#text.lines, this.#next)) return header;
    header.old = nameIn(this.#line.slice(4));
    this.#next++;
    header.now = nameIn(this.#line.slice(4));
    this.#next++;
    header.isNew ||= header.old === NO_FILE;
    header.isDeleted ||= header.now === NO_FILE;
    return header;
  }

  #readExtended(header: DiffHeader, names: string): void {
    header.git = splitNames(names);
    this.#next++;
    for (let found = EXTENDED.exec(this.#line); found; found = EXTENDED.exec(this.#line)) {
      const [, mode, rename, value = ''] = found;
      if (mode === 'new file') header.isNew = true;
      if (mode === 'deleted file') header.isDeleted = true;
      const isExecutable = this.#readMode(value);
      if (mode?.startsWith('new')) header.isExecutable = isExecutable;
      if (rename?.startsWith('copy')) throw this.#refuse('a copy', 'add the new file with all of its lines');
      if (rename === 'rename from') header.from = nameIn(value);
      if (rename === 'rename to') header.to = nameIn(value);
      this.#next++;
    }
    if (BINARY.test(this.#line)) throw this.#refuse('a binary file', 'remove it: patches are for text files');
  }

  /** Reports whether a mode at the end of a line is that of a program. Undefined if there is none. */
  #readMode(value: string): boolean | undefined {
    const mode = MODE.exec(value)?.[1];
    if (mode === undefined) return undefined;
    const what = { '120': 'a link', '160': 'a submodule' }[mode.slice(0, 3)];
    if (what !== undefined) throw this.#refuse(what, 'remove it: patches are for regular files');
    return (Number.parseInt(mode, 8) & 0o100) > 0;
  }

  #refuse(what: string, suggestion: string) {
    return this.#text.invalid(`${what} cannot be patched: ${this.#text.quote(this.#next)}`, this.#next, suggestion);
  }

  /** Reads a hunk. The numbers of its header count only if its lines do not show its end: they are often wrong. */
  #readHunk(): Hunk {
    const at = this.#next++;
    const header = this.#text.lines[at] ?? '';
    const [, start, old = '1', now = '1'] = NUMBERED.exec(header) ?? [];
    const body = new HunkBody();
    const counts = start === undefined ? undefined : { old: Number(old), now: Number(now) };
    const isFull = () => counts !== undefined && body.old >= counts.old && body.now >= counts.now;
    for (; this.#next < this.#text.lines.length && !this.#line.startsWith('@@'); this.#next++) {
      if (ENDS_HUNK.test(this.#line)) break;
      if (isNamePair(this.#text.lines, this.#next) && !this.#hasPair(body, counts)) break;
      if (isFull() && (this.#line === SIGNATURE || BETWEEN.test(this.#line))) break;
      if (!body.take(this.#line)) throw this.#text.notInHunk(this.#next);
    }
    const anchor =
      start === undefined
        ? header
            .slice(2)
            .replace(/@@\s*$/, '')
            .trim()
        : '';
    return this.#text.toHunk(body, { anchors: anchor === '' || anchor === '...' ? [] : [anchor], header, at });
  }

  /** Lines like the names of a file are lines of a hunk if its counts say so, unless a hunk follows too early. */
  #hasPair({ old, now }: HunkBody, counts: Pick<HunkBody, 'old' | 'now'> | undefined): boolean {
    if (counts === undefined || old >= counts.old || now >= counts.now) return false;
    const isLast = old === counts.old - 1 && now === counts.now - 1;
    return isLast || !(this.#text.lines[this.#next + 2] ?? '').startsWith('@@');
  }
}

function pathOf({ git, old, now }: DiffHeader): string | undefined {
  if (old !== undefined && now !== undefined && old !== NO_FILE && now !== NO_FILE) return samePath(old, now);
  const path = git && samePath(...git);
  if (path !== undefined || old === undefined || now === undefined) return path;
  return old === NO_FILE ? now.replace(/^b\//, '') : old.replace(/^a\//, '');
}

/** Returns two names without the first directory if they only differ in it: `a/` and `b/` in most diffs. */
function samePath(old: string, now: string): string | undefined {
  if (old === now || /^(?:\.orig|\.bak|\.old|~)$/.test(old.startsWith(now) ? old.slice(now.length) : '')) return now;
  const [before, after] = [old, now].map((name) => name.slice(name.indexOf('/') + 1));
  return before === after ? after : undefined;
}

/** Splits the two names in git's first line: both are quoted, or equally long if the file was not renamed. */
function splitNames(names: string): [string, string] | undefined {
  const quoted = /^("(?:\\.|[^"\\])*"|\S+) ("(?:\\.|[^"\\])*"|\S+)$/.exec(names);
  if (quoted) return [nameIn(quoted[1] ?? ''), nameIn(quoted[2] ?? '')];
  const middle = (names.length - 1) / 2;
  return names[middle] === ' ' ? [names.slice(0, middle), names.slice(middle + 1)] : undefined;
}

/** Git quotes odd names. A tab may follow: `diff` adds the time after it, and git puts it after a name with blanks. */
function nameIn(written: string): string {
  const [quoted] = /^"(?:\\.|[^"\\])*"(?=\t|$)/.exec(written) ?? [];
  return quoted === undefined ? written.replace(/\t.*$/, '').trimEnd() : unquoteName(quoted);
}
