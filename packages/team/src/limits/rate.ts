const MINUTE_MS = 60_000;

/** A limit per minute: a bucket of a minute, from which each use takes its part, and that empties evenly. */
export class Rate {
  #perMinute: number;
  /** When the bucket is empty again. */
  #until = -Infinity;
  /** Use here that other servers do not know yet, in milliseconds. */
  #unshared = 0;

  constructor(perMinute = Infinity) {
    this.#perMinute = perMinute;
  }

  /** Sets another limit. Use before it stays counted, so a larger limit leaves room for what it adds. */
  change(perMinute: number, now: number): void {
    if (perMinute === this.#perMinute) return;
    const used = this.#used(now);
    const scale = this.#perMinute / perMinute;
    this.#perMinute = perMinute;
    if (Number.isFinite(scale)) this.#add(used * (scale - 1), now);
  }

  /** Returns how long to wait until there is so much, in milliseconds, or 0 if there is. */
  waitFor(amount: number, now: number): number {
    return Math.max(0, Math.ceil(this.#used(now) + this.#partOf(amount) - MINUTE_MS));
  }

  /** Takes so much, whether it is there or not. */
  take(amount: number, now: number): void {
    this.#add(this.#partOf(amount), now);
  }

  /** Returns what to tell other servers, in milliseconds. */
  takeUnshared(): number {
    const unshared = this.#unshared;
    this.#unshared = 0;
    return unshared;
  }

  /** Keeps use that could not be shared, for the next time. */
  putBack(unshared: number): void {
    this.#unshared += unshared;
  }

  /** Sets the use at all servers, in milliseconds, and adds the use here since the last exchange. */
  merge(used: number, now: number): void {
    this.#until = now + used + this.#unshared;
  }

  #used(now: number): number {
    return Math.max(0, this.#until - now);
  }

  #partOf(amount: number): number {
    return (amount / this.#perMinute) * MINUTE_MS;
  }

  #add(ms: number, now: number): void {
    this.#until = now + this.#used(now) + ms;
    this.#unshared += ms;
  }
}
