import type { ToolContext } from '@jinn/core';
import { ProjectEncodings } from '@jinn/workspace/encodings';

const LINE_END = /\r\n|\n|\r/g;
const NAMES = { '\n': 'LF', '\r\n': 'CRLF', '\r': 'CR' } as const;

/**
 * Returns the text of a new file as `.editorconfig` and `.gitattributes` want it if that is asked for. Otherwise it warns of
 * what they want.
 */
export function styleNewText(
  path: string,
  text: string,
  { ctx, isAsked }: { readonly ctx: ToolContext; readonly isAsked: boolean },
): string {
  if (text === '') return text;
  const { newline, endsInNewline } = new ProjectEncodings(ctx).style(path);
  const ended = newline === undefined ? text : text.replaceAll(LINE_END, newline);
  const isOtherEnd = endsInNewline !== undefined && endsInNewline !== /[\r\n]$/.test(text);
  const wanted = [
    ...(newline !== undefined && ended !== text ? [`${NAMES[newline]} line ends`] : []),
    ...(isOtherEnd ? [endsInNewline ? 'a newline at the end' : 'no newline at the end'] : []),
  ];
  if (!isAsked) {
    if (wanted.length > 0) ctx.warn(`the project wants ${wanted.join(' and ')} (style: "project" writes that)`);
    return text;
  }
  if (!isOtherEnd) return ended;
  return endsInNewline ? ended + (newline ?? ended.match(LINE_END)?.[0] ?? '\n') : ended.replace(/[\r\n]+$/, '');
}
