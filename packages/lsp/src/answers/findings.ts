import type { Lines } from '../client/positions.ts';
import { type Diagnostic, newDiagnostics, withoutSame } from './diagnostics.ts';

const MAX_SHOWN = 50;

export type ShownSeverity = 'errors' | 'all';

/** The diagnostics of a document, and its text then. */
export interface DiagnosedText {
  readonly diagnostics: readonly Diagnostic[];
  readonly lines: Lines;
  /** The stat of the file then; empty for none. */
  readonly stat: string;
}

/** The diagnostics of documents by path. */
export type Findings = ReadonlyMap<string, DiagnosedText>;

export interface Difference {
  readonly appeared: readonly Diagnostic[];
  readonly disappeared: readonly Diagnostic[];
}

/** Compares the files that are known on both sides: in any other, everything or nothing would seem new. */
export function compare(before: Findings, after: Findings): Difference {
  const known = [...before.keys()].filter((path) => after.has(path));
  const [old, present] = [before, after].map((found) => known.flatMap((path) => found.get(path)?.diagnostics ?? []));
  const lineOf = { before: lineIn(before), after: lineIn(after) };
  const swapped = { before: lineOf.after, after: lineOf.before };
  const appeared = newDiagnostics(old ?? [], present ?? [], lineOf);
  const disappeared = newDiagnostics(present ?? [], old ?? [], swapped);
  return { appeared: withoutSame(appeared, disappeared), disappeared: withoutSame(disappeared, appeared) };
}

function lineIn(findings: Findings): (diagnostic: Diagnostic) => string {
  return ({ path, range }) => findings.get(path)?.lines.line(range.start.line - 1) ?? '';
}

/** Returns the part of each list that may be shown, at most fifty, and how many more there are. */
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
