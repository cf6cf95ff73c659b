import fs from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/** A page that calls can ask. */
export interface StandInPage {
  /** Reads the first part of each line of the journal. */
  heads(): Record<string, unknown>[];
  close(): void;
}

/** Takes the place of the page of `jinn ui`, below a cache directory, and calls `react` with each question. */
export async function standInPage(
  cache: string,
  react: (asked: Record<string, unknown>, say: (...messages: object[]) => void, socket: Socket) => void | Promise<void>,
): Promise<StandInPage> {
  const directory = `${cache}/jinn/journal`;
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
  const server = createServer((socket) => {
    const say = (...messages: object[]) => {
      for (const message of messages) socket.write(`${JSON.stringify(message)}\n`);
    };
    socket.on('error', () => undefined);
    createInterface({ input: socket }).on('line', (line) => void react(JSON.parse(line), say, socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(`${directory}/ui.sock`, resolve);
  });
  fs.writeFileSync(`${directory}/live`, JSON.stringify({ pid: process.pid, socket: `${directory}/ui.sock` }));
  return { heads: () => readHeads(cache), close: () => void server.close() };
}

/** Reads the first part of each line of the journal below a cache directory. */
export function readHeads(cache: string): Record<string, unknown>[] {
  const directory = `${cache}/jinn/journal`;
  const files = fs.existsSync(directory) ? fs.readdirSync(directory).filter((name) => name.endsWith('.jsonl')) : [];
  const lines = files.flatMap((name) => fs.readFileSync(`${directory}/${name}`, 'utf8').split('\n').filter(Boolean));
  return lines.map((line) => JSON.parse(line.split('\t')[0] ?? ''));
}
