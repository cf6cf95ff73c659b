const MINUTE_MS = 60_000;

/** A limit per minute: a bucket that fills evenly. */
export class Rate {
  readonly #perMinute: number;
  #left: number;
  #since: number;

  constructor(perMinute: number, now: number) {
    this.#perMinute = perMinute;
    this.#left = perMinute;
    this.#since = now;
  }

  /** Returns how long to wait until there is so much, in milliseconds; 0 if there is. */
  waitFor(amount: number, now: number): number {
    this.#fill(now);
    return Math.max(0, Math.ceil(((amount - this.#left) / this.#perMinute) * MINUTE_MS));
  }

  /** Takes so much, whether it is there or not. */
  take(amount: number, now: number): void {
    this.#fill(now);
    this.#left -= amount;
  }

  #fill(now: number): void {
    const filled = this.#left + ((now - this.#since) / MINUTE_MS) * this.#perMinute;
    this.#left = Math.min(this.#perMinute, filled);
    this.#since = now;
  }
}
