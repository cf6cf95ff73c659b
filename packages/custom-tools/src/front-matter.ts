import { readPlainYaml } from './plain-yaml-block.ts';

const MAX_DEPTH = 64;
/** Aliases make a small text into a large value, so the value is counted as it would be printed. */
const MAX_VALUES = 20_000;

export interface FrontMatter {
  readonly fields: unknown;
  /** The text behind the front matter, without blanks around it. */
  readonly body: string;
}

/**
 * Reads the YAML between the `---` lines at the top of a text. Nothing in it is evaluated. Throws an Error that says what is
 * wrong.
 */
export async function readFrontMatter(text: string): Promise<FrontMatter> {
  const [first = '', ...rest] = text.replace(/^\ufeff/, '').split(/\r?\n/);
  // Security: other parsers take a language behind the dashes, `---js` for one, and run what follows.
  if (!/^---[ \t]*$/.test(first)) throw new Error('it must begin with a line --- and YAML front matter');
  const end = rest.findIndex((line) => /^---[ \t]*$/.test(line));
  if (end < 0) throw new Error('the front matter has no end: a line --- is missing');
  const fields = await readYaml(rest.slice(0, end).join('\n'));
  return {
    fields,
    body: rest
      .slice(end + 1)
      .join('\n')
      .trim(),
  };
}

async function readYaml(yaml: string): Promise<unknown> {
  const plain = readPlainYaml(yaml);
  if (plain !== undefined) return plain;
  const { load, CORE_SCHEMA, YAMLException } = await import('js-yaml');
  let value: unknown;
  try {
    value = load(yaml, { schema: CORE_SCHEMA, maxDepth: MAX_DEPTH });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    throw new Error(`the front matter is not YAML: ${error.message.split('\n')[0]}`, { cause: error });
  }
  countValues(value, { left: MAX_VALUES });
  return value;
}

function countValues(value: unknown, room: { left: number }): void {
  if (--room.left < 0) throw new Error(`the front matter holds more than ${MAX_VALUES} values`);
  if (typeof value !== 'object' || value === null) return;
  for (const member of Object.values(value)) countValues(member, room);
}
