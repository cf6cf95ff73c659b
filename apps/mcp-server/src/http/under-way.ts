import type { ServerResponse } from 'node:http';
import type { Asker } from '../people/asker.ts';

/** Far below the connections of all, so that a client that opens streams without end keeps nobody else out. */
export const MAX_EACH = 128;

/** The requests that are under way, by the person who sent them. */
export class UnderWay {
  readonly #counts = new Map<string, number>();
  /** The tokens that let them in. */
  readonly #tokens = new Map<ServerResponse, string>();
  /** Streams of notices, and when the token of a provider that let them in ends. */
  readonly #streams = new Map<ServerResponse, number>();

  /** Counts a request until it is answered, or its client has left. Returns false, and counts nothing, if its person has too many. */
  enter({ person, token }: Pick<Asker, 'person' | 'token'>, response: ServerResponse): boolean {
    // A client that has left already will not leave again.
    if (response.closed) return true;
    const count = this.#counts.get(person) ?? 0;
    // People without a name are one here, however many they are.
    if (person !== '' && count >= MAX_EACH) return false;
    this.#counts.set(person, count + 1);
    if (token !== undefined) this.#tokens.set(response, token);
    response.once('close', () => this.#leave(person, response));
    return true;
  }

  /** Notes that a request is a stream of notices, which lasts no longer than the token that let it in. */
  listen({ expires }: Pick<Asker, 'expires'>, response: ServerResponse): void {
    if (expires === undefined || response.closed) return;
    this.#streams.set(response, expires);
    response.once('close', () => this.#streams.delete(response));
  }

  /** Breaks off the streams of notices whose time is over. Their clients come back with a new token. */
  endExpired(): void {
    for (const [response, expires] of this.#streams) if (expires <= Date.now()) response.destroy();
  }

  /** Returns the tokens that let something in that is under way. */
  tokens(): readonly string[] {
    return [...this.#tokens.values()];
  }

  /** Breaks off what a token let in. */
  end(token: string): void {
    for (const [response, used] of this.#tokens) if (used === token) response.destroy();
  }

  #leave(person: string, response: ServerResponse): void {
    this.#tokens.delete(response);
    const left = (this.#counts.get(person) ?? 1) - 1;
    if (left === 0) this.#counts.delete(person);
    else this.#counts.set(person, left);
  }
}
