import { isObject } from '@jinn/core/text';
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
 * Finds out by the server's reports whether it has loaded the project. An earlier answer is wrong and looks right: it
 * has fewer references.
 */
export class Readiness {
  readonly #signal: ReadySignal | undefined;
  readonly #progress = new Map<string, Progress>();
  readonly #waiting = new Set<() => void>();
  #seen = false;
  /** When the first document was opened, on the clock of `performance`. */
  #openedAt: number | undefined;
  #lastProgressAt = 0;
  #health: string | undefined;
  #isIll = false;
  readonly #failures = new Map<string, string>();
  #hasEnded = false;

  constructor(signal: ReadySignal | undefined) {
    this.#signal = signal;
  }

  documentOpened(): void {
    this.#openedAt ??= performance.now();
  }

  end(): void {
    this.#hasEnded = true;
    this.#releaseWaiters();
  }

  logged(message: string): void {
    if (this.#matches(this.#signal?.log, message.slice(0, MAX_TEXT))) this.#signalSeen();
  }

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

  get failure(): string | undefined {
    const [failure] = this.#failures.values();
    return failure ?? (this.#isIll ? this.#health : undefined);
  }

  get reason(): string | undefined {
    if (this.isReady) return this.failure ?? this.#health;
    return this.doing ?? 'the server has not said that the project is loaded';
  }

  get doing(): string | undefined {
    const [first] = this.#busy.length > 0 ? this.#busy : [...this.#progress.values()];
    return first && [first.title, first.message].filter(Boolean).join(' ');
  }

  /** Returns whether the server is ready. Throws `canceled`. */
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

  /** Notes a progress that lasts while the project cannot be loaded. */
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

  /** True for the wanted one, or for any if quiet is the only signal. */
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
