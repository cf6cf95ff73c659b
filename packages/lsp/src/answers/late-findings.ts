import { Deadline } from '../client/deadline.ts';
import type { Diagnostic } from './diagnostics.ts';
import { compare, type DiagnosedText, type Difference, type Findings } from './findings.ts';

/** How many times in a row a server may be late before it is no longer waited for. */
const MAX_LATE = 2;
const LONGEST_WAIT_MS = 60_000;
const MAX_KNOWN = 50;

/** The diagnostics of earlier changes that a server sent when nobody waited any more. */
export interface LateDifference extends Difference {
  /** The diagnostics of files for which none were known before the change. */
  readonly present: readonly Diagnostic[];
}

/** The request for diagnostics after a change. */
export interface AskedFindings {
  readonly paths: readonly string[];
  readonly before: Findings;
  /** The diagnostics that the server sent in time. */
  readonly after: Findings;
  /** How long the server had for it, in milliseconds. */
  readonly waitMs: number;
  /** Asks once more; resolves to undefined if the server does not answer. */
  ask(path: string, deadline: Deadline): Promise<DiagnosedText | undefined>;
}

/**
 * Keeps the changed files for which a server owes diagnostics, since it did not send them in time. It is asked again
 * between the calls. Late diagnostics are compared with the last known ones, and returned with the next call.
 */
export class LateFindings {
  /** The diagnostics before the change; undefined if none were known. */
  readonly #owed = new Map<string, DiagnosedText | undefined>();
  /** The later diagnostics of the files that are owed. */
  readonly #found = new Map<string, DiagnosedText>();
  /** The last diagnostics of each file. */
  readonly #known = new Map<string, DiagnosedText>();
  #lateInARow = 0;
  #asking: AbortController | undefined;

  /** False for a server that was late twice, until it has shown that it answers in time. */
  get isWaitedFor(): boolean {
    return this.#lateInARow < MAX_LATE;
  }

  /** The files whose diagnostics are still missing. */
  get owed(): readonly string[] {
    return [...this.#owed.keys()];
  }

  /**
   * Returns the late diagnostics since the last call, if their texts are still the present ones; undefined if there are
   * none. Diagnostics of another text are dropped, and the file is still owed.
   */
  take(isPresent: (path: string, said: DiagnosedText) => boolean): LateDifference | undefined {
    const said = new Map([...this.#found].filter(([path, found]) => isPresent(path, found)));
    this.#found.clear();
    if (said.size === 0) return undefined;
    const before = new Map<string, DiagnosedText>();
    const present: Diagnostic[] = [];
    for (const [path, found] of said) {
      const old = this.#owed.get(path);
      if (old) before.set(path, old);
      else present.push(...found.diagnostics);
      this.#owed.delete(path);
      this.#know(path, found);
    }
    return { ...compare(before, said), present };
  }

  /** Stops asking, since the texts change; files that have gone are owed no more. */
  stop(isThere: (path: string) => boolean): void {
    this.#asking?.abort();
    this.#found.clear();
    for (const path of this.owed) if (!isThere(path)) this.#owed.delete(path);
  }

  /**
   * Returns the diagnostics before a change: for an owed file the last ones that were returned, else those that were
   * requested or are known of the text.
   */
  baseline(paths: readonly string[], asked: Findings, textOf: (path: string) => string | undefined): Findings {
    const before = new Map(asked);
    for (const path of paths) {
      const owed = this.#owed.get(path);
      const known = this.#known.get(path);
      if (owed) before.set(path, owed);
      else if (!before.has(path) && known && known.lines.text === textOf(path)) before.set(path, known);
    }
    return before;
  }

  /** Accepts the diagnostics after a change, and asks again for the missing ones. */
  settle(asked: AskedFindings): void {
    const { paths, before, after } = asked;
    for (const [path, found] of after) this.#know(path, found);
    for (const path of paths) {
      if (after.has(path)) this.#owed.delete(path);
      else this.#owed.set(path, before.get(path));
    }
    if (this.#owed.size === 0) this.#lateInARow = 0;
    else {
      if (this.isWaitedFor) this.#lateInARow++;
      void this.#askOn(asked);
    }
  }

  async #askOn({ ask, waitMs }: AskedFindings): Promise<void> {
    const asking = new AbortController();
    this.#asking = asking;
    const begun = performance.now();
    const deadline = new Deadline(LONGEST_WAIT_MS, asking.signal, { isForgiving: true });
    const { owed } = this;
    const said = new Map<string, DiagnosedText>();
    for (const path of owed) {
      const found = await ask(path, deadline).catch(() => undefined);
      if (asking.signal.aborted) return;
      if (found) said.set(path, found);
    }
    for (const [path, found] of said) this.#found.set(path, found);
    if (said.size === owed.length && performance.now() - begun <= waitMs) this.#lateInARow = 0;
  }

  #know(path: string, found: DiagnosedText): void {
    this.#known.delete(path);
    this.#known.set(path, found);
    for (const oldest of [...this.#known.keys()].slice(0, -MAX_KNOWN)) this.#known.delete(oldest);
  }
}
