import { MAX_SPILL_BYTES, type OpenFile, RESULTS_URI, type Spill } from '@jinn/workspace';
import type { CallToolResult, ServerContext, TextResourceContents } from '@modelcontextprotocol/server';
import { fitLines } from './fit-lines.ts';

/** The least room for what stands beside the first text of a result. */
export const LEAST_BESIDE_BYTES = 400;
/** A result is not cut to less. */
const LEAST_BYTES = 1_000;
/** The room for the line that says how to go on, without the path in it. */
const FOOTER_BYTES = 300;
/** The largest range that one read of a resource returns, and the default. */
const MAX_RANGE_BYTES = 1024 * 1024;
const DEFAULT_RANGE_BYTES = 20_000;
const MIME_TYPE = 'text/plain';
/** The first protocol revision with links to resources in results. */
const FIRST_WITH_LINKS = '2025-06-18';
const LINE_FEED = 10;

/** Describes the resources of long results. */
export const RESULT_TEMPLATE = {
  uriTemplate: `${RESULTS_URI}{name}{?offset,limit}`,
  name: 'result',
  title: 'Large result',
  description: `A range of bytes of a result that was too large; the first ${DEFAULT_RANGE_BYTES} by default.`,
  mimeType: MIME_TYPE,
};

export interface UnboundedResult {
  /** The name of the file that keeps the rest. */
  readonly label: string;
  readonly result: CallToolResult;
  /** The data that the text of the result is the JSON of. */
  readonly data: object | undefined;
  readonly maxBytes: number;
  /** The most characters of JSON of the whole result, if there is such a limit. */
  readonly maxJson: number | undefined;
  /** The name of the tool by which the model can read the files that jinn keeps, if there is one. */
  readonly reader: string | undefined;
  readonly revision: string | undefined;
  readonly ctx: ServerContext;
}

/** Keeps results that are too large for a message. */
export interface Results {
  /**
   * Cuts the texts of a result to `maxBytes` together. What stands beside the first text, such as warnings, gets what that
   * leaves, or at least LEAST_BESIDE_BYTES. The first text is kept whole in a file if it is cut.
   */
  bound(given: UnboundedResult): CallToolResult;
  /** Reads the range of a result that a URI asks for; undefined if there is no such result. */
  read(uri: string, ctx: ServerContext): TextResourceContents | undefined;
}

/**
 * Keeps large results as spill files, for a day. `spillOf` returns those of the person who sent a request, who may read
 * them from another connection too.
 */
export function createResults(spillOf: (ctx: ServerContext) => Spill): Results {
  const results: Results = {
    bound: (given) => {
      const result = boundTexts(spillOf(given.ctx), given);
      const size = given.maxJson === undefined ? 0 : jsonOf(result.content);
      if (given.maxJson === undefined || size <= given.maxJson || given.maxBytes < LEAST_BYTES) return result;
      const bytes = Math.min(given.maxBytes, bytesOf(result.content));
      return results.bound({ ...given, maxBytes: Math.floor((bytes * given.maxJson) / size) - 1 });
    },
    read: (uri, ctx) => {
      const file = open(spillOf(ctx), uri);
      if (file === undefined) return undefined;
      try {
        return { uri, mimeType: MIME_TYPE, text: readRange(file, new URL(uri)) };
      } finally {
        file.close();
      }
    },
  };
  return results;
}

function boundTexts(spill: Spill, given: UnboundedResult): CallToolResult {
  const { content } = given.result;
  const [first, ...others] = content;
  if (bytesOf(content) <= given.maxBytes) return given.result;
  if (first?.type !== 'text') return { ...given.result, content: fitTexts(content, given.maxBytes) };
  const left = given.maxBytes - Buffer.byteLength(first.text);
  const rest = fitTexts(others, Math.max(left, LEAST_BESIDE_BYTES));
  const maxBytes = given.maxBytes - bytesOf(rest);
  if (Buffer.byteLength(first.text) <= maxBytes) return { ...given.result, content: [first, ...rest] };
  const { text, links } = cut(spill, first.text, { ...given, maxBytes });
  return { ...given.result, content: [{ type: 'text', text }, ...rest, ...links] };
}

type Content = CallToolResult['content'];

/** Counts the bytes of all texts. */
export function bytesOf(content: Content): number {
  return content.reduce((sum, block) => sum + (block.type === 'text' ? Buffer.byteLength(block.text) : 0), 0);
}

/** Returns the number of characters of the JSON of all blocks but images, which hosts take out. */
function jsonOf(content: Content): number {
  return JSON.stringify({ content: content.filter(({ type }) => type !== 'image') }).length;
}

/** Cuts texts so that they fit into `maxBytes` together. Each may take what the others leave of their shares. */
function fitTexts(content: Content, maxBytes: number): Content {
  let room = maxBytes;
  let count = content.filter(({ type }) => type === 'text').length;
  return content.map((block) => {
    if (block.type !== 'text') return block;
    const text = fitLines(block.text, Math.floor(room / count--));
    room -= Buffer.byteLength(text);
    return { ...block, text };
  });
}

/** Shows the beginning of a text. Data is laid out in lines, so that it can be read in parts. */
function cut(spill: Spill, text: string, { label, data, maxBytes, reader, revision }: UnboundedResult) {
  const bytes = Buffer.from(data ? JSON.stringify(data, null, 1) : text);
  const path = spill.save(label, [bytes]);
  const room = Math.max(1, maxBytes - FOOTER_BYTES - Buffer.byteLength(path ?? ''));
  const newline = bytes.lastIndexOf(LINE_FEED, room - 1);
  const kept = bytes.length > MAX_SPILL_BYTES ? `; the first ${MAX_SPILL_BYTES / 1024 / 1024} MB of it are kept` : '';
  if (path !== undefined && reader !== undefined && newline > 0) {
    const shown = countLines(bytes.subarray(0, newline + 1));
    const next = JSON.stringify({ path, start_line: shown + 1, line_numbers: false });
    const footer = `[Showing lines 1-${shown} of ${countLines(bytes)}${kept}. Call ${reader} with ${next} to continue.]`;
    return { text: `${bytes.toString('utf8', 0, newline + 1)}${footer}`, links: [] };
  }
  const end = characterStart(bytes, room);
  const uri = path === undefined ? undefined : `${RESULTS_URI}${path.slice(path.lastIndexOf('/') + 1)}`;
  const next =
    uri === undefined ? 'Ask for less' : `Read ${uri}?offset=${end}&limit=${DEFAULT_RANGE_BYTES} to continue`;
  const footer = `[Showing the first ${end} of ${bytes.length} bytes${kept}. ${next}.]`;
  const link = { type: 'resource_link', uri: uri ?? '', name: label, mimeType: MIME_TYPE, size: bytes.length } as const;
  const links = uri !== undefined && (revision ?? '') >= FIRST_WITH_LINKS ? [link] : [];
  return { text: `${bytes.toString('utf8', 0, end)}\n${footer}`, links };
}

/** Counts the lines; a last line without a newline counts. */
function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) count++;
  return bytes.at(-1) === LINE_FEED ? count : count + 1;
}

function open(spill: Spill, uri: string): OpenFile | undefined {
  if (!uri.startsWith(RESULTS_URI)) return undefined;
  const [name] = uri.slice(RESULTS_URI.length).split('?');
  return spill.open(`${spill.directory}/${name}`);
}

/** Reads the range that the URI asks for, moved to character boundaries, so that consecutive ranges join to the whole text. */
function readRange(file: OpenFile, { searchParams }: URL): string {
  const offset = toCount(searchParams.get('offset'), 0);
  const limit = Math.min(toCount(searchParams.get('limit'), DEFAULT_RANGE_BYTES), MAX_RANGE_BYTES);
  const bytes = file.slice(offset, offset + limit + 3);
  return bytes.toString('utf8', characterStart(bytes, 0), characterStart(bytes, limit));
}

/** Returns the first offset from `at` on where a UTF-8 character begins. */
function characterStart(bytes: Buffer, at: number): number {
  let start = Math.min(at, bytes.length);
  while (start < bytes.length && ((bytes[start] as number) & 0xc0) === 0x80) start++;
  return start;
}

function toCount(text: string | null, fallback: number): number {
  const count = Number(text ?? fallback);
  return Number.isSafeInteger(count) && count >= 0 ? count : fallback;
}
