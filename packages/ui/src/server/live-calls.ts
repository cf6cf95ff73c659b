import type { Socket } from 'node:net';
import { portsOfCommand } from '@jinn/process';
import { type LiveMessage, RECORD_VERSION } from '../journal/journal-record.ts';
import type { PageEvents } from './page-events.ts';

const MAX_LINES = 20;

/** The calls that run for long and the jobs, with their last lines. */
export type LiveCalls = ReturnType<typeof createLiveCalls>;

/** Listens to processes about what runs. */
export function createLiveCalls(events: PageEvents) {
  const running = new Map<Socket, { readonly id: string; readonly lines: readonly string[] }>();
  return {
    /** Takes a message of a process. */
    hear: (message: LiveMessage, socket: Socket) => {
      if (message.k === 'running' && message.v <= RECORD_VERSION) {
        running.set(socket, { id: message.id, lines: [] });
        socket.on('close', () => {
          running.delete(socket);
          events.send({ type: 'running', id: message.id });
        });
      }
      const call = running.get(socket);
      if (!call) return;
      const lines = message.k === 'running' ? [] : nextLines(call.lines, message);
      running.set(socket, { ...call, lines });
      events.send({ type: 'running', ...call, lines });
    },
    /** Returns the events that show a new tab what runs. */
    events: () => [...running.values()].map((call) => ({ type: 'running', ...call })),
    /** Stops a call or its job. Returns false if it does not run. */
    stop: (id: unknown) => {
      const [socket] = [...running].find(([, call]) => call.id === id) ?? [];
      socket?.write('{"k":"stop"}\n');
      return socket !== undefined;
    },
  };
}

function nextLines(lines: readonly string[], message: Exclude<LiveMessage, { k: 'running' }>): readonly string[] {
  const { k, text } = message;
  if (k === 'line') return lines.at(-1) === text ? lines : [...lines, text].slice(-MAX_LINES);
  // A newer process may tell more.
  if (k !== 'job') return lines;
  const ports = portsOfCommand(message.pid, message.command);
  return [text + (ports.length > 0 ? `, listens on port ${ports.join(', ')}` : '')];
}
