import { ToolError } from '@jinn/core';
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
}

/** Finds a part of a structured text. A section of lines comes with their numbers. Throws `not_found` or `invalid_args`. */
export function navigate(text: string, { by, to, path }: Navigation): object {
  if (text.length > MAX_BYTES) {
    throw new ToolError('file_too_large', `${path} is too large for ${by} (over 16 MiB)`, {
      suggestion: 'find the lines with search_pattern, and read them with start_line and end_line',
    });
  }
  if (by === 'json_path') return bounded(findJsonPart(text, to, path));
  const lines = text.split('\n');
  const section = by === 'heading' ? findHeading(lines, to, path) : findKey(lines, to, path);
  const content = lines.slice(section.start - 1, section.end).join('\n');
  const data = bounded(section.end < lines.length ? `${content}\n` : content);
  return { ...data, start_line: section.start, end_line: section.end };
}

/** Cuts after whole lines what is longer than an answer shows. */
function bounded(content: string): { content: string; overflow?: object } {
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
