import fs from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Visualization } from '@jinn/core/visualization';
import { visualizePatch } from '@jinn/fs-tools/diff/visualize-changes';
import { type AskMessage, type LiveMessage, RECORD_VERSION, readMessage } from '../journal/journal-record.ts';
import type { LiveCalls } from './live-calls.ts';
import type { PageEvents } from './page-events.ts';

/** A question with the picture of the changes that it is about. */
export interface ShownQuestion extends AskMessage {
  readonly visualization?: Visualization | undefined;
}

const ANSWERS = ['once', 'always', 'deny'];

/** The questions of calls that wait for the user. */
export type OpenQuestions = ReturnType<typeof openQuestions>;

export interface QuestionOptions {
  /** The path of the socket, or undefined if there can be none. */
  readonly path: string | undefined;
  readonly events: PageEvents;
  readonly live: LiveCalls;
  /** Makes the address that opens the page, for another jinn ui. */
  address(): string;
  /** Hears that the number of questions has changed. `isNew` if there is one more. */
  onChange(questions: readonly AskMessage[], isNew: boolean): void;
}

/** Listens for calls that ask. Only the user can reach the socket, since its directory is closed to others. */
export function openQuestions({ path, events, live, address, onChange }: QuestionOptions) {
  const open = new Map<string, { readonly asked: ShownQuestion; readonly socket: Socket }>();
  const list = () => [...open.values()].map(({ asked }) => asked);
  const settle = (id: string, how: string) => {
    if (!open.delete(id)) return;
    events.send({ type: 'settled', id, how });
    onChange(list(), false);
  };
  const put = async (asked: AskMessage, socket: Socket) => {
    // A newer call may ask in a way that this page does not know.
    if (asked.v > RECORD_VERSION || !(await events.isSeen())) return send(socket, { k: 'nobody' });
    if (socket.destroyed) return;
    const shown = { ...asked, visualization: drawPatch(asked.patch) };
    open.set(asked.id, { asked: shown, socket });
    socket.on('close', () => settle(asked.id, 'gone'));
    send(socket, { k: 'seen' });
    events.send({ type: 'question', question: shown });
    onChange(list(), true);
  };
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    createInterface({ input: socket }).on('line', (line) => {
      const message = readMessage(line) as AskMessage | LiveMessage | { readonly k: 'open' } | undefined;
      if (message?.k === 'ask') void put(message, socket);
      else if (message?.k === 'open') send(socket, { k: 'address', address: address() });
      else if (message) live.hear(message, socket);
    });
  });
  if (path !== undefined) {
    fs.rmSync(path, { force: true });
    server.listen(path);
  }
  return {
    list,
    /** Gives an answer to the call. Returns why it does not count. Undefined if it does. */
    answer: ({ id, sha, answer }: Readonly<Record<string, unknown>>) => {
      const question = open.get(String(id));
      if (!question) return 'the call does not wait any more';
      // Security: a decision is about what the user saw.
      if (sha !== question.asked.sha) return 'the answer is to another question';
      const isOffered = ANSWERS.includes(String(answer)) && !(answer === 'always' && question.asked.isOnlyOnce);
      if (!isOffered) return 'there is no such answer';
      send(question.socket, { k: 'answer', sha, answer });
      settle(question.asked.id, String(answer));
      return undefined;
    },
    close: () => {
      server.close();
      for (const { socket } of open.values()) socket.destroy();
    },
  };
}

/** Draws the changes that are asked about. A newer process may write them in another way. */
function drawPatch(patch: AskMessage['patch']): Visualization | undefined {
  try {
    return patch && visualizePatch(patch.about, patch.text);
  } catch {
    return undefined;
  }
}

function send(socket: Socket, message: object): void {
  socket.write(`${JSON.stringify(message)}\n`);
}
