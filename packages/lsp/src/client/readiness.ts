import { isObject } from '@jinn/core/text/is-object';
import type { ReadySignal } from '../servers/server-table.ts';
import { type Deadline, throwCanceled } from './deadline.ts';
import { scalarText } from './server-requests.ts';

const MAX_TOKENS = 1_000;
const MAX_TEXT = 2_000;
const BEGINS_WITHIN_MS = 1_000;

interface Progress {
  readonly title: string;
  readonly counts: boolean;
  message: string;
}

/**
 * Follows the server's reports on its work, and finds out whether it has loaded the project. An answer from before is
 * wrong and looks right: a server that still indexes returns no error, but fewer references.
 */
export class Readiness {
  readonly #signal: ReadySignal | undefined;
  readonly #progress = new Map<string, Progress>();
  readonly #waiting = new Set<() => void>();
  #seen = false;
  /** The time from which the signal can be missing: that of the first document, on the clock of `performance`. */
  #openedAt: number | undefined;
  #lastProgressAt = 0;
  #health: string | undefined;
  #isIll = false;
  /** The server's messages about its failure to load the project, by the token of their progress. */
  readonly #failures = new Map<string, string>();
  #hasEnded = false;

  constructor(signal: ReadySignal | undefined) {
    this.#signal = signal;
  }

  /** Notes that a document is opened: some servers begin to load only then. */
  documentOpened(): void {
    this.#openedAt ??= performance.now();
  }

  /** Notes that the server has ended: nobody waits for it any more. */
  end(): void {
    this.#hasEnded = true;
    this.#releaseWaiters();
  }

  /** Accepts a log message of the server. */
  logged(message: string): void {
    if (this.#matches(this.#signal?.log, message.slice(0, MAX_TEXT))) this.#signalSeen();
  }

  /** Accepts any notification of the server. */
  notified(method: string, params: unknown): void {
    const wanted = this.#signal?.notification;
    if (wanted?.method !== method) return;
    const fields = isObject(params) ? params : {};
    this.#seen = wanted.field === undefined || fields[wanted.field] === wanted.value;
    const { health, message } = fields;
    const isWell = health === undefined || health === 'ok';
    this.#isIll = health === 'error';
    this.#health = isWell ? undefined : `${scalarText(health)}: ${scalarText(message).slice(0, 300)}`;
    this.#releaseWaiters();
  }

  /** Accepts a progress report of the server. */
  progressed(token: unknown, value: unknown): void {
    const key = scalarText(token).slice(0, 200);
    const report = isObject(value) ? value : {};
    const known = this.#progress.get(key);
    this.#follow(key, report);
    if (report['kind'] === 'begin' && this.#progress.size < MAX_TOKENS) {
      const title = scalarText(report['title']).slice(0, 200);
      const counts = this.#counts(key, title);
      this.#progress.set(key, { title, counts, message: describe(report) });
      if (counts) this.#lastProgressAt = performance.now();
    } else if (known && report['kind'] === 'end') {
      this.#progress.delete(key);
      if (known.counts) this.#lastProgressAt = performance.now();
      if (known.counts && this.#signal?.progress !== undefined) this.#signalSeen();
      else this.#releaseWaiters();
    } else if (known) {
      known.message = describe(report) || known.message;
    }
  }

  /** True if the project is loaded, as far as is known. */
  get isReady(): boolean {
    const { log, progress, notification, quiet } = this.#signal ?? {};
    if (this.#busy.length > 0) return false;
    if (log !== undefined || notification !== undefined)
      return this.#seen || this.#hasPassed(this.#signal?.beginsWithin);
    if (progress !== undefined) return this.#seen || this.#hasPassed(this.#signal?.beginsWithin ?? BEGINS_WITHIN_MS);
    return quiet === undefined || (this.#hasPassed(quiet) && performance.now() - this.#lastProgressAt >= quiet);
  }

  /** The server's message about its failure to load the project; undefined if it did not fail. */
  get failure(): string | undefined {
    const [failure] = this.#failures.values();
    return failure ?? (this.#isIll ? this.#health : undefined);
  }

  /** Why answers may lack something; undefined if nothing is known to be missing. */
  get reason(): string | undefined {
    if (this.isReady) return this.failure ?? this.#health;
    return this.doing ?? 'the server has not said that the project is loaded';
  }

  /** The server's own words for what it is doing. */
  get doing(): string | undefined {
    const [first] = this.#busy.length > 0 ? this.#busy : [...this.#progress.values()];
    return first && [first.title, first.message].filter(Boolean).join(' ');
  }

  /** Waits until the server is ready or the time is over; returns whether it is ready. Throws `canceled`. */
  async wait(deadline: Deadline, onProgress: (message: string) => void = () => {}): Promise<boolean> {
    let told = '';
    while (!this.isReady && !this.#hasEnded && deadline.left > 0) {
      const doing = this.doing ?? '';
      if (doing !== told) onProgress(doing);
      told = doing;
      await deadline.race(this.#change(Math.min(100, deadline.left)), () => doing).catch(throwCanceled);
    }
    return this.isReady;
  }

  /** Accepts a report of a progress that lasts while the project cannot be loaded. */
  #follow(key: string, report: Record<string, unknown>): void {
    const isFailure = this.#failures.has(key) || this.#matches(this.#signal?.fails, scalarText(report['title']));
    if (report['kind'] === 'end') this.#failures.delete(key);
    else if (isFailure && this.#failures.size < MAX_TOKENS) {
      this.#failures.set(key, describe(report) || this.#failures.get(key) || 'it does not say why');
    }
  }

  get #busy(): Progress[] {
    return [...this.#progress.values()].filter((progress) => progress.counts);
  }

  /** Reports whether a progress counts: it is the wanted one, or quiet is the only signal. */
  #counts(token: string, title: string): boolean {
    const { progress, quiet } = this.#signal ?? {};
    if (progress === undefined) return quiet !== undefined;
    return this.#matches(progress, title) || this.#matches(progress, token);
  }

  #matches(pattern: string | undefined, text: string): boolean {
    return pattern !== undefined && new RegExp(pattern).test(text);
  }

  #hasPassed(ms: number | undefined): boolean {
    return ms !== undefined && this.#openedAt !== undefined && performance.now() - this.#openedAt >= ms;
  }

  #signalSeen(): void {
    this.#seen = true;
    this.#releaseWaiters();
  }

  #releaseWaiters(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  #change(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.#waiting.add(wake);
    });
  }
}

function describe(report: Record<string, unknown>): string {
  const percentage = typeof report['percentage'] === 'number' ? `${Math.round(report['percentage'])} %` : '';
  const message = typeof report['message'] === 'string' ? report['message'].slice(0, 200) : '';
  return [message, percentage].filter(Boolean).join(' ');
}
