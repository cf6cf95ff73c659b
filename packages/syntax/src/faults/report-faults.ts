import type { SyntaxFault } from '../symbols.ts';

const MOST_TEXT = 80;

/** A syntax error in words. */
export interface FaultReport {
  readonly line: number;
  readonly message: string;
}

/** Formats the syntax errors of a content. */
export function reportFaults(content: Buffer, faults: readonly SyntaxFault[]): FaultReport[] {
  return faults.map((fault) => ({ line: fault.line, message: messageOf(content, fault) }));
}

function messageOf(content: Buffer, { start, end, missing, problem }: SyntaxFault): string {
  if (problem !== undefined) return problem;
  if (missing !== undefined) return `missing ${missing}`;
  const [text = ''] = content.toString('utf8', start, Math.min(end, start + 4 * MOST_TEXT)).split('\n');
  const shown = text.trim();
  if (shown === '') return 'something is missing here';
  return `unexpected ${shown.length > MOST_TEXT ? `${shown.slice(0, MOST_TEXT)}…` : shown}`;
}
