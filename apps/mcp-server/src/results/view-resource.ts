import { RESULTS_URI, type Spill } from '@jinn/workspace';
import type { CallToolResult, ClientCapabilities, ReadResourceResult, Resource } from '@modelcontextprotocol/server';

/** The extension of MCP by which a host shows a page of the server beside a result: MCP Apps. */
export const UI_EXTENSION = 'io.modelcontextprotocol/ui';
const MIME_TYPE = 'text/html;profile=mcp-app';
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
    listed: { uri, name: 'result', title: 'What a call did', mimeType: MIME_TYPE, _meta: META },
    has: (given) => given.startsWith(VIEWS_URI),
    read: async (given) => {
      const { default: text } = await import('@jinn/views/view.html');
      return { contents: [{ uri: given, mimeType: MIME_TYPE, text, _meta: META }] };
    },
  };
}

/** Reports whether a client shows such pages. */
export function showsPages({ extensions }: ClientCapabilities): boolean {
  const { mimeTypes } = (extensions?.[UI_EXTENSION] ?? {}) as { readonly mimeTypes?: unknown };
  return Array.isArray(mimeTypes) && mimeTypes.includes(MIME_TYPE);
}

interface ForPrograms {
  readonly visualization?: object;
  readonly meta?: object;
}

/** Replaces a large visualization by its address, from which the page reads it. */
export function keepLargeVisualization(result: CallToolResult, label: string, spill: Spill): CallToolResult {
  const { visualization, ...rest } = (result._meta?.['jinn'] ?? {}) as ForPrograms;
  const json = visualization === undefined ? '' : JSON.stringify(visualization);
  if (json.length <= MAX_BESIDE) return result;
  const path = spill.save(`${label}-visualization`, [Buffer.from(json)]);
  const kept = path !== undefined && {
    meta: { ...rest.meta, visualization_uri: `${RESULTS_URI}${path.slice(path.lastIndexOf('/') + 1)}` },
  };
  return { ...result, _meta: { jinn: { ...rest, ...kept } } };
}
