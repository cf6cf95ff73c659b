import { createSession } from '@jinn/core';
import type { OperatorLog } from '@jinn/team/audit/operator-log';
import type { Transport } from '@modelcontextprotocol/server';
import { serveStdio as connect } from '@modelcontextprotocol/server/stdio';
import { announceChanges, createServerFactory, type ServerContext } from '../create-server.ts';
import { untilStopped } from '../until-stopped.ts';
import { createStdioTransport, type Streams } from './stdio-transport.ts';

/** How long the last requests may take after the end of input. */
const LAST_ANSWERS_MS = 2_000;
const STOP_MS = 2_000;

/**
 * Serves one connection. It ends when the input ends, when nobody reads the answers, at a signal, or when the parent
 * dies: another process may still hold the parent's end of the pipe. Then calls are aborted, the session is closed, and
 * the process may exit.
 */
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

async function withTimeout(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, timeout]);
  clearTimeout(timer);
}
