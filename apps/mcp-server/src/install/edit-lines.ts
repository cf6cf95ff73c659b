import { splice } from './config-editor.ts';

/** A part of a text, by offsets. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * Adds lines behind the line that an offset stands on. A file whose last line has no end gets none with them either, so that
 * cutLines can give back the bytes that were there before.
 */
export function addLines(text: string, at: number, lines: readonly string[], eol: string): string {
  const end = at > 0 && text[at - 1] === '\n' ? at : lineEnd(text, at);
  const isOpen = end === text.length && text !== '' && !text.endsWith('\n');
  const block = lines.join(eol);
  return splice(text, end, end, isOpen ? `${eol}${block}` : `${block}${eol}`);
}

/** Cuts the lines that a range stands on. */
export function cutLines(text: string, { from, to }: Span): string {
  const start = lineStart(text, from);
  const end = lineEnd(text, to);
  const head = text.slice(0, start);
  return (text.endsWith('\n') || end < text.length ? head : head.replace(/\r?\n$/, '')) + text.slice(end);
}

/** Returns the offset after the end of the line that `at` stands on. */
function lineEnd(text: string, at: number): number {
  const newline = text.indexOf('\n', at);
  return newline < 0 ? text.length : newline + 1;
}

/** Returns the blanks that the line of an offset begins with. */
export function indentOfLine(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, at)))?.[0] ?? '';
}

/** Returns the offset at which the line of an offset begins. */
export function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
}
