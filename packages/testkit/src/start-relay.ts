import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { makeTempDirectory } from './temp-directory.ts';

const SOCKET = '.s.PGSQL.5432';
/** The message of the database when it has done everything that it was sent, outside of a transaction. */
const READY = Buffer.from('Z\0\0\0\x05I', 'latin1');
const LENGTH_BYTES = 4;

/** In what servers tell each other once a second. It comes between all else, so that neither it nor its answers count. */
const PRESENCE = 'presence';

/** After so many messages of clients, or after so many answers of the database. */
type Place = { readonly messages: number } | { readonly answers: number };

/**
 * Passes on what goes to the database at a URL, and counts how often it answers. Once it is told to, it cuts a connection, or keeps
 * what comes; and `lastWords` end the first one, in one piece with what the database says when it is ready.
 */
export async function startRelay(database: string, lastWords?: Buffer) {
  const place = new URL(database).searchParams.get('host') as string;
  const directory = makeTempDirectory();
  const sockets = new Set<Socket>();
  let isFrozen = false;
  let awaited: string | undefined;
  let left: { messages: number; answers: number; readonly how: 'cut' | 'freeze' } | undefined;
  let answers = 0;
  let words = lastWords;
  const freezeOpen = () => {
    for (const socket of sockets) socket.pause();
  };
  const freeze = () => {
    isFrozen = true;
    freezeOpen();
  };
  const count = (what: 'messages' | 'answers', client: Socket) => {
    if (left === undefined || --left[what] > 0) return;
    if (left.how === 'freeze') freeze();
    else client.destroySoon();
    left = undefined;
  };
  const server = createServer((client) => {
    const upstream = connect(`${place}/${SOCKET}`);
    let isCut = false;
    const split = messageSplitter();
    let isCounted = true;
    let isOpen = false;
    client.on('data', (chunk) => {
      if (awaited !== undefined && chunk.includes(awaited)) {
        isCut = true;
        awaited = undefined;
      }
      isCounted = !chunk.includes(PRESENCE);
      for (const message of split(chunk)) {
        if (client.writableEnded) return;
        upstream.write(message);
        if (isCounted) count('messages', client);
      }
    });
    upstream.on('data', (chunk) => {
      const isAnswer = chunk.includes(READY);
      // The first one says that the connection is open.
      if (isAnswer && isOpen && isCounted) answers++;
      isOpen ||= isAnswer;
      if (isCut) client.destroy();
      else if (words && isAnswer) {
        client.end(Buffer.concat([chunk, words]));
        words = undefined;
      } else {
        client.write(chunk);
        if (isAnswer && isCounted) count('answers', client);
      }
    });
    // What a client had sent before it went away arrives.
    client.on('close', () => upstream.end());
    upstream.on('close', () => client.destroy());
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      if (isFrozen) socket.pause();
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(`${directory}/${SOCKET}`, resolve);
  });
  const end = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  onTestFinished(end);
  return {
    url: `postgres://postgres@localhost/postgres?host=${encodeURIComponent(directory)}`,
    /** Cuts the connection over which this text is sent, in front of the answer. */
    cutAt: (text: string) => {
      awaited = text;
    },
    /**
     * Cuts a connection at this place, counted from now over all of them, or keeps what comes from there on. Returns what gives that
     * up, and reports whether it came to it.
     */
    failAfter: (place: Place, how: 'cut' | 'freeze' = 'cut') => {
      const wanted = { messages: Infinity, answers: Infinity, ...place, how };
      left = wanted;
      return () => {
        const hasFailed = left !== wanted;
        left = undefined;
        return hasFailed;
      };
    },
    /** Keeps what comes on the connections that are open, both ways, and their end. */
    freezeOpen,
    /** Keeps what comes on all connections, those that are opened later too. */
    freeze,
    /** Passes on what was kept and what comes. */
    thaw: () => {
      isFrozen = false;
      for (const socket of sockets) socket.resume();
    },
    /** Returns how many answers there were to what `work` sent. */
    countAnswers: async (work: () => Promise<unknown>): Promise<number> => {
      const before = answers;
      await work();
      return answers - before;
    },
  };
}

/** Makes what splits the bytes of a client into the messages of the protocol. The first one has no type. */
function messageSplitter() {
  let rest = Buffer.alloc(0);
  let typeBytes = 0;
  return (chunk: Buffer): Buffer[] => {
    const messages: Buffer[] = [];
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= typeBytes + LENGTH_BYTES) {
      const end = typeBytes + rest.readInt32BE(typeBytes);
      if (rest.length < end) break;
      messages.push(rest.subarray(0, end));
      rest = rest.subarray(end);
      typeBytes = 1;
    }
    return messages;
  };
}
