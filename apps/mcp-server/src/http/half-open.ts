import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** How long a connection may be silent although there are too many: many clients may well connect at once. */
const GRACE_MS = 500;

/**
 * Bounds the connections that have not sent a whole request yet: when there are more, those that have been silent longest
 * are closed. Otherwise whoever opens connections and stays silent would keep all others out, without a token.
 */
export function boundHalfOpen(server: Server, max: number): void {
  /** When each was opened; the oldest come first. */
  const silent = new Map<Socket, number>();
  const closeOldest = () => {
    for (const [socket, opened] of silent) {
      if (silent.size <= max || performance.now() - opened < GRACE_MS) return;
      silent.delete(socket);
      socket.destroy();
    }
  };
  server.on('connection', (socket: Socket) => {
    silent.set(socket, performance.now());
    socket.once('close', () => silent.delete(socket));
    closeOldest();
  });
  server.on('drop', closeOldest);
  server.on('request', ({ socket }) => void silent.delete(socket));
}
