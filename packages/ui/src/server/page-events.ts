import type { ServerResponse } from 'node:http';

/** A browser has six connections to a server. More streams would leave none for requests. */
const MAX_STREAMS = 4;
const KEEP_ALIVE_MS = 15_000;
/** How long a tab that is loaded again is away. */
const RELOAD_MS = 1_500;

export type PageEvents = ReturnType<typeof createPageEvents>;

/** Sends events to the tabs that have the page open. */
export function createPageEvents() {
  const streams = new Set<ServerResponse>();
  const waiting = new Set<() => void>();
  let last = Date.now();
  const write = (response: ServerResponse, event: object) => void response.write(`data: ${JSON.stringify(event)}\n\n`);
  const keepAlive = setInterval(() => {
    for (const response of streams) response.write(':\n\n');
  }, KEEP_ALIVE_MS);
  const end = (response: ServerResponse) => {
    if (streams.delete(response)) last = Date.now();
  };
  return {
    /** Sends an event to all tabs. */
    send: (event: object) => {
      for (const response of streams) write(response, event);
    },
    /** Makes a response the stream of a tab, which starts with these events. */
    open: (response: ServerResponse, first: readonly object[]) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const event of first) write(response, event);
      streams.add(response);
      response.on('close', () => end(response));
      for (const tell of waiting) tell();
      waiting.clear();
      const [oldest] = streams;
      if (streams.size <= MAX_STREAMS || !oldest) return;
      write(oldest, { type: 'superseded' });
      oldest.end();
      end(oldest);
    },
    /** Reports whether a tab has the page open. Waits for one that may be loading again. */
    isSeen: async () => {
      if (streams.size > 0) return true;
      if (Date.now() - last > RELOAD_MS) return false;
      await new Promise<void>((resolve) => {
        waiting.add(resolve);
        setTimeout(() => {
          waiting.delete(resolve);
          resolve();
        }, RELOAD_MS);
      });
      return streams.size > 0;
    },
    /** Returns when the last tab was there, in milliseconds since 1970. Now while one is. */
    lastSeen: () => (streams.size > 0 ? Date.now() : last),
    close: () => {
      clearInterval(keepAlive);
      for (const response of streams) response.end();
    },
  };
}
