import { ToolError } from '@jinn/core/errors';
import type { FileState } from '@jinn/workspace';
import { decodeContent, encodeContent } from '../read/text-content.ts';
import { HIDDEN, NAME_CELL } from './edit-errors.ts';
import type { Notebook } from './notebook-sources.ts';

const EXPLAINED = new Set(['edit_not_found', 'edit_not_unique', 'patch_conflict']);

/** A file as the tools that edit text see it. */
export interface EditableText {
  /** The text (bytes as latin1): of a notebook, the lines of its cells. */
  readonly bytes: string;
  readonly notebook: Notebook | undefined;
  toContent(bytes: string): Buffer;
  encode(bytes: string): Buffer;
  /** Adds to an error of an edit how to name a cell, if the file is a notebook. */
  explain<E>(error: E): E | ToolError;
}

/** Opens the content of a file for edits. Throws `file_not_found` and `binary_file`. */
export async function openText({
  asked,
  path,
  content,
}: Pick<FileState, 'asked' | 'path' | 'content'>): Promise<EditableText> {
  if (content === undefined)
    throw new ToolError('file_not_found', `file not found: ${asked}`, {
      suggestion: 'check the path with list_dir, or make the file with write_file',
    });
  const { bytes, encoding } = decodeContent(content, asked);
  const encode = (after: string) => encodeContent({ bytes: after, encoding });
  const isNamed = path.toLowerCase().endsWith('.ipynb');
  const notebook = isNamed
    ? (await import('./notebook-sources.ts')).Notebook.read(Buffer.from(bytes, 'latin1'), path)
    : undefined;
  if (!notebook) return { bytes, notebook, toContent: encode, encode, explain: (error) => error };
  const toContent = (after: string) => encode(notebook.withLines(after, asked));
  return { bytes: notebook.lines, notebook, toContent, encode, explain: nameCell };
}

function nameCell<E>(error: E): E | ToolError {
  if (!(error instanceof ToolError) || !EXPLAINED.has(error.code)) return error;
  const message = error.message
    .replace(/\. Nearest match at line \d+: "\\u0000".*/s, '')
    .replaceAll(`\n+ ${HIDDEN}`, '');
  return new ToolError(error.code, message, { suggestion: NAME_CELL });
}
