import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from '../limits/network-of.ts';

/** The most connections on which no request was accepted. */
const MAX_STRANGERS = 128;
/** How long such a connection may last although there are too many: many clients may well connect at once. */
const GRACE_MS = 500;

interface Connection {
  readonly socket: Socket;
  readonly network: string;
  readonly opened: number;
  /** Whose request was let in last; undefined as long as none was. */
  person: string | undefined;
  /** The requests that are not answered yet. */
  requests: number;
}

/**
 * Bounds the connections of strangers, of whom no request was let in, and those that each person keeps. Otherwise whoever opens
 * connections, and is silent or asks for what needs no token, would keep all others out.
 */
export class Connections {
  /** Those that were opened, or used by a person, longest ago come first. */
  readonly #all = new Map<Socket, Connection>();
  /** How many there are of each person, and of strangers. */
  readonly #counts = new Map<string | undefined, number>();
  readonly #maxEach: number;

  constructor(server: Server, maxEach: number) {
    this.#maxEach = maxEach;
    server.on('connection', (socket: Socket) => {
      const network = networkOf(socket.remoteAddress ?? '');
      const connection: Connection = { socket, network, opened: performance.now(), person: undefined, requests: 0 };
      this.#add(connection);
      socket.once('close', () => this.#remove(connection));
      this.#boundStrangers(GRACE_MS);
    });
    // There is no room left, not even for those who would be let in.
    server.on('drop', () => this.#boundStrangers(0));
    server.on('request', ({ socket }, response) => {
      const connection = this.#all.get(socket);
      if (connection === undefined) return;
      connection.requests++;
      response.once('close', () => void connection.requests--);
    });
  }

  /** Notes that a request of a person was let in. If they have a name and too many connections, idle ones are closed. */
  letIn(socket: Socket, person: string): void {
    const connection = this.#all.get(socket);
    if (connection === undefined) return;
    this.#remove(connection);
    connection.person = person;
    this.#add(connection);
    // People without a name are one here, however many they are.
    if (person === '' || this.#countOf(person) <= this.#maxEach) return;
    const own = [...this.#all.values()].filter((other) => other.person === person);
    const idle = own.filter(({ requests }) => requests === 0);
    for (const other of idle.slice(0, own.length - this.#maxEach)) this.#close(other);
  }

  /** Closes strangers, if there are too many, that are older than so: the oldest of the network that has most. */
  #boundStrangers(ageMs: number): void {
    if (this.#countOf(undefined) <= MAX_STRANGERS) return;
    const strangers = [...this.#all.values()].filter(({ person }) => person === undefined);
    const counts = new Map<string, number>();
    const countOf = ({ network }: Connection) => counts.get(network) ?? 0;
    for (const stranger of strangers) counts.set(stranger.network, countOf(stranger) + 1);
    const now = performance.now();
    const old = strangers.filter(({ opened }) => now - opened >= ageMs);
    for (let excess = strangers.length - MAX_STRANGERS; excess > 0 && old.length > 0; excess--) {
      const most = Math.max(...old.map(countOf));
      const [closed] = old.splice(
        old.findIndex((stranger) => countOf(stranger) === most),
        1,
      ) as [Connection];
      counts.set(closed.network, most - 1);
      this.#close(closed);
    }
  }

  #countOf(person: string | undefined): number {
    return this.#counts.get(person) ?? 0;
  }

  #add(connection: Connection): void {
    this.#all.set(connection.socket, connection);
    this.#counts.set(connection.person, this.#countOf(connection.person) + 1);
  }

  /** Forgets a connection, also one that is forgotten already. */
  #remove({ socket, person }: Connection): void {
    if (!this.#all.delete(socket)) return;
    const left = this.#countOf(person) - 1;
    if (left === 0) this.#counts.delete(person);
    else this.#counts.set(person, left);
  }

  #close(connection: Connection): void {
    this.#remove(connection);
    connection.socket.destroy();
  }
}
