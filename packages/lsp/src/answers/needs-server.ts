import { ToolError } from '@jinn/core/errors';
import { showPath } from '@jinn/workspace/walk';

const MOST_FILES = 20;
const MOST_LINES = 5;
/** The most files that a call of search_replace changes. */
const MOST_REPLACED = 50;

/** A file, and the line of each place where the name stands in it. */
export interface NamingFile {
  readonly path: string;
  readonly lines: readonly number[];
}

export interface UsesElsewhere {
  readonly name: string;
  readonly newName: string;
  /** The declaring file first. */
  readonly files: readonly NamingFile[];
  /** Why no language server can rename it. */
  readonly noAnswer: { readonly why: string; readonly error: ToolError };
}

/** Makes the refusal of a rename that needs a language server: the places of the name, and the next step. */
export function needsServer({ name, newName, files, noAnswer }: UsesElsewhere): ToolError {
  const { why, error } = noAnswer;
  const count = files.reduce((sum, { lines }) => sum + lines.length, 0);
  const message = `${name} cannot be renamed without a language server (${why}); nothing was changed; places (${count}): ${formatPlaces(files)}`;
  const server = error.suggestion ?? 'try again when a language server answers';
  return new ToolError('lsp_unavailable', message, {
    suggestion: `${server}; or, if all places mean it, ${formatReplacing(name, newName, files)}`,
  });
}

function formatPlaces(files: readonly NamingFile[]): string {
  const shown = files.slice(0, MOST_FILES).map(({ path, lines }) => {
    const numbers = [...new Set(lines)];
    const more = numbers.length > MOST_LINES ? ` and ${numbers.length - MOST_LINES} more lines` : '';
    return `${showPath(path)}:${numbers.slice(0, MOST_LINES).join(',')}${more}`;
  });
  const left = files.length - shown.length;
  return `${shown.join('; ')}${left > 0 ? `; and ${left} more files` : ''}`;
}

/**
 * Formats the call of search_replace that renames in these files. A dollar sign in a replacement would stand for a
 * group, and one in a pattern for the end of a line.
 */
function formatReplacing(name: string, newName: string, files: readonly NamingFile[]): string {
  const call = {
    pattern: `(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`,
    replacement: newName,
    ...(newName.includes('$') && { literal_replacement: true }),
    files: files.slice(0, MOST_REPLACED).map(({ path }) => path),
  };
  const left = files.length - call.files.length;
  const more = left > 0 ? `, then the same in the other ${left} files, which find_references lists` : '';
  return `search_replace ${JSON.stringify(call)}${more}`;
}
