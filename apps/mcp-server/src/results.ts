import type { OpenFile, Spill } from '@jinn/core';
import { type CallToolResult, ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server';

/** How much is shown of a text that is too large. */
const MAX_SHOWN_BYTES = 100_000;
/** The largest range that one read of a resource returns, and the default. */
const MAX_RANGE_BYTES = 1024 * 1024;
const DEFAULT_RANGE_BYTES = 100_000;
const SCHEME = 'jinn://results/';
const MIME_TYPE = 'text/plain';
/** The first protocol revision with links to resources in results. */
const FIRST_WITH_LINKS = '2025-06-18';

/** Keeps results that are too large for a message. */
export interface Results {
  /** Cuts the text of a result that is too large, and keeps the whole text as a resource. */
  bound(label: string, result: CallToolResult, revision: string | undefined): CallToolResult;
  /** Registers the request handlers for the resources. */
  serve(server: Server): void;
}

/**
 * Keeps large results as spill files, for a day. Their names cannot be guessed, so whoever knows one may read it, from
 * another connection too. `directory` is the directory of `spill`; `maxBytes` is the largest text that is not cut.
 */
export function createResults(spill: Spill, directory: string | undefined, maxBytes: number): Results {
  return {
    bound: (label, result, revision) => {
      const [first, ...rest] = result.content;
      if (first?.type !== 'text' || Buffer.byteLength(first.text) <= maxBytes) return result;
      const bytes = Buffer.from(first.text);
      const uri = keep(spill, label, bytes);
      const text = cut(bytes, uri, Math.min(maxBytes, MAX_SHOWN_BYTES));
      const link = {
        type: 'resource_link',
        uri: uri ?? '',
        name: label,
        mimeType: MIME_TYPE,
        size: bytes.length,
      } as const;
      const links = uri !== undefined && (revision ?? '') >= FIRST_WITH_LINKS ? [link] : [];
      return { ...result, content: [{ type: 'text', text }, ...rest, ...links] };
    },
    serve: (server) => {
      server.setRequestHandler('resources/list', () => ({ resources: [] }));
      server.setRequestHandler('resources/templates/list', () => ({
        resourceTemplates: [
          {
            uriTemplate: `${SCHEME}{name}{?offset,limit}`,
            name: 'result',
            title: 'Large result',
            description: `A range of bytes of a result that was too large; the first ${DEFAULT_RANGE_BYTES} by default.`,
            mimeType: MIME_TYPE,
          },
        ],
      }));
      server.setRequestHandler('resources/read', ({ params: { uri } }) => {
        const file = directory === undefined ? undefined : open(spill, directory, uri);
        if (file === undefined)
          throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Resource not found: ${uri}`, { uri });
        try {
          return { contents: [{ uri, mimeType: MIME_TYPE, text: readRange(file, new URL(uri)) }] };
        } finally {
          file.close();
        }
      });
    },
  };
}

function keep(spill: Spill, label: string, bytes: Buffer): string | undefined {
  const path = spill.save(label, [bytes]);
  return path === undefined ? undefined : `${SCHEME}${path.slice(path.lastIndexOf('/') + 1)}`;
}

function cut(bytes: Buffer, uri: string | undefined, shown: number): string {
  const end = characterStart(bytes, shown);
  const next =
    uri === undefined ? 'Ask for less' : `Read ${uri}?offset=${end}&limit=${DEFAULT_RANGE_BYTES} to continue`;
  return `${bytes.toString('utf8', 0, end)}\n[Showing the first ${end} of ${bytes.length} bytes. ${next}.]`;
}

function open(spill: Spill, directory: string, uri: string): OpenFile | undefined {
  if (!uri.startsWith(SCHEME)) return undefined;
  const [name] = uri.slice(SCHEME.length).split('?');
  return spill.open(`${directory}/${name}`);
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
