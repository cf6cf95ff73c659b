import { Deadline } from '../client/deadline.ts';
import type { Diagnostic } from './diagnostics.ts';
import { compare, type DiagnosedText, type Difference, type Findings } from './findings.ts';

/** So often in a row a server may be late before it is no longer waited for. */
const MAX_LATE = 2;
const LONGEST_WAIT_MS = 60_000;
const MAX_KNOWN = 50;

/** What a server has said of earlier changes when nobody waited any more. */
export interface LateDifference extends Difference {
  /** What is wrong with files of which nothing was known before the change. */
  readonly present: readonly Diagnostic[];
}

/** What was asked of a server after a change. */
export interface AskedFindings {
  readonly paths: readonly string[];
  readonly before: Findings;
  /** What the server said in time. */
  readonly after: Findings;
  /** How long the server had for it, in milliseconds. */
  readonly waitMs: number;
  /** Asks once more; undefined if the server does not say it. */
  ask(path: string, deadline: Deadline): Promise<DiagnosedText | undefined>;
}

/**
 * Keeps what a server owes: the files of changes that it said nothing about in time. It is asked on between the calls. What it
 * says then is compared with what was known last, and is told with the next call.
 */
export class LateFindings {
  /** What was known before the change; undefined where nothing was. */
  readonly #owed = new Map<string, DiagnosedText | undefined>();
  /** What was said since of the files that are owed. */
  readonly #found = new Map<string, DiagnosedText>();
  /** What was said last of each file. */
  readonly #known = new Map<string, DiagnosedText>();
  #lateInARow = 0;
  #asking: AbortController | undefined;

  /** False for a server that was late twice, until it has shown that it answers in time. */
  get isWaitedFor(): boolean {
    return this.#lateInARow < MAX_LATE;
  }

  /** The files that it has not spoken of yet. */
  get owed(): readonly string[] {
    return [...this.#owed.keys()];
  }

  /**
   * Takes what was said since the last call about texts that are still the present ones. Returns undefined if there is nothing;
   * what was said of another text is dropped, and the file is still owed.
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

  /** Ends asking, since the texts change; files that have gone are owed no more. */
  stop(isThere: (path: string) => boolean): void {
    this.#asking?.abort();
    this.#found.clear();
    for (const path of this.owed) if (!isThere(path)) this.#owed.delete(path);
  }

  /** Returns what was wrong before a change: for what is owed that was told last, else what was asked or is known of the text. */
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

  /** Takes what was said after a change, and asks on for what was not. */
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
