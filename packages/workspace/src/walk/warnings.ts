const MAX_WARNINGS = 20;
const MAX_SHOWN = 300;
const MAX_LINE = 100;

/** Paths that were omitted, by the reason. */
export class LeftOut {
  readonly #paths = new Map<string, Set<string>>();

  add(reason: string, path: string): void {
    const paths = this.#paths.get(reason) ?? new Set();
    this.#paths.set(reason, paths.add(path));
  }

  /** Returns a line of at most 100 characters for each reason, with as many paths as fit, or the end of the first. */
  lines(most = MAX_LINE): string[] {
    return [...this.#paths].map(([reason, paths]) => {
      const names = [...paths].map(showPath).sort();
      const line = (count: number) => {
        const more = count < names.length ? ` and ${names.length - count} more` : '';
        return [`${reason}: `, names.slice(0, count).join(', '), more] as const;
      };
      let count = Math.min(names.length, most);
      while (count > 1 && line(count).join('').length > most) count--;
      const [start, shown, more] = line(count);
      const room = most - start.length - more.length;
      return start + (shown.length > room ? `…${shown.slice(1 - room)}` : shown) + more;
    });
  }
}

/** A bounded number of sentences on what a walk omitted. */
export class Warnings {
  readonly leftOut: LeftOut;
  readonly #isOwn: boolean;
  readonly #kept: string[] = [];
  #dropped = 0;

  /** The lines of a given list are for the caller to show. */
  constructor(leftOut?: LeftOut) {
    this.#isOwn = leftOut === undefined;
    this.leftOut = leftOut ?? new LeftOut();
  }

  add(sentence: string): void {
    if (this.#kept.length < MAX_WARNINGS) this.#kept.push(sentence);
    else this.#dropped++;
  }

  all(): string[] {
    const more = this.#dropped === 0 ? [] : [`${this.#dropped} more warnings were omitted`];
    return [...this.#kept, ...(this.#isOwn ? this.leftOut.lines() : []), ...more];
  }
}

/** Formats a path for a warning: on one line, and not too long. */
export function showPath(path: string): string {
  const line = oneLine(path);
  return line.length <= MAX_SHOWN ? line : `${line.slice(0, MAX_SHOWN)}…`;
}

/** Formats a path on one line, no matter what characters it contains. */
export function oneLine(path: string): string {
  return path.replace(/\p{Cc}/gu, (char) => JSON.stringify(char).slice(1, -1));
}
