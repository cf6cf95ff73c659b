import type { Risk } from '@jinn/core';
import { hasHole } from '../syntax/fields.ts';

/** More are not kept. A question shows far fewer. */
const MAX_DANGERS = 1_000;
/** Parts that start alike are shown alike. */
const MAX_KEY = 200;
const LEVEL: Readonly<Record<Risk, number>> = { safe: 0, caution: 1, dangerous: 2 };

export interface TextSpan {
  readonly source: string;
  readonly start: number;
  readonly end: number;
}

/** A dangerous part of a command, as it is written, or undefined for the text as a whole. */
export interface Danger {
  readonly reason: string;
  readonly part: string | undefined;
}

export interface CommandFinding extends Danger {
  readonly risk: Risk;
  /** Every dangerous part, in the order in which they were found. */
  readonly dangers: readonly Danger[];
  /** Why what runs is not all in the text. Undefined if it is. */
  readonly unseen: string | undefined;
  /** The files whose content the command takes. */
  readonly inputs: readonly string[];
  /** The files that the command changes or removes, as far as its words name them. */
  readonly places: readonly string[];
}

/** Collects what is found in a command, and keeps the worst. */
export class FindingCollector {
  /** The command that is being judged. */
  span: TextSpan | undefined;
  reports = 0;
  #worst: { readonly risk: Risk; readonly danger: Danger } = {
    risk: 'safe',
    danger: { reason: 'runs nothing', part: undefined },
  };
  readonly #dangers = new Map<string, Danger>();
  readonly #inputs = new Set<string>();
  readonly #places = new Set<string>();
  #unseen: string | undefined;

  get finding(): CommandFinding {
    const { risk, danger } = this.#worst;
    return {
      risk,
      ...danger,
      dangers: [...this.#dangers.values()],
      unseen: this.#unseen,
      inputs: [...this.#inputs],
      places: [...this.#places],
    };
  }

  /** Adds a finding. The worst one decides, of equal ones the first, or one that `replacesEqual`. */
  report(risk: Risk, reason: string, { replacesEqual = false } = {}): void {
    const decides = LEVEL[risk] + (replacesEqual ? 1 : 0) > LEVEL[this.#worst.risk] || this.reports === 0;
    this.reports++;
    if (!decides && risk !== 'dangerous') return;
    const { span } = this;
    const danger = { reason, part: span?.source.slice(span.start, span.end) };
    if (decides) this.#worst = { risk, danger };
    if (risk === 'dangerous') this.#addDanger(danger);
  }

  #addDanger({ reason, part }: Danger): void {
    const key = `${reason}\0${part?.slice(0, MAX_KEY)}`;
    if (this.#dangers.size < MAX_DANGERS) this.#dangers.set(key, { reason, part });
  }

  unseen(reason: string): void {
    this.#unseen ??= reason;
  }

  /** Notes a file whose content the command takes, as seen from a directory. Empty for the one where it starts. */
  reads(path: string, directory: string): void {
    const from = joined(path, directory);
    if (hasHole(from) || from.includes('$')) this.unseen('reads files that cannot be told');
    else this.#inputs.add(from);
  }

  /** Notes a file that the command changes or removes, in the same way. */
  changes(path: string, directory: string): void {
    const from = joined(path, directory).replace(/^\$HOME(?=\/|$)/, '~');
    if (hasHole(from) || from.includes('$')) this.unseen('changes files that cannot be told');
    else this.#places.add(from);
  }
}

function joined(path: string, directory: string): string {
  return directory === '' || /^[/~$]/.test(path) ? path : `${directory}/${path}`;
}
