import { Deadline } from '../client/deadline.ts';
import type { TextLines } from '../client/positions.ts';
import { type Diagnostic, newDiagnostics, withoutSame } from './diagnostics.ts';

const MAX_SHOWN = 50;

export type ShownSeverity = 'errors' | 'all';

export interface DiagnosedText {
  readonly diagnostics: readonly Diagnostic[];
  readonly lines: TextLines;
  readonly stat: string;
}

export type DiagnosedFiles = ReadonlyMap<string, DiagnosedText>;

interface Difference {
  readonly appeared: readonly Diagnostic[];
  readonly disappeared: readonly Diagnostic[];
}

/** How many times in a row a server may be late before it is no longer waited for. */
const MAX_LATE = 2;
const LONGEST_WAIT_MS = 60_000;
const MAX_KNOWN = 50;

/** Diagnostics that a server sent when no one waited any more. */
export interface LateDifference extends Difference {
  /** Of files without known diagnostics before the change. */
  readonly present: readonly Diagnostic[];
}

export interface AskedFindings {
  readonly paths: readonly string[];
  readonly before: DiagnosedFiles;
  readonly after: DiagnosedFiles;
  readonly waitMs: number;
  /** Resolves to undefined if the server does not answer. */
  ask(path: string, deadline: Deadline): Promise<DiagnosedText | undefined>;
}

/**
 * Files for which a server owes diagnostics. It is asked again between calls, and late ones are returned with the next
 * call.
 */
export class LateFindings {
  /** The diagnostics before the change, if known. */
  readonly #owed = new Map<string, DiagnosedText | undefined>();
  readonly #found = new Map<string, DiagnosedText>();
  readonly #known = new Map<string, DiagnosedText>();
  #lateInARow = 0;
  #asking: AbortController | undefined;

  get isWaitedFor(): boolean {
    return this.#lateInARow < MAX_LATE;
  }

  get owed(): readonly string[] {
    return [...this.#owed.keys()];
  }

  /** Takes the late diagnostics of present texts. Those of other texts are dropped, and the file is still owed. */
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

  /** For texts that change now. */
  stop(isThere: (path: string) => boolean): void {
    this.#asking?.abort();
    this.#found.clear();
    for (const path of this.owed) if (!isThere(path)) this.#owed.delete(path);
  }

  /** What is compared: the last returned ones of an owed file, otherwise the asked ones, otherwise those known of the text. */
  baseline(
    paths: readonly string[],
    asked: DiagnosedFiles,
    textOf: (path: string) => string | undefined,
  ): DiagnosedFiles {
    const before = new Map(asked);
    for (const path of paths) {
      const owed = this.#owed.get(path);
      const known = this.#known.get(path);
      if (owed) before.set(path, owed);
      else if (!before.has(path) && known && known.lines.text === textOf(path)) before.set(path, known);
    }
    return before;
  }

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

/** Compares the files that are known on both sides: in any other, everything or nothing would seem new. */
export function compare(before: DiagnosedFiles, after: DiagnosedFiles): Difference {
  const known = [...before.keys()].filter((path) => after.has(path));
  const [old, present] = [before, after].map((found) => known.flatMap((path) => found.get(path)?.diagnostics ?? []));
  const lineOf = { before: lineIn(before), after: lineIn(after) };
  const swapped = { before: lineOf.after, after: lineOf.before };
  const appeared = newDiagnostics(old ?? [], present ?? [], lineOf);
  const disappeared = newDiagnostics(present ?? [], old ?? [], swapped);
  return { appeared: withoutSame(appeared, disappeared), disappeared: withoutSame(disappeared, appeared) };
}

function lineIn(findings: DiagnosedFiles): (diagnostic: Diagnostic) => string {
  return ({ path, range }) => findings.get(path)?.lines.line(range.start.line - 1) ?? '';
}

/** At most fifty of each list, and how many more there are. */
export function bound<Name extends string>(
  lists: Readonly<Record<Name, readonly Diagnostic[]>>,
  severity: ShownSeverity,
): Record<Name, readonly Diagnostic[]> & { omitted: number } {
  const shown: Partial<Record<Name, readonly Diagnostic[]>> = {};
  let omitted = 0;
  for (const name of Object.keys(lists) as Name[]) {
    const all = lists[name].filter((diagnostic) => severity === 'all' || diagnostic.severity === 'error');
    shown[name] = all.slice(0, MAX_SHOWN);
    omitted += Math.max(0, all.length - MAX_SHOWN);
  }
  return { ...(shown as Record<Name, readonly Diagnostic[]>), omitted };
}
