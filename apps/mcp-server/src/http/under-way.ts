import type { ServerResponse } from 'node:http';

/** Far below the connections of all, so that a client that opens streams without end keeps nobody else out. */
const MAX_EACH = 128;

/** The requests that are under way, by the person who sent them. */
export class UnderWay {
  readonly #counts = new Map<string, number>();

  /** Counts a request until it is answered, or its client has left. Returns false, and counts nothing, if its person has too many. */
  enter(person: string, response: ServerResponse): boolean {
    // A client that has left already will not leave again.
    if (response.closed) return true;
    const count = this.#counts.get(person) ?? 0;
    // People without a name are one here, however many they are.
    if (person !== '' && count >= MAX_EACH) return false;
    this.#counts.set(person, count + 1);
    response.once('close', () => this.#leave(person));
    return true;
  }

  #leave(person: string): void {
    const left = (this.#counts.get(person) ?? 1) - 1;
    if (left === 0) this.#counts.delete(person);
    else this.#counts.set(person, left);
  }
}
