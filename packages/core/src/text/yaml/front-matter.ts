import { parseYaml } from './parse-yaml.ts';

const OPENING = /^\ufeff?---[ \t]*\r?\n/;
const CLOSING = /(?<=\n)---[ \t]*\r?(?:\n|$)/;
/** Aliases make a small text into a large value, so values are counted as they would be printed. */
const MAX_VALUES = 20_000;
/** A rule at the top of a text is no front matter only because there is another one far below. */
const MAX_LOOSE_LINES = 400;
/** A field ends here: its further lines are indented, empty or items of a list. */
const FIELD_END = /\n(?![ \t\n]|$|-(?:[ \t\n]|$))/;
const KEY = /^([A-Za-z_][\w-]*)[ \t]*:(?=[ \t\n]|$)/;
const WRAPPED = /^["'[](.*?)["'\]]?$/s;

export interface FrontMatter<Fields> {
  readonly fields: Fields;
  readonly body: string;
}

export type LooseValue = string | readonly string[];

/** Parses the YAML between the `---` lines at the top of a text. Throws an Error that says what is wrong. */
export function parseFrontMatter(text: string): FrontMatter<unknown> {
  const parts = splitFrontMatter(text);
  // Security: other parsers accept a language after the dashes, such as `---js`, and run the text below.
  if (!OPENING.test(text)) throw new Error('it must start with a line --- and YAML front matter');
  if (parts === undefined) throw new Error('the front matter has no end: a line --- is missing');
  let fields: unknown;
  try {
    fields = parseYaml(parts.yaml);
  } catch (error) {
    throw new Error(`the front matter is not YAML: ${(error as Error).message.split('\n')[0]}`, { cause: error });
  }
  countValues(fields, { left: MAX_VALUES });
  return { fields, body: parts.body };
}

/**
 * Reads the scalars and lists at the top level of front matter, by their keys in lower case. Refuses nothing: real
 * descriptions are full of colons and quotes that are not YAML. Lines end with `\n`.
 */
export function readLooseFrontMatter(text: string): FrontMatter<ReadonlyMap<string, LooseValue>> {
  const parts = splitFrontMatter(text);
  if (parts === undefined || parts.yaml.split('\n').length > MAX_LOOSE_LINES) return { fields: new Map(), body: text };
  const fields = parts.yaml.split(FIELD_END).flatMap((field) => {
    const [start, key] = KEY.exec(field) ?? [];
    return key === undefined ? [] : [[key.toLowerCase(), readLooseField(field, start)] as const];
  });
  return { fields: new Map(fields), body: parts.body };
}

function splitFrontMatter(text: string): { readonly yaml: string; readonly body: string } | undefined {
  const start = OPENING.exec(text)?.[0].length ?? 0;
  const rest = text.slice(start - 1);
  const closing = start === 0 ? null : CLOSING.exec(rest);
  if (closing === null) return undefined;
  return { yaml: rest.slice(1, closing.index), body: rest.slice(closing.index + closing[0].length) };
}

function countValues(value: unknown, room: { left: number }): void {
  if (--room.left < 0) throw new Error(`the front matter holds more than ${MAX_VALUES} values`);
  if (typeof value !== 'object' || value === null) return;
  for (const member of Object.values(value)) countValues(member, room);
}

function readLooseField(field: string, start = ''): LooseValue {
  try {
    const [value] = Object.values(parseYaml(field, { onlyTexts: true }) as object);
    if (Array.isArray(value)) return value.filter((item) => typeof item === 'string' && item !== '');
    return typeof value === 'string' ? value.trim() : '';
  } catch {
    const [first, ...items] = field.slice(start.length).split(/\n[ \t]*-[ \t]+/);
    return first === '' && items.length > 0 ? items.map(unwrap) : unwrap(field.slice(start.length));
  }
}

function unwrap(text: string): string {
  return text.trim().replace(WRAPPED, '$1');
}
