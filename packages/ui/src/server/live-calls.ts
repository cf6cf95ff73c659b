import type { Socket } from 'node:net';
import { portsOfCommand } from '@jinn/process';
import { type InputState, type LiveMessage, RECORD_VERSION } from '../journal/journal-record.ts';
import type { PageEvents } from './page-events.ts';

interface RunningCall {
  readonly id: string;
  /** How far the job is, in a line. Empty for a call that is no job. */
  readonly state: readonly string[];
  readonly lines: readonly string[];
  readonly input?: InputState | undefined;
}

/** The calls that run for long and the jobs, with their last lines. */
export type LiveCalls = ReturnType<typeof createLiveCalls>;

/** Listens to processes about what runs. */
export function createLiveCalls(events: PageEvents) {
  const running = new Map<Socket, RunningCall>();
  const send = (id: unknown, message: object): boolean => {
    const [socket] = [...running].find(([, call]) => call.id === id) ?? [];
    socket?.write(`${JSON.stringify(message)}\n`);
    return socket !== undefined;
  };
  return {
    /** Takes a message of a process. */
    hear: (message: LiveMessage, socket: Socket) => {
      if (message.k === 'running' && message.v <= RECORD_VERSION) {
        running.set(socket, { id: message.id, state: [], lines: [] });
        socket.on('close', () => {
          running.delete(socket);
          events.send({ type: 'running', id: message.id });
        });
      }
      const call = running.get(socket);
      if (!call) return;
      const now = { ...call, ...factsOf(message) };
      running.set(socket, now);
      events.send(eventOf(now));
    },
    /** Returns the events that show a new tab what runs. */
    events: () => [...running.values()].map(eventOf),
    /** Stops a call or its job. Returns false if it does not run. */
    stop: (id: unknown) => send(id, { k: 'stop' }),
    /** Gives a line of the user to a job. Returns false if it does not run. */
    type: (id: unknown, text: string) => send(id, { k: 'input', text }),
  };
}

function eventOf({ id, state, lines, input }: RunningCall) {
  return { type: 'running', id, lines: [...state, ...lines], input };
}

/** Returns what a message says. A newer process may tell more. */
function factsOf(message: LiveMessage): Partial<RunningCall> {
  if (message.k === 'lines') return { lines: message.lines, input: message.input };
  if (message.k !== 'job') return {};
  const ports = portsOfCommand(message.pid, message.command);
  return { state: [message.text + (ports.length > 0 ? `, listens on port ${ports.join(', ')}` : '')] };
}
