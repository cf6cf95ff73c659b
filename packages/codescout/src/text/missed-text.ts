import { ToolError } from '@jinn/core/errors';
import { nearestText } from '@jinn/fs-tools/match/nearest-text';
import { createLineCounter } from '@jinn/fs-tools/read/text-content';
import { unescaped } from './escaped-text.ts';

const MAX_LISTED = 10;

interface MissedText {
  readonly path: string;
  readonly old_string: string;
}

/**
 * Explains why a text is not in a file, and shows what is closest to it. `bytes` is the file, a character for each
 * byte.
 */
export function notFound(bytes: string, { path, old_string }: MissedText): ToolError {
  const wanted = Buffer.from(old_string).toString('latin1');
  const nearest = nearestText(bytes, wanted);
  const reason = reasonFor(bytes, wanted) ?? (nearest?.unseen && `the text looks the same, but ${nearest.unseen}`);
  const closest =
    nearest === undefined || bytes === '' ? '' : `. Closest match at line ${nearest.line}:\n${nearest.diff}`;
  return new ToolError('edit_not_found', `old_string not found in ${path}${reason ? `: ${reason}` : ''}${closest}`, {
    suggestion: reason
      ? 'send old_string just as it stands in the file'
      : (nearest?.foreign ?? 'copy the text from the file, with its whitespace; search_pattern finds the line'),
  });
}

function reasonFor(bytes: string, wanted: string): string | undefined {
  const plain = wanted.replaceAll('\r\n', '\n');
  const windows = plain.replaceAll('\n', '\r\n');
  if (windows !== wanted && bytes.includes(windows))
    return 'the lines of the file end in \\r\\n, those of old_string in \\n';
  if (plain !== wanted && bytes.includes(plain))
    return 'the lines of the file end in \\n, those of old_string in \\r\\n';
  const real = unescaped(wanted);
  if (real !== undefined && bytes.includes(real)) {
    return 'old_string has backslashes where the file has real line breaks, tabs or quotes (it was escaped twice)';
  }
  const trimmed = wanted.trim();
  if (trimmed !== '' && trimmed !== wanted && bytes.includes(trimmed)) {
    return 'it is there with other whitespace at its beginning or end';
  }
  return undefined;
}

/** Makes the error for a text that occurs more than once, with the lines where it does. */
export function notUnique(bytes: string, wanted: string, path: string): ToolError {
  const lines: number[] = [];
  const lineOf = createLineCounter(bytes);
  let count = 0;
  for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, at + wanted.length)) {
    count++;
    if (lines.length < MAX_LISTED) lines.push(lineOf(at));
  }
  const more = count > lines.length ? ', …' : '';
  return new ToolError(
    'edit_not_unique',
    `old_string found ${count} times in ${path} (lines ${lines.join(', ')}${more})`,
    {
      suggestion: 'include more surrounding context, or use replace_all: true; nothing was changed',
    },
  );
}
