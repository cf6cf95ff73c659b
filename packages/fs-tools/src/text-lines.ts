/** A text as lines that keep their own endings; bytes as latin1. */
export interface TextLines {
  /** A byte order mark, or nothing. */
  readonly mark: string;
  readonly lines: readonly TextLine[];
}

export interface TextLine {
  readonly text: string;
  /** Empty for a last line without one. */
  readonly ending: string;
}

const MARK = '\xef\xbb\xbf';

export function splitLines(bytes: string): TextLines {
  const mark = bytes.startsWith(MARK) ? MARK : '';
  const lines: TextLine[] = [];
  const pattern = /([^\r\n]*)(\r\n|\n|\r|$)/y;
  for (pattern.lastIndex = mark.length; pattern.lastIndex < bytes.length; ) {
    const [, text = '', ending = ''] = pattern.exec(bytes) ?? [];
    lines.push({ text, ending });
  }
  return { mark, lines };
}

/**
 * Joins lines after a change. The text ends with a line ending if it did before, and every other line has one: a line
 * without takes that of the line before it.
 */
export function joinLines({ mark, lines: before }: TextLines, lines: readonly TextLine[]): string {
  const hadEnding = before.length === 0 || before.at(-1)?.ending !== '';
  let usual = before.find(({ ending }) => ending !== '')?.ending ?? '\n';
  const parts = lines.map(({ text, ending }, i) => {
    const isLast = i === lines.length - 1;
    if (isLast && !hadEnding) return text;
    if (ending !== '') usual = ending;
    return text + usual;
  });
  return mark + parts.join('');
}
