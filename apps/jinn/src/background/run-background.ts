import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { createSessionServers } from '@jinn/lsp';
import type { Engine } from '@jinn/toolsets';
import { makeOwnDirectory } from '@jinn/workspace';
import { type Answerer, serve } from '../serve.ts';
import { reach } from './ask-background.ts';
import {
  findPlace,
  inodeOf,
  type Place,
  type PlaceOptions,
  readToken,
  removeSocket,
  workspaceKey,
} from './background-place.ts';

/** How often the process looks whether it is still needed. */
const LOOK_MS = 1_000;
/** How long the process waits for a first call. */
const FIRST_CALL_MS = 15_000;
const MAX_GREETING = 200;
const GREETING_MS = 5_000;
/** How often a caller hears that its call is worked on. */
const HEARTBEAT_MS = 2_000;

export interface Background extends PlaceOptions {
  readonly engine: Engine;
  readonly answerer: Answerer;
}

/**
 * Answers the calls of other processes of the user in this workspace with servers that stay warm. Returns when no
 * server runs and nobody asks, when somebody has stopped it, or when its program, workspace, settings or socket have
 * changed.
 */
export async function runBackground(options: Background): Promise<void> {
  const place = findPlace(options);
  if (!place || !makeOwnDirectory(place.directory)) return;
  const token = readToken(place.directory);
  const listening = await listen(place);
  if (!listening) return;
  const { server, own } = listening;
  const callers = new Callers(options.answerer, token);
  server.on('connection', (socket) => void callers.take(socket));
  try {
    await whenDone(options, { place, own, callers });
  } finally {
    removeSocket(place.socket, own);
    server.close();
    await options.engine.close();
  }
}

interface BackgroundState {
  readonly place: Place;
  readonly own: bigint | undefined;
  readonly callers: Callers;
}

async function whenDone({ engine, ...options }: Background, { place, own, callers }: BackgroundState): Promise<void> {
  const startedAt = performance.now();
  const isReplaced = () => inodeOf(place.socket) !== own || findPlace(options)?.socket !== place.socket;
  const isIdle = async () =>
    (callers.hasAnswered || performance.now() - startedAt > FIRST_CALL_MS) &&
    !(await engine.session.use(createSessionServers).isRunning());
  while (!callers.isStopped) {
    await Promise.race([callers.stopped, new Promise((resolve) => setTimeout(resolve, LOOK_MS))]);
    if (isReplaced() || (callers.open === 0 && (await isIdle()) && callers.open === 0)) return;
  }
}

/** The processes that ask. */
class Callers {
  readonly stopped: Promise<void>;
  isStopped = false;
  hasAnswered = false;
  open = 0;
  readonly #answerer: Answerer;
  readonly #token: string;
  #stop: () => void = () => {};

  constructor(answerer: Answerer, token: string) {
    this.#answerer = answerer;
    this.#token = token;
    this.stopped = new Promise((resolve) => {
      this.#stop = resolve;
    });
    process.once('SIGTERM', () => void this.#end());
  }

  /** Answers one caller. Security: it must know the secret that only the user can read; others get no answer. */
  async take(socket: Socket): Promise<void> {
    this.open++;
    socket.on('error', () => {});
    try {
      const greeting = await readGreeting(socket);
      const wanted = greeting && readWanted(greeting.line, this.#token);
      if (wanted === 'stop') await this.#end(socket);
      else if (greeting && wanted === 'ask') await this.#answer(socket, greeting.rest);
    } finally {
      socket.destroy();
      this.open--;
    }
  }

  async #answer(socket: Socket, rest: Buffer): Promise<void> {
    const wire = {
      read: () => undefined,
      readAsync: () => readRequests(socket, rest),
      write: (line: string) => void socket.write(line),
      hold() {},
      release() {},
    };
    const heartbeat = setInterval(() => socket.write('\n'), HEARTBEAT_MS);
    await serve(wire, this.#answerer).finally(() => clearInterval(heartbeat));
    this.hasAnswered = true;
  }

  /**
   * Lets the process end, and keeps the connection of the caller that asked for it: the caller sees the end when the
   * connection closes.
   */
  async #end(socket?: Socket): Promise<void> {
    this.isStopped = true;
    this.#stop();
    if (socket) await once(socket, 'close');
  }
}

/** Yields the requests of a caller. A caller that goes away before its answer cancels the call. */
async function* readRequests(socket: Socket, rest: Buffer): AsyncGenerator<Uint8Array> {
  yield rest;
  try {
    for await (const chunk of socket) yield chunk;
  } catch {
    // The connection has ended, however that may be.
  }
  yield Buffer.from('{"cancel":1}\n');
}

/** Reads the first line, and what has come after it; undefined if no line comes, or it is too long. */
async function readGreeting(socket: Socket): Promise<{ line: string; rest: Buffer } | undefined> {
  const timer = setTimeout(() => socket.destroy(), GREETING_MS);
  try {
    let bytes = Buffer.alloc(0);
    while (bytes.length <= MAX_GREETING || bytes.includes('\n')) {
      const end = bytes.indexOf('\n');
      if (end >= 0) return { line: bytes.toString('latin1', 0, end), rest: bytes.subarray(end + 1) };
      const [chunk] = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => [undefined])]);
      socket.pause();
      if (!Buffer.isBuffer(chunk)) return undefined;
      bytes = Buffer.concat([bytes, chunk]);
    }
    return undefined;
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

function readWanted(greeting: string, token: string): string | undefined {
  const [word = '', wanted] = greeting.split(' ');
  const [given, known] = [Buffer.from(word), Buffer.from(token)];
  return given.length === known.length && timingSafeEqual(given, known) ? wanted : undefined;
}

interface ListeningSocket {
  readonly server: Server;
  /** Identifies its socket, as against a later one of that name. */
  readonly own: bigint | undefined;
}

/**
 * Listens at the socket of a place. The socket gets its name only when it listens: so a socket that does not answer was
 * left by a process that has ended, and may be removed. Returns undefined if another process listens there.
 */
async function listen({ directory, root, socket }: Place): Promise<ListeningSocket | undefined> {
  const draft = path.join(directory, `${workspaceKey(root)}-${process.pid}.sock`);
  fs.rmSync(draft, { force: true });
  const listening = await listenAt(draft);
  if (!listening) return undefined;
  const isPlaced = link(draft, socket) || ((await removeStale(socket)) && link(draft, socket));
  fs.rmSync(draft, { force: true });
  if (isPlaced) return listening;
  listening.server.close();
  return isPlaced === undefined ? listenAt(socket) : undefined;
}

/** Listens at a file that is not there yet; returns undefined if that cannot be. */
async function listenAt(file: string): Promise<ListeningSocket | undefined> {
  const server = createServer({ allowHalfOpen: true });
  const isListening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(file, () => resolve(true));
  });
  return isListening ? { server, own: inodeOf(file) } : undefined;
}

/**
 * Gives a file one more name. Returns false if there is a file of that name, and undefined if a socket cannot have two.
 */
function link(file: string, name: string): boolean | undefined {
  try {
    fs.linkSync(file, name);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EEXIST' ? false : undefined;
  }
}

/** Removes a socket that nobody listens at. Returns false if somebody does. */
async function removeStale(file: string): Promise<boolean> {
  const { socket: other, inode } = await reach(file);
  other?.destroy();
  if (other) return false;
  removeSocket(file, inode);
  return true;
}
