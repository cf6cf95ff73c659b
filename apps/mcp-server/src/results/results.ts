import type { Outcome, Session } from '@jinn/core';
import { type ToolTraits, toModelContent } from '@jinn/core/model-content';
import { characterStart, countLineFeeds } from '@jinn/core/text/counted';
import { MAX_SPILL_BYTES, type OpenFile, RESULTS_URI, type Spill } from '@jinn/workspace';
import {
  type CallToolResult,
  type ClientCapabilities,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type ServerContext as RequestContext,
  type Resource,
  type Server,
  type TextResourceContents,
} from '@modelcontextprotocol/server';
import { capabilitiesOf } from '../request-facts.ts';
import { fitLines } from './tool-list.ts';

/** The least space for what follows the first text of a result. */
export const LEAST_BESIDE_BYTES = 400;
const LEAST_BYTES = 1_000;
const FOOTER_BYTES = 300;
const MAX_RANGE_BYTES = 1024 * 1024;
const DEFAULT_RANGE_BYTES = 20_000;
const MIME_TYPE = 'text/plain';
const FIRST_WITH_LINKS = '2025-06-18';
const LINE_FEED = 10;

const RESULT_TEMPLATE = {
  uriTemplate: `${RESULTS_URI}{name}{?offset,limit}`,
  name: 'result',
  title: 'Large result',
  description: `A range of bytes of a result that was too large. Default: the first ${DEFAULT_RANGE_BYTES}.`,
  mimeType: MIME_TYPE,
};

export interface UnboundedResult {
  readonly label: string;
  readonly result: CallToolResult;
  readonly data: object | undefined;
  readonly maxBytes: number;
  readonly maxJson: number | undefined;
  readonly reader: string | undefined;
  readonly revision: string | undefined;
  readonly ctx: RequestContext;
}

/** Keeps results that are too large for a message. */
export interface Results {
  /** Cuts the texts of a result to `maxBytes` together. A first text that is cut is saved. The others get LEAST_BESIDE_BYTES or more. */
  bound(given: UnboundedResult): CallToolResult;
  /** Reads the range of a result that a URI asks for, or undefined if there is no such result. */
  read(uri: string, ctx: RequestContext): TextResourceContents | undefined;
}

/** Keeps large results as spill files for a day. `spillOf` returns those of the user, who may read them from another connection too. */
export function createResults(spillOf: (ctx: RequestContext) => Spill): Results {
  const results: Results = {
    bound: (given) => {
      const result = boundTexts(spillOf(given.ctx), given);
      const size = given.maxJson === undefined ? 0 : jsonOf(result.content);
      if (given.maxJson === undefined || size <= given.maxJson || given.maxBytes < LEAST_BYTES) return result;
      const bytes = Math.min(given.maxBytes, textBytesOf(result.content));
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
  if (textBytesOf(content) <= given.maxBytes) return given.result;
  if (first?.type !== 'text') return { ...given.result, content: fitTexts(content, given.maxBytes) };
  const left = given.maxBytes - Buffer.byteLength(first.text);
  const rest = fitTexts(others, Math.max(left, LEAST_BESIDE_BYTES));
  const maxBytes = given.maxBytes - textBytesOf(rest);
  if (Buffer.byteLength(first.text) <= maxBytes) return { ...given.result, content: [first, ...rest] };
  const { text, links } = cut(spill, first.text, { ...given, maxBytes });
  return { ...given.result, content: [{ type: 'text', text }, ...rest, ...links] };
}

type Content = CallToolResult['content'];

/** Counts the bytes of all texts. */
export function textBytesOf(content: Content): number {
  return content.reduce((sum, block) => sum + (block.type === 'text' ? Buffer.byteLength(block.text) : 0), 0);
}

// Hosts take out images.
function jsonOf(content: Content): number {
  return JSON.stringify({ content: content.filter(({ type }) => type !== 'image') }).length;
}

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

function cut(spill: Spill, text: string, { label, data, maxBytes, reader, revision }: UnboundedResult) {
  const bytes = Buffer.from(data ? JSON.stringify(data, null, 1) : text);
  const path = spill.save(label, [bytes]);
  const room = Math.max(1, maxBytes - FOOTER_BYTES - Buffer.byteLength(path ?? ''));
  const newline = bytes.lastIndexOf(LINE_FEED, room - 1);
  const kept =
    bytes.length > MAX_SPILL_BYTES ? `, of which the first ${MAX_SPILL_BYTES / 1024 / 1024} MB are kept` : '';
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

function countLines(bytes: Buffer): number {
  return countLineFeeds(bytes) + (bytes.at(-1) === LINE_FEED ? 0 : 1);
}

function open(spill: Spill, uri: string): OpenFile | undefined {
  if (!uri.startsWith(RESULTS_URI)) return undefined;
  const [name] = uri.slice(RESULTS_URI.length).split('?');
  return spill.open(`${spill.directory}/${name}`);
}

// Consecutive ranges join to the whole text.
function readRange(file: OpenFile, { searchParams }: URL): string {
  const offset = toCount(searchParams.get('offset'), 0);
  const limit = Math.min(toCount(searchParams.get('limit'), DEFAULT_RANGE_BYTES), MAX_RANGE_BYTES);
  const bytes = file.slice(offset, offset + limit + 3);
  return bytes.toString('utf8', characterStart(bytes, 0), characterStart(bytes, limit));
}

function toCount(text: string | null, fallback: number): number {
  const count = Number(text ?? fallback);
  return Number.isSafeInteger(count) && count >= 0 ? count : fallback;
}

export interface ResultRead {
  readonly uri: string;
  /** Undefined if there is no such result. */
  readonly text: string | undefined;
  readonly ms: number;
}

interface ServedResources {
  readonly results: Results;
  readonly view: ViewResource | undefined;
  onRead(read: ResultRead, ctx: RequestContext): void;
}

/** Serves long results, and the page for hosts that show one, as resources. */
export function serveResources(server: Server, { results, view, onRead }: ServedResources): void {
  server.setRequestHandler('resources/list', (_, ctx) => ({
    resources: view && showsPages(capabilitiesOf(server, ctx)) ? [view.listed] : [],
  }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [RESULT_TEMPLATE] }));
  server.setRequestHandler('resources/read', ({ params: { uri } }, ctx) => {
    if (view?.has(uri)) return view.read(uri);
    const start = performance.now();
    const contents = results.read(uri, ctx);
    onRead({ uri, text: contents?.text, ms: performance.now() - start }, ctx);
    if (contents) return { contents: [contents] };
    const why = uri.startsWith(RESULTS_URI)
      ? '. A long result is kept here for a day at most, on the server that gave it: make that call again'
      : '';
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Resource not found: ${uri}${why}`, { uri });
  });
}

/** The extension of MCP by which a host shows a page of the server next to a result: MCP Apps. */
export const UI_EXTENSION = 'io.modelcontextprotocol/ui';
const VIEW_TYPE = 'text/html;profile=mcp-app';
const VIEWS_URI = 'ui://jinn/';
/** A host asks for no CSP, since the page needs nothing from anywhere. The cards of the page have a border of their own. */
const META = { ui: { permissions: { clipboardWrite: {} }, prefersBorder: false } };
/** The largest visualization that goes with a result. A larger one is kept, and the page reads it. */
const MAX_BESIDE = 256 * 1024;

export interface ViewResource {
  /** The URI has the version in it, since hosts keep what they have read. */
  readonly uri: string;
  readonly listed: Resource;
  /** Reports whether the URI names the page, of this version or another. */
  has(uri: string): boolean;
  read(uri: string): Promise<ReadResourceResult>;
}

export function createViewResource(version: string): ViewResource {
  const uri = `${VIEWS_URI}result-${version}.html`;
  return {
    uri,
    listed: { uri, name: 'result', title: 'What a call did', mimeType: VIEW_TYPE, _meta: META },
    has: (given) => given.startsWith(VIEWS_URI),
    read: async (given) => {
      const { default: text } = await import('@jinn/views/view.html');
      return { contents: [{ uri: given, mimeType: VIEW_TYPE, text, _meta: META }] };
    },
  };
}

/** Reports whether a client shows such pages. */
export function showsPages({ extensions }: ClientCapabilities): boolean {
  const { mimeTypes } = (extensions?.[UI_EXTENSION] ?? {}) as { readonly mimeTypes?: unknown };
  return Array.isArray(mimeTypes) && mimeTypes.includes(VIEW_TYPE);
}

/** Replaces a large visualization by its address, from which the page reads it. */
export function keepLargeVisualization(result: CallToolResult, label: string, spill: Spill): CallToolResult {
  const { visualization, ...rest } = (result._meta?.['jinn'] ?? {}) as { visualization?: object; meta?: object };
  const json = visualization === undefined ? '' : JSON.stringify(visualization);
  if (json.length <= MAX_BESIDE) return result;
  const path = spill.save(`${label}-visualization`, [Buffer.from(json)]);
  const kept = path !== undefined && {
    meta: { ...rest.meta, visualization_uri: `${RESULTS_URI}${path.slice(path.lastIndexOf('/') + 1)}` },
  };
  return { ...result, _meta: { jinn: { ...rest, ...kept } } };
}

const MAX_META = 2_048;

/** Formats an outcome for `tools/call`. Data is given once, as text, since hosts show either that or `structuredContent`. */
export function toMcpResult(
  outcome: Outcome,
  tool: ToolTraits,
  session: Pick<Session, 'endsWithCall'>,
): CallToolResult {
  const content = [...toModelContent(outcome, tool, session)];
  if (!outcome.ok) {
    const { code, details } = outcome.error;
    return {
      isError: true,
      content,
      ...toMeta({ error_code: code, ...details, ...(details?.meta && { meta: small(details.meta) }) }),
    };
  }
  const { ok: _, text: __, data: ___, content: ____, warnings: _____, picture: ______, ...rest } = outcome;
  const { totalCount, meta: all, ...more } = rest;
  const meta = all && small(all);
  const total = totalCount !== undefined && { total_count: totalCount };
  return { content, ...toMeta({ ...more, ...total, ...(meta && { meta }) }) };
}

function small(meta: object): object {
  return Object.fromEntries(
    Object.entries(meta).filter(([, value]) => value !== undefined && JSON.stringify(value).length <= MAX_META),
  );
}

function toMeta(rest: object) {
  return Object.keys(rest).length > 0 && { _meta: { jinn: rest } };
}

const KB = 1024;

interface TextBudget {
  readonly usual: number;
  /** For a tool whose answers are of little use in parts. */
  readonly most: number;
}

const DEFAULT: TextBudget = { usual: 24 * KB, most: 64 * KB };

/** Cline shows the model the JSON of the whole result, and cuts the middle out of more than 8,000 characters. */
const SHOWS_JSON = /^(@cline\/core|Cline)$/;
const MAX_JSON = 7_900;

/** The known hosts, by the names that they give themselves. They cut longer texts, or keep a preview of them. */
const KNOWN: readonly (readonly [name: RegExp, budget: TextBudget])[] = [
  // It passes on up to `anthropic/maxResultSizeChars` of the tool, at most 500,000 characters.
  [/^claude-code$/, { usual: 24 * KB, most: 400 * KB }],
  [/^codex/, { usual: 10 * KB, most: 10 * KB }],
  [/^gemini-cli/, { usual: 24 * KB, most: 38 * KB }],
  [/^opencode/, { usual: 24 * KB, most: 48 * KB }],
  [SHOWS_JSON, { usual: 6.5 * KB, most: 6.5 * KB }],
];

/** Returns the most characters of JSON that a result may have, or undefined for a client whose model sees only texts. */
export function jsonLimitOf(client: string | undefined, operator: number | undefined): number | undefined {
  if (!SHOWS_JSON.test(client ?? '')) return undefined;
  return operator === undefined ? MAX_JSON : Number.POSITIVE_INFINITY;
}

/** Returns the most text of an answer in bytes. The limit of the operator is for all hosts and tools. `wanted` is that of the tool. */
export function budgetOf(client: string | undefined, wanted: number | undefined, operator: number | undefined): number {
  if (operator !== undefined) return operator;
  const { usual, most } = KNOWN.find(([name]) => name.test(client ?? ''))?.[1] ?? DEFAULT;
  return wanted === undefined ? usual : Math.min(wanted, most);
}
