import { splice } from './config-editor.ts';
import { indentOfLine, type Span } from './edit-lines.ts';

/** An object or table between braces, by the offsets of the braces and of its members. */
export interface BracedBlock {
  readonly open: number;
  readonly close: number;
  readonly members: readonly Span[];
  /** Matches the blanks and comments that a text begins with, in the format at hand. */
  readonly gap: RegExp;
}

export interface NewMember {
  /** Writes the member: with an indentation over several lines if it likes, without one on one line. */
  print(indent?: string): string;
  readonly eol: string;
  /** One step of indentation. */
  readonly unit: string;
}

/** Adds a member behind the last one, in the layout of the others. What removeMember takes out again leaves the same bytes. */
export function addMember(text: string, braced: BracedBlock, { print, eol, unit }: NewMember): string {
  const { open, close, members } = braced;
  const last = members.at(-1);
  if (last === undefined) return fill(text, braced, { print, eol, unit });
  const comma = commaBehind(text, last.to, braced);
  if (!text.slice(open, close).includes('\n')) {
    const at = comma === undefined ? last.to : comma + 1;
    return splice(text, at, at, comma === undefined ? `, ${print()}` : ` ${print()},`);
  }
  const indent = indentOfLine(text, last.from);
  const line = `${eol}${indent}${print(indent)}`;
  // Comments behind the last member stay behind it.
  const at = last.to + text.slice(last.to, close).trimEnd().length;
  if (comma !== undefined) return splice(text, at, at, `${line},`);
  return splice(splice(text, at, at, line), last.to, last.to, ',');
}

/**
 * Gives empty braces their first member, behind the comments that they have. It stands on one line, unlike a member
 * that braces were made for: so isWrapped tells these two apart.
 */
function fill(text: string, { open, close }: BracedBlock, { print, eol, unit }: NewMember): string {
  const inside = text.slice(open + 1, close);
  const comments = inside.trimEnd();
  const at = open + 1 + comments.length;
  if (!inside.includes('\n')) return splice(text, at, at, `${comments === '' ? '' : ' '}${print()}`);
  const indent = indentOfLine(text, open) + unit;
  return splice(text, at, at, `${eol}${indent}${comments === '' ? print() : print(indent)}`);
}

/** Reports whether the braces look as if they had been made for the one member that they have. */
export function isWrapped(text: string, { open, close, members: [only, another] }: BracedBlock): boolean {
  if (only === undefined || another !== undefined) return false;
  const around = [text.slice(open + 1, only.from), text.slice(only.to, close)];
  if (around.every((blank) => blank === ' ')) return true;
  const isOnLines = around.every((blank) => blank.trim() === '' && blank.includes('\n'));
  return isOnLines && text.slice(only.from, only.to).includes('\n');
}

/** Takes a member out, with its comma and its line. Comments stay. */
export function removeMember(text: string, braced: BracedBlock, index: number): string {
  const { open, members } = braced;
  const { from, to } = members[index] as Span;
  const previous = members[index - 1];
  const comma = commaBehind(text, to, braced);
  const before = previous && (commaBehind(text, previous.to, braced) as number);
  const between = text.slice((before ?? open) + 1, from);
  const end = comma === undefined ? to : comma + 1;
  const isLast = index === members.length - 1;
  const at = { between, isLast, isCommented: hidesBrace(between.trimEnd(), braced) };
  if (comma === undefined && before !== undefined) {
    if (/^[ \t]*$/.test(between)) return splice(text, before, to, '');
    return splice(cut(text, { from, to }, at), before, before + 1, '');
  }
  return cut(text, { from, to: end }, at);
}

/** Reports whether a gap ends with a comment that goes on to the end of its line. */
function hidesBrace(between: string, { gap }: BracedBlock): boolean {
  return gap.exec(`${between}}`)?.[0].length !== between.length;
}

interface Surroundings {
  /** What separates the range from the member or brace before it. */
  readonly between: string;
  readonly isLast: boolean;
  /** True if the line before must have an end. */
  readonly isCommented: boolean;
}

/**
 * Cuts the range of a member. The line end before it goes too if nothing else stands on its lines; else the blanks before it,
 * or behind it if other members follow.
 */
function cut(text: string, { from, to }: Span, { between, isLast, isCommented }: Surroundings): string {
  const blanks = /[ \t]*$/.exec(between)?.[0].length ?? 0;
  const start = from - blanks;
  const isWholeLine = /^[ \t]*(\r?\n|$)/.test(text.slice(to)) || (isLast && !isCommented);
  const newline = /\r?\n$/.exec(text.slice(0, start))?.[0];
  if (newline !== undefined && isWholeLine) return splice(text, start - newline.length, to, '');
  if (isLast) return splice(text, start, to, '');
  return splice(text, from, to + (/^[ \t]*/.exec(text.slice(to))?.[0].length ?? 0), '');
}

/** Returns the offset of the comma after a member, past blanks and comments; undefined if there is none. */
function commaBehind(text: string, from: number, { close, gap }: BracedBlock): number | undefined {
  const at = from + (gap.exec(text.slice(from, close))?.[0].length ?? 0);
  return text[at] === ',' ? at : undefined;
}
