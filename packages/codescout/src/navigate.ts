import { ToolError } from '@jinn/core';
import { linesThatFit } from './fit-json.ts';
import { findJsonPart } from './json-path.ts';
import { findKey } from './key-section.ts';
import { findHeading } from './markdown-section.ts';
import { SHOWN_LINES } from './text-window.ts';

const MAX_BYTES = 16 * 1024 * 1024;
const SHOWN_LENGTH = 100_000;

export interface Navigation {
  readonly by: 'json_path' | 'heading' | 'toml_key';
  readonly to: string;
  /** As the caller wrote it. */
  readonly path: string;
  /** The most bytes of the JSON of the part, where the host has a limit. */
  readonly room?: number | undefined;
}

/** Finds a part of a structured text. A section of lines comes with their numbers. Throws `not_found` or `invalid_args`. */
export function navigate(text: string, { by, to, path, room }: Navigation): object {
  if (text.length > MAX_BYTES) {
    throw new ToolError('file_too_large', `${path} is too large for ${by} (over 16 MiB)`, {
      suggestion: 'find the lines with search_pattern, and read them with start_line and end_line',
    });
  }
  if (by === 'json_path') return bounded(findJsonPart(text, to, path), { room });
  const lines = text.split('\n');
  const section = by === 'heading' ? findHeading(lines, to, path) : findKey(lines, to, path);
  const content = lines.slice(section.start - 1, section.end).join('\n');
  const data = bounded(section.end < lines.length ? `${content}\n` : content, { room, section });
  return { ...data, start_line: section.start, end_line: section.end };
}

interface Bounds {
  readonly room: number | undefined;
  /** The lines of the part, if it stands in the file as it is. */
  readonly section?: { readonly start: number; readonly end: number };
}

/** Cuts after whole lines what is longer than an answer shows. */
function bounded(content: string, { room, section }: Bounds): { content: string; overflow?: object } {
  const shown = boundedLines(content);
  const fitting = room === undefined ? shown.content : linesThatFit(shown.content, room);
  if (room === undefined || (fitting.length === shown.content.length && !shown.overflow)) return shown;
  return { content: fitting, overflow: tellNext(content, fitting, section) };
}

/** Says how much of a part is shown, and names the call that goes on, if there is one. */
function tellNext(content: string, shown: string, section: Bounds['section']): object {
  const [count, total] = [lineCount(shown), lineCount(content)];
  const hint =
    section && count > 0
      ? `Call read_file with start_line: ${section.start + count}, end_line: ${section.end} instead to go on`
      : `This part has ${total} lines. Ask for a narrower one`;
  return { shown: count, total, hint };
}

function lineCount(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') || text === '' ? 1 : 0);
}

/** Cuts what is longer than an answer shows of its own accord. */
function boundedLines(content: string): { content: string; overflow?: object } {
  const lines = content.split('\n');
  const total = content.endsWith('\n') ? lines.length - 1 : lines.length;
  if (total <= SHOWN_LINES && content.length <= SHOWN_LENGTH) return { content };
  let [shown, length] = [0, 0];
  for (; shown < Math.min(SHOWN_LINES, total); shown++) {
    length += (lines[shown] as string).length + 1;
    if (length > SHOWN_LENGTH) break;
  }
  const hint = `This part has ${total} lines. Ask for a narrower one, or read its lines with start_line/end_line`;
  return { content: lines.slice(0, shown).join('\n'), overflow: { shown, total, hint } };
}
