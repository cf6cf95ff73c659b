import { ToolError } from '@jinn/core/errors';
import { showJsonPart } from './json-part.ts';
import { findKey } from './key-section.ts';
import { findHeading } from './markdown-section.ts';
import { showPart } from './shown-part.ts';

const MAX_BYTES = 16 * 1024 * 1024;

export interface Navigation {
  readonly by: 'json_path' | 'heading' | 'toml_key';
  readonly to: string;
  /** The path as the caller wrote it. */
  readonly path: string;
  /** The most bytes of the JSON of the part, if the host has a limit. */
  readonly room?: number | undefined;
  /**
   * Keeps in a buffer a text that is not in the file in this form, and returns its reference; undefined for a query of
   * a buffer.
   */
  readonly keep?: ((chunks: Iterable<Uint8Array>) => string | undefined) | undefined;
}

/**
 * Finds a part of a structured text, with its lines, and leaves it as it stands there. Throws `not_found` or
 * `invalid_args`.
 */
export function navigate(text: string, navigation: Navigation): object {
  const { by, to, path } = navigation;
  if (text.length > MAX_BYTES) {
    throw new ToolError('file_too_large', `${path} is too large for ${by} (over 16 MiB)`, {
      suggestion: 'find the lines with search_pattern, and read them with start_line and end_line',
    });
  }
  if (by === 'json_path') return showJsonPart(text, navigation);
  const lines = text.split('\n');
  const section = by === 'heading' ? findHeading(lines, to, path) : findKey(lines, to, path);
  const content = lines.slice(section.start - 1, section.end).join('\n');
  return showPart({ ...section, content: section.end < lines.length ? `${content}\n` : content }, navigation);
}
