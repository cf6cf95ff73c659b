import { openSyntax, sourceLanguageOf, type TextPart } from '@jinn/syntax';
import { removableComments } from './code-comments.ts';

export interface StripOptions {
  readonly comments: boolean;
  readonly emptyLines: boolean;
}

/** Removes comments and empty lines from sources. */
export interface SourceStripper {
  strip(text: Buffer, path: string): Buffer;
  readonly untouched: ReadonlySet<string>;
}

/** An empty line of Markdown separates paragraphs, so it stays. */
const KEPT: ReadonlySet<string> = new Set(['markdown']);
/** Each byte is a character of Latin-1 here. These three stand for a byte and a newline of a comment, and a newline of a string. */
const [GONE, GONE_LINE, FIXED] = [0xe000, 0xe001, 0xe002];
const NEWLINE = 0x0a;
const REMOVED = /^[\s\ue000\ue001]*$/;
const COMMENTS = /([ \t]*)([\ue000\ue001][\ue000\ue001 \t]*)/g;

/** Starts the parser, whose syntax trees tell comments and strings. */
export async function openSourceStripper(options: StripOptions): Promise<SourceStripper> {
  const findTextParts = await openSyntax().startTextParts();
  const untouched = new Set<string>();
  const strip = (text: Buffer, path: string): Buffer => {
    const language = sourceLanguageOf(path, text);
    if (language !== undefined && KEPT.has(language)) return text;
    const parts = language === undefined ? undefined : findTextParts(text, language);
    if (language !== undefined && parts && !('reason' in parts)) return removeFrom(text, { language, parts }, options);
    untouched.add(path);
    return text;
  };
  return { strip, untouched };
}

function removeFrom(
  text: Buffer,
  { language, parts }: { readonly language: string; readonly parts: readonly TextPart[] },
  { comments, emptyLines }: StripOptions,
): Buffer {
  const units = Uint16Array.from(text);
  for (const part of parts) if (part.kind === 'string') replaceUnits(units, part, { line: FIXED });
  const removable = comments ? removableComments(text.toString('latin1'), language, parts) : [];
  for (const part of removable) replaceUnits(units, part, { line: GONE_LINE, other: GONE });
  const lines = Buffer.from(units.buffer).toString('utf16le').split('\n');
  const end = lines.pop() ?? '';
  const kept = lines.filter((line) => !isRemoved(line, emptyLines)).map((line) => `${withoutComments(line)}\n`);
  const last = isRemoved(end, false) ? '' : withoutComments(end);
  return Buffer.from((kept.join('') + last).replaceAll(String.fromCharCode(FIXED), '\n'), 'latin1');
}

function replaceUnits(
  units: Uint16Array,
  { start, end }: Pick<TextPart, 'start' | 'end'>,
  { line, other }: { readonly line: number; readonly other?: number },
): void {
  for (let at = start; at < end; at++) {
    const unit = units[at] as number;
    units[at] = unit === NEWLINE ? line : (other ?? unit);
  }
}

function hasComment(line: string): boolean {
  return line.includes(String.fromCharCode(GONE));
}

function isRemoved(line: string, emptyLines: boolean): boolean {
  return (emptyLines || hasComment(line)) && REMOVED.test(line);
}

/** Between two tokens, a comment becomes a blank, or a line end if it had some. */
function withoutComments(line: string): string {
  if (!hasComment(line)) return line;
  return line.replace(COMMENTS, (all: string, left: string, marks: string, at: number) => {
    const [before, after] = [line[at - 1], line[at + all.length]];
    if (after === undefined || after === '\r') return '';
    if (before === undefined) return left;
    if (marks.includes(String.fromCharCode(GONE_LINE))) return '\n';
    if ('(['.includes(before) || ')]'.includes(after)) return '';
    const hadBlank = left !== '' || /[ \t]$/.test(marks);
    return !hadBlank && ('{,;'.includes(before) || '},;'.includes(after)) ? '' : ' ';
  });
}
