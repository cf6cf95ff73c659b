import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Envelope, Request } from '@jinn/core';
import { makeOwnDirectory } from '@jinn/workspace';
import type { CallEnds } from '../serve.ts';
import { findPlace, inodeOf, type Place, type PlaceOptions, readToken, removeSocket } from './background-place.ts';

/** How long the background process may take to listen. */
const START_MS = 10_000;
const PAUSE_MS = 15;
const REQUEST_ID = 1;
/** A process that works on a call writes something more often than this. */
export const SILENCE_MS = 8_000;

export interface AskedRequest extends Request {
  readonly wantsMeta?: boolean;
}

/**
 * Asks the background process of the workspace. The process is started if it does not run and the call may need a
 * server. Returns undefined if it cannot be asked: then the call runs in this process.
 */
export async function askBackground(
  request: AskedRequest,
  ends: CallEnds,
  options: PlaceOptions,
): Promise<Envelope | undefined> {
  const place = findPlace(options);
  if (!place || !makeOwnDirectory(place.directory)) return undefined;
  const running = await reach(place.socket);
  const answer = await ask(running, place, { request, ends });
  if (answer || ends.signal?.aborted || !(await mayHaveServer(request, options))) return answer;
  const started = await start(place, options.flags);
  return started && ask(started, place, { request, ends });
}

/**
 * Reports whether a server may be started for the file of a request. The answer is yes for a request that names no file
 * or several.
 */
async function mayHaveServer({ args }: Request, { machine }: PlaceOptions): Promise<boolean> {
  const { path } = Object(args);
  if (typeof path !== 'string') return true;
  const { hasServerFor } = await import('@jinn/lsp');
  return hasServerFor(machine, path);
}

interface Connection {
  /** Undefined if nobody listens. */
  readonly socket: Socket | undefined;
  /** What lay at the path before. */
  readonly inode: bigint | undefined;
}

/** Connects to a socket. */
export async function reach(file: string): Promise<Connection> {
  const inode = inodeOf(file);
  const socket = connect(file);
  socket.on('error', () => {});
  const isReached = await Promise.race([
    once(socket, 'connect').then(
      () => true,
      () => false,
    ),
    once(socket, 'close').then(() => false),
  ]);
  return { socket: isReached ? socket : undefined, inode };
}

/**
 * Starts the background process. It outlives this one, and shares neither its terminal nor its output nor its secrets.
 */
async function start({ program, root, environment, socket }: Place, flags: readonly string[]) {
  const argv = [program, 'lsp', 'background', ...flags];
  const child = spawn(process.execPath, argv, { cwd: root, env: environment, detached: true, stdio: 'ignore' });
  child.on('error', () => {});
  child.unref();
  const end = performance.now() + START_MS;
  for (;;) {
    // A process may have ended because another one listens.
    const isOver = performance.now() > end || child.exitCode !== null || child.signalCode !== null;
    const reached = await reach(socket);
    if (reached.socket) return reached;
    if (isOver) return undefined;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/**
 * Sends a request and reads its answer; undefined if nobody listens or the connection ends before. A process that stays
 * silent, since it is stopped, is replaced by the next one.
 */
async function ask(
  { socket, inode }: Connection,
  { directory, socket: file }: Place,
  { request, ends }: { request: AskedRequest; ends: CallEnds },
): Promise<Envelope | undefined> {
  if (!socket) return undefined;
  const { tool, args, client, wantsMeta } = request;
  const lines = createInterface({ input: socket });
  const cancel = () => {
    lines.close();
    socket.destroy();
  };
  socket.setTimeout(SILENCE_MS, () => {
    removeSocket(file, inode);
    cancel();
  });
  ends.signal?.addEventListener('abort', cancel);
  try {
    socket.write(
      `${readToken(directory)} ask\n${JSON.stringify({ tool, args, client, meta: wantsMeta, request_id: REQUEST_ID })}\n`,
    );
    for await (const line of lines) {
      if (line === '') continue;
      const { request_id: _, ...answer } = JSON.parse(line);
      if (!answer.progress) return answer;
      ends.report(answer.progress);
    }
    return undefined;
  } catch {
    return undefined; // The process has ended, or the word cannot be read.
  } finally {
    ends.signal?.removeEventListener('abort', cancel);
    socket.destroy();
  }
}
