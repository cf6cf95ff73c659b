import { createSession } from '@jinn/core';
import type { OperatorLog } from '@jinn/team/audit/operator-log';
import { serveStdio as connect } from '@modelcontextprotocol/server/stdio';
import { announceChanges, createServerFactory, type ServerContext } from '../create-server.ts';
import { untilStopped } from '../start/this-program.ts';
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
  const session = createSession();
  const transport = createStdioTransport(streams);
  const factory = createServerFactory(context);
  const makeServer = () => {
    const server = factory.make(session);
    session.use(() => announceChanges(factory, server));
    return server;
  };
  const connection = connect(makeServer, { transport, onerror: log.failure });
  const stop = untilStopped(['SIGTERM', 'SIGINT', 'SIGHUP'], { withParent: true });
  const inputEnd = transport.ended.then(() => withTimeout(transport.answered(), LAST_ANSWERS_MS));
  await Promise.race([inputEnd, transport.unread, stop.reached]);
  stop.forget();
  await withTimeout(
    connection.close().then(() => Promise.all([factory.idle(), session.close()])),
    STOP_MS,
  );
}

async function withTimeout(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, timeout]);
  clearTimeout(timer);
}
