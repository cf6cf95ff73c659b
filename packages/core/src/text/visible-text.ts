const PLAIN = /^[\n -~]*$/;
const BLANK_LINES = /\n(?:[^\S\n]*\n){2,}/g;

/**
 * Makes a text safe to show to a user: invisible characters, odd blanks and line breaks become escapes. Security: a
 * foreign text could drive the reader's terminal, or hide a part of itself.
 */
export function toVisible(text: string): string {
  return PLAIN.test(text) ? text.replaceAll('\n', '\\n') : escapeBlanks(replaceInvisible(text, toEscape));
}

/** Makes a text of several lines safe to show, as `toVisible` does. Line breaks stay, and blank lines become one. */
export function toVisibleLines(text: string): string {
  const toEscapeInLine = (character: string) => (character === '\n' ? '\n' : toEscape(character));
  const shown = PLAIN.test(text) ? text : escapeBlanks(replaceInvisible(text, toEscapeInLine));
  return shown.replace(BLANK_LINES, '\n\n');
}

/** Formats a value as JSON that is safe to print: invisible characters are escaped as in JSON. */
export function toVisibleJson(value: unknown, indent?: number): string {
  return replaceInvisible(JSON.stringify(value, null, indent), (character) => {
    if (character === '\n') return '\n';
    const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
  });
}

/** Indents each line. Security: a foreign text within another one must not look like a part of that. */
export function indentLines(text: string): string {
  return `    ${text.replaceAll('\n', '\n    ')}`;
}

export interface ShownText {
  readonly text: string;
  readonly isWhole: boolean;
}

/** Cuts a long text in its middle, and says there how much is omitted. */
export function cutMiddle(text: string, max: number): ShownText {
  if (text.length <= max) return { text, isWhole: true };
  const half = Math.floor(max / 2);
  const [head, tail] = [text.slice(0, half), text.slice(-half)].map((part) => part.toWellFormed());
  const left = `[… ${text.length - 2 * half} of ${text.length} characters omitted …]`;
  return { text: `${head} ${left} ${tail}`, isWhole: false };
}

/** V8 needs a millisecond to make the expression, so it is made only when it is needed. */
function replaceInvisible(text: string, toShown: (character: string) => string): string {
  const invisible =
    /(?!(?<=\p{Extended_Pictographic})\ufe0f|(?<=\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d(?=\p{Extended_Pictographic}))[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;
  return text.replace(invisible, toShown);
}

function escapeBlanks(text: string): string {
  return text.replace(/(?! )[\p{Zs}\u2800\u{1d159}\ufffc]/gu, toEscape);
}

function toEscape(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  if (character === '\n') return '\\n';
  if (character === '\r') return '\\r';
  if (character === '\t') return '\\t';
  return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u{${code}}`;
}
