import { connect, createServer } from 'node:net';
import { onTestFinished } from 'vitest';
import { makeTempDirectory } from './temp-directory.ts';

const SOCKET = '.s.PGSQL.5432';
/** The message of the database when it has done everything that it was sent, outside of a transaction. */
const READY = Buffer.from('Z\0\0\0\x05I', 'latin1');

/**
 * Passes on what goes to the database at a URL, and counts how often it answers. Once it is told to, it cuts the connection in front
 * of an answer; and `lastWords` end the first one, in one piece with what the database says when it is ready.
 */
export async function startRelay(database: string, lastWords?: Buffer) {
  const place = new URL(database).searchParams.get('host') as string;
  const directory = makeTempDirectory();
  let awaited: string | undefined;
  let answers = 0;
  let words = lastWords;
  const server = createServer((client) => {
    const upstream = connect(`${place}/${SOCKET}`);
    let isCut = false;
    client.on('data', (chunk) => {
      if (awaited !== undefined && chunk.includes(awaited)) {
        isCut = true;
        awaited = undefined;
      }
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (chunk.includes(READY)) answers++;
      if (isCut) client.destroy();
      else if (words && chunk.includes(READY)) {
        client.end(Buffer.concat([chunk, words]));
        words = undefined;
      } else client.write(chunk);
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('close', () => other.destroy());
      one.on('error', () => undefined);
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(`${directory}/${SOCKET}`, resolve);
  });
  onTestFinished(() => void server.close());
  return {
    url: `postgres://postgres@localhost/postgres?host=${encodeURIComponent(directory)}`,
    /** Cuts the connection over which this text is sent, in front of the answer. */
    cutAt: (text: string) => {
      awaited = text;
    },
    /** Returns how many answers there were to what `work` sent. */
    countAnswers: async (work: () => Promise<unknown>): Promise<number> => {
      const before = answers;
      await work();
      return answers - before;
    },
  };
}
