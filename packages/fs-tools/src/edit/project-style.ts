import type { ToolContext } from '@jinn/core';
import { ProjectEncodings, type ProjectStyle } from '@jinn/workspace/encodings';

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
  const style = new ProjectEncodings(ctx).style(path);
  const styled = applyStyle(text, style);
  if (isAsked || styled === text) return styled;
  ctx.warn(`the project wants ${describe(text, style)} (style: "project" writes that)`);
  return text;
}

function applyStyle(text: string, { newline, endsInNewline }: ProjectStyle): string {
  const ended = newline === undefined ? text : text.replaceAll(LINE_END, newline);
  if (endsInNewline === undefined || endsInNewline === /[\r\n]$/.test(ended)) return ended;
  const end = newline ?? ended.match(LINE_END)?.[0] ?? '\n';
  return endsInNewline ? ended + end : ended.replace(/(?:\r\n|\n|\r)+$/, '');
}

function describe(text: string, { newline, endsInNewline }: ProjectStyle): string {
  const differs = newline !== undefined && text.replaceAll(LINE_END, newline) !== text;
  const ending = endsInNewline ? 'a newline at the end' : 'no newline at the end';
  const isEnding = endsInNewline !== undefined && endsInNewline !== /[\r\n]$/.test(text);
  return [...(differs ? [`${NAMES[newline]} line ends`] : []), ...(isEnding ? [ending] : [])].join(' and ');
}
