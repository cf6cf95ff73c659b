import type { ToolContext } from '@jinn/core';
import { RESULTS_URI } from '@jinn/workspace';

/** A result of more characters is kept in a file. */
const MAX_CHARACTERS = 50_000;
const SHOWN_CHARACTERS = 10_000;
/** The room for the sentence that says where the rest is, with its path. */
const NOTICE_BYTES = 1_000;

export interface BoundText {
  readonly text: string;
  /** How many characters there are, or undefined if all are shown. */
  readonly total?: number;
}

/** The reader of a text that is bounded. */
export type Reader = Pick<ToolContext, 'spill' | 'catalog' | 'maxResult'>;

/**
 * Shows the start of a text of more than 50,000 characters, and says how to read the private file that holds all of
 * it. `whole` is the content of the file. Characters are those of Unicode, so that none is cut in two.
 */
export async function boundText(
  text: string,
  label: string,
  reader: Reader,
  whole: () => string = () => text,
): Promise<BoundText> {
  const total = text.length > MAX_CHARACTERS ? countCharacters(text) : 0;
  if (total <= MAX_CHARACTERS) return { text };
  const path = reader.spill.save(label, [Buffer.from(whole())]);
  const rest = path === undefined ? 'The full result could not be kept' : await howToRead(path, reader);
  const shown = firstCharacters(text, SHOWN_CHARACTERS, (reader.maxResult ?? Number.POSITIVE_INFINITY) - NOTICE_BYTES);
  return { text: `${shown}\n\n[Result truncated: ${total} characters in total. ${rest}]`, total };
}

async function howToRead(path: string, { catalog, maxResult }: Reader): Promise<string> {
  const { tools } = await catalog.list();
  // No custom tool has the name of a built-in one.
  const tool = tools.find(({ name }) => name === 'read_file');
  const name = path.slice(path.lastIndexOf('/') + 1);
  // A model reads the answer unchanged only over MCP, which has the file as a resource.
  const resource = maxResult === undefined ? undefined : `read it as the resource ${RESULTS_URI}${name}`;
  const way = tool
    ? `read it with ${tool.name}`
    : (resource ?? 'no tool here opens it, since it is outside of the working directory');
  return `The full result is in ${path} (${way})`;
}

function countCharacters(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += widthAt(text, at)) count++;
  return count;
}

function firstCharacters(text: string, count: number, maxBytes: number): string {
  let end = 0;
  let bytes = 0;
  for (let left = count; left > 0 && end < text.length; left--) {
    const width = widthAt(text, end);
    bytes += Buffer.byteLength(text.slice(end, end + width));
    if (bytes > maxBytes) break;
    end += width;
  }
  return text.slice(0, end);
}

function widthAt(text: string, at: number): 1 | 2 {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}
