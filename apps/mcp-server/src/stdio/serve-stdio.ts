import { createSession, withTimeout } from '@jinn/core';
import type { OperatorLog } from '@jinn/team/audit/operator-log';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { serveStdio as connect } from '@modelcontextprotocol/server/stdio';
import { announceChanges, createServerFactory, type ServerContext } from '../create-server.ts';
import { untilStopped } from '../start/this-program.ts';
import { MAX_MESSAGE_BYTES, type MessageRefusal, parseMessage, refusalOf, tooLarge, toResponse } from './messages.ts';

const LAST_ANSWERS_MS = 2_000;
const STOP_MS = 2_000;

/** Serves one connection until its input ends, its reader or its parent is gone, or a signal comes. */
export async function serveStdio(context: ServerContext, log: OperatorLog, streams: Streams): Promise<void> {
  const transport = createStdioTransport(streams);
  const connection = openConnection(context, log, transport);
  const stop = untilStopped({ signals: ['SIGTERM', 'SIGINT', 'SIGHUP'], withParent: true });
  const inputEnd = transport.ended.then(() => withTimeout(transport.answered(), LAST_ANSWERS_MS));
  await Promise.race([inputEnd, transport.unread, stop.reached]);
  stop.forget();
  await withTimeout(connection.close(), STOP_MS);
}

/** Serves one connection over a transport. `close` ends its calls and its session. */
export function openConnection(context: ServerContext, log: OperatorLog, transport: Transport) {
  const session = createSession();
  const factory = createServerFactory(context);
  const makeServer = () => {
    const server = factory.make(session);
    session.use(() => announceChanges(factory, server));
    return server;
  };
  const connection = connect(makeServer, { transport, onerror: log.failure });
  return {
    close: async () => {
      await connection.close();
      await Promise.all([factory.idle(), session.close()]);
    },
  };
}

const NEWLINE = 10;
const SPACES: readonly number[] = [0x20, 0x09, 0x0d];

export interface Streams {
  readonly input: NodeJS.ReadableStream;
  /** Returns false if the reader has gone away. */
  write(line: string): boolean;
}

export interface StdioTransport extends Transport {
  readonly ended: Promise<void>;
  readonly unread: Promise<void>;
  /** Resolves when each request that was read is answered or canceled. */
  answered(): Promise<void>;
}

/** Reads and writes JSON-RPC, one message a line, in linear time. The SDK's own transport ends at a line that is too long. */
export function createStdioTransport(streams: Streams): StdioTransport {
  const { input } = streams;
  const open = new Set<unknown>();
  const waiting: (() => void)[] = [];
  const markAnswered = (id: unknown) => {
    if (open.delete(id) && open.size === 0) for (const done of waiting.splice(0)) done();
  };
  let end: () => void;
  let giveUp: () => void;
  const write = (line: string) => {
    if (!streams.write(line)) giveUp();
  };
  const sendRefusal = (refusal: MessageRefusal) => write(`${toResponse(refusal)}\n`);
  const lines = createLines(MAX_MESSAGE_BYTES, {
    onLine: (line) => {
      const read = parseMessage(line);
      if ('refusal' in read) sendRefusal(read.refusal);
      else if (!Array.isArray(read.value) || read.value.length === 0) receive(read.value);
      else for (const member of read.value) receive(member); // Batches: revision 2025-03-26.
    },
    onTooLong: () => sendRefusal(tooLarge()),
  });

  function receive(value: unknown): void {
    const refusal = refusalOf(value);
    if (refusal) sendRefusal(refusal);
    else deliver(value as JSONRPCMessage);
  }

  function deliver(value: JSONRPCMessage): void {
    if ('method' in value && 'id' in value) open.add(value.id);
    else if ('method' in value && value.method === 'notifications/cancelled') markAnswered(value.params?.['requestId']);
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
      if (!('method' in message)) markAnswered(message.id);
    },
    close: async () => {
      input.removeAllListeners('data');
      transport.onclose?.();
    },
  };
  return transport;
}

interface LineHandler {
  /** Gets the bytes of a line, without its newline. They may be overwritten when it returns. */
  onLine(line: Buffer): void;
  onTooLong(): void;
}

/** Splits bytes into lines of at most `maxBytes`, in linear time. Blank lines are skipped. */
export function createLines(maxBytes: number, { onLine, onTooLong }: LineHandler) {
  let parts: Buffer[] = [];
  let length = 0;

  function add(part: Buffer): void {
    length += part.length;
    if (length <= maxBytes) parts.push(part);
    else parts = [];
  }

  function finish(): void {
    const [first = Buffer.alloc(0), ...rest] = parts;
    const line = rest.length === 0 ? first : Buffer.concat(parts);
    const isTooLong = length > maxBytes;
    parts = [];
    length = 0;
    if (isTooLong) onTooLong();
    else if (!line.every((byte) => SPACES.includes(byte))) onLine(line);
  }

  return {
    push(chunk: Buffer): void {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        add(chunk.subarray(start, end));
        finish();
        start = end + 1;
      }
      if (start < chunk.length) add(chunk.subarray(start));
    },
    end: finish,
  };
}
