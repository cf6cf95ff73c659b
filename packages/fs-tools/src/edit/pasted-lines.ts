import { ToolError } from '@jinn/core/errors';

/** A line in the form of read_file, with its number. */
const NUMBERED = /^ *(\d+)\t/;

interface EditTexts {
  readonly old_text: string;
  readonly new_text: string;
}

/**
 * Returns the texts of an edit without line numbers that were pasted with them; undefined if `old_text` has none, or
 * none that count up by one. Throws `invalid_args` if only some lines of `new_text` have one.
 */
export function withoutLineNumbers({ old_text, new_text }: EditTexts): EditTexts | undefined {
  const numbers = toLines(old_text).map(numberOf);
  const [first] = numbers;
  if (first === undefined || numbers.some((number, i) => number !== first + i)) return undefined;
  const isNumbered = toLines(new_text).map((line) => numberOf(line) !== undefined);
  if (isNumbered.includes(true) && isNumbered.includes(false)) {
    throw new ToolError('invalid_args', 'old_text and some lines of new_text have the line numbers of read_file', {
      suggestion: 'send both texts without line numbers; nothing was changed',
    });
  }
  return { old_text: strip(old_text), new_text: strip(new_text) };
}

/** Splits a text into lines. A line end at its end begins no line. */
function toLines(text: string): string[] {
  return text === '' ? [] : text.replace(/\r?\n$/, '').split('\n');
}

function numberOf(line: string): number | undefined {
  const [, digits] = NUMBERED.exec(line) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

function strip(text: string): string {
  return text
    .split('\n')
    .map((line) => line.replace(NUMBERED, ''))
    .join('\n');
}
