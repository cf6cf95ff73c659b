import type { Diagnostic } from './diagnostics.ts';

/** Formats a diagnostic as `file:line:col severity source/code: message`. */
export function showDiagnostic({ path, range, severity, source = 'lsp', code, message }: Diagnostic): string {
  const origin = code === undefined ? source : `${source}/${code}`;
  const { line, character } = range.start;
  return `${path}:${line}:${character} ${severity} ${origin}: ${message.replace(/\s*\n\s*/g, ' ')}`;
}
