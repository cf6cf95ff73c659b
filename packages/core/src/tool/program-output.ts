import fs from 'node:fs';
import type { ErrorCode } from '../errors/index.ts';
import type { Outcome, Success } from './outcome.ts';

export const BEGIN = 'jinn:begin';

/** Reports to the loader that the real work starts, beyond printing or installing something. */
export function beginWork(): void {
  (process as NodeJS.EventEmitter).emit(BEGIN);
}

const RETRY_MS = 2;

/** Waits while a pipe is full. Node's streams would be slow to load. Throws `EPIPE` if the reader has gone away. */
export function writeFully(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += fs.writeSync(fd, bytes, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
}

/** Waits for work, but no longer than some milliseconds. Rejects as the work does. */
export async function withTimeout(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, timeout]);
  clearTimeout(timer);
}

/** An outcome as the stdio protocol prints it (docs/protocol.md). */
export interface Envelope
  extends Pick<Success, 'content' | 'classification' | 'risk' | 'truncated' | 'visualization' | 'meta'> {
  readonly ok: boolean;
  readonly result?: string | undefined;
  readonly error?: string;
  readonly error_code?: ErrorCode;
  readonly suggestion?: string;
  readonly total_count?: number | undefined;
}

/** Without these members of `meta`, a caller cannot continue safely, or would not notice that something is wrong. */
const ALWAYS = new Set([
  ...['version', 'versions', 'version_a', 'version_b', 'operation_id', 'undo_id', 'job', 'sandbox'],
  ...['warnings', 'hint', 'diagnostics', 'late_diagnostics', 'syntax', 'sha256', 'encoding', 'stdout', 'stderr'],
]);
const ALWAYS_OF_FILE = new Set(['path', 'version', 'undo_id', 'error', 'error_code']);

/** Formats an outcome for the stdio protocol, with only the members of `meta` that every answer has, unless all are wanted. */
export function toEnvelope(outcome: Outcome, { wantsMeta = true }: { readonly wantsMeta?: boolean } = {}): Envelope {
  if (!outcome.ok) {
    const { message, code, suggestion, example, details } = outcome.error;
    const advice = [suggestion, example && `a valid call: ${JSON.stringify(example)}`].filter(Boolean).join(' ');
    return { ok: false, error: message, error_code: code, ...(advice && { suggestion: advice }), ...details };
  }
  const { warnings = [], meta: all } = outcome;
  const meta = all && !wantsMeta ? withoutRest(all) : all;
  return {
    ok: true,
    result: outcome.text,
    content: outcome.content,
    classification: outcome.classification,
    risk: outcome.risk,
    truncated: outcome.truncated,
    total_count: outcome.totalCount,
    visualization: outcome.visualization,
    meta: warnings.length > 0 ? { ...meta, warnings } : meta,
  };
}

function withoutRest(meta: object): object | undefined {
  const kept = Object.entries(meta).flatMap(([name, value]): [string, unknown][] => {
    if (name === 'files' && Array.isArray(value)) {
      const pick = (file: object) =>
        Object.fromEntries(Object.entries(file).filter(([key]) => ALWAYS_OF_FILE.has(key)));
      return [[name, value.map(pick)]];
    }
    return ALWAYS.has(name) && value !== undefined ? [[name, value]] : [];
  });
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}
