import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { createLines } from './lines.ts';

const MAX_LINE_BYTES = 64 * 1024 * 1024;
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

/** Standard input and output. */
export interface Streams {
  readonly input: NodeJS.ReadableStream;
  /** Returns false if the reader has gone away. */
  write(line: string): boolean;
}

export interface StdioTransport extends Transport {
  /** Resolves when standard input has ended. */
  readonly ended: Promise<void>;
  /** Resolves when nobody reads standard output any more. */
  readonly unread: Promise<void>;
  /** Resolves when each request that was read is answered or canceled. */
  answered(): Promise<void>;
}

/**
 * Reads and writes JSON-RPC, one message a line. The SDK's own transport takes time quadratic in the length of a line, and
 * ends the connection at a line that is too long; this one takes linear time, answers with an error, and reads on.
 */
export function createStdioTransport(streams: Streams): StdioTransport {
  const { input } = streams;
  const open = new Set<unknown>();
  const waiting: (() => void)[] = [];
  const settle = (id: unknown) => {
    if (open.delete(id) && open.size === 0) for (const done of waiting.splice(0)) done();
  };
  let end: () => void;
  let giveUp: () => void;
  const write = (line: string) => {
    if (!streams.write(line)) giveUp();
  };
  const lines = createLines(MAX_LINE_BYTES, {
    onLine: (line) => receive(parse(line)),
    onTooLong: () => write(failure(INVALID_REQUEST, `a message is at most ${MAX_LINE_BYTES / 1024 / 1024} MB`)),
  });

  function receive(value: unknown): void {
    if (value === undefined) {
      write(failure(PARSE_ERROR, 'the line is no JSON'));
    } else if (Array.isArray(value) && value.length > 0) {
      for (const member of value) receive(member); // Batches: revision 2025-03-26.
    } else if (isMessage(value)) {
      deliver(value);
    } else {
      write(failure(INVALID_REQUEST, 'not a JSON-RPC 2.0 message'));
    }
  }

  function deliver(value: JSONRPCMessage): void {
    if ('method' in value && 'id' in value) open.add(value.id);
    else if ('method' in value && value.method === 'notifications/cancelled') settle(value.params?.['requestId']);
    transport.onmessage?.(value);
  }

  const transport: StdioTransport = {
    ended: new Promise((resolve) => {
      end = resolve;
    }),
    unread: new Promise((resolve) => {
      giveUp = resolve;
    }),
    answered: () => (open.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    start: async () => {
      input.on('data', (chunk: Buffer) => lines.push(chunk));
      input.on('error', () => end());
      input.on('end', () => {
        lines.end();
        end();
      });
    },
    send: async (message) => {
      write(`${JSON.stringify(message)}\n`);
      if (!('method' in message)) settle(message.id);
    },
    close: async () => {
      input.removeAllListeners('data');
      transport.onclose?.();
    },
  };
  return transport;
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** The members that tell the kind of a message. The SDK checks the rest. */
function isMessage(value: unknown): value is JSONRPCMessage {
  if (typeof value !== 'object' || value === null || !('jsonrpc' in value) || value.jsonrpc !== '2.0') return false;
  const { method, id, params } = value as { method?: unknown; id?: unknown; params?: unknown };
  if (id !== undefined && typeof id !== 'string' && typeof id !== 'number') return false;
  if (params !== undefined && (typeof params !== 'object' || params === null || Array.isArray(params))) return false;
  return method === undefined ? 'result' in value || 'error' in value : typeof method === 'string';
}

function failure(code: number, message: string): string {
  return `${JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } })}\n`;
}
