import { isObject } from '@jinn/core/text/is-object';

const MAX_BYTES = 4_096;
/** A picture that is its own content. */
const DATA_IMAGE = /!\[[^\]]*\]\(data:[^)\s]*\)/g;

/** Reads a hover: markup, a marked string, or a list of these, as text of at most 4 KiB; undefined if it is empty. */
export function parseHover(result: unknown): string | undefined {
  const contents = isObject(result) ? result['contents'] : undefined;
  const parts = (Array.isArray(contents) ? contents.slice(0, 100) : [contents]).map(toText);
  const text = parts
    .filter((part) => part !== '')
    .join('\n\n')
    .replace(DATA_IMAGE, '')
    .trim();
  return text === '' ? undefined : cut(text);
}

function toText(part: unknown): string {
  if (typeof part === 'string') return part.trim();
  const value = isObject(part) ? part['value'] : undefined;
  return typeof value === 'string' ? value.trim() : '';
}

function cut(text: string): string {
  if (Buffer.byteLength(text) <= MAX_BYTES) return text;
  const head = Buffer.from(text)
    .subarray(0, MAX_BYTES)
    .toString('utf8')
    .replace(/\ufffd+$/, '');
  return `${head}…`;
}
