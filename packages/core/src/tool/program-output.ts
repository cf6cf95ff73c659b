import fs from 'node:fs';
import type { ErrorCode } from '../errors/index.ts';
import type { Visualization } from '../visualization/index.ts';
import type { Failure, Outcome, Success } from './outcome.ts';
import type { ImageBlock, Risk } from './tool.ts';

/** The loader of a program listens to it. */
export const BEGIN = 'jinn:begin';

/** Tells the loader that the program begins its real work, beyond printing or installing something. */
export function beginWork(): void {
  (process as NodeJS.EventEmitter).emit(BEGIN);
}

/** The wait between two tries, if a pipe that does not block is full. */
const RETRY_MS = 2;

/**
 * Writes all bytes to a descriptor, and waits while a pipe is full. It does without Node's streams, whose loading takes a
 * part of a start. Throws the system's error: `EPIPE` if the reader has gone away.
 */
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

/** An outcome as the stdio protocol prints it (docs/protocol.md). Members without a value are left out, as JSON does. */
export interface Envelope {
  readonly ok: boolean;
  readonly result?: string | undefined;
  readonly error?: string;
  readonly error_code?: ErrorCode;
  readonly suggestion?: string;
  readonly content?: readonly ImageBlock[] | undefined;
  /** How a command ended: success, expected_nonzero, error, timeout or signal. */
  readonly classification?: string | undefined;
  /** The verdict on a command before it ran. */
  readonly risk?: Risk | undefined;
  readonly truncated?: boolean | undefined;
  readonly total_count?: number | undefined;
  readonly visualization?: Visualization | undefined;
  readonly meta?: object | undefined;
}

/**
 * The members of `meta` that every answer has: without them a caller cannot go on safely, would not notice that
 * something is odd or broken, or has asked for them by an argument.
 */
const ALWAYS = new Set([
  ...['version', 'versions', 'version_a', 'version_b', 'operation_id', 'undo_id', 'job', 'sandbox'],
  ...['warnings', 'hint', 'diagnostics', 'late_diagnostics', 'syntax', 'sha256', 'stdout', 'stderr'],
]);
/** Those members for a file in `meta.files`. */
const ALWAYS_OF_FILE = new Set(['path', 'version', 'undo_id', 'error', 'error_code']);

/**
 * Formats an outcome for the stdio protocol. Warnings go into `meta`. Unless the caller wants all of `meta`, it has
 * only the members of every answer; that of an error is whole.
 */
export function toEnvelope(outcome: Outcome, { wantsMeta = true }: { readonly wantsMeta?: boolean } = {}): Envelope {
  return outcome.ok ? toSuccess(outcome, wantsMeta) : toFailed(outcome);
}

function withoutRest(meta: object): object | undefined {
  const kept = Object.entries(meta).flatMap(([name, value]): [string, unknown][] => {
    if (name === 'files' && Array.isArray(value)) return [[name, value.map((file) => pick(file, ALWAYS_OF_FILE))]];
    return ALWAYS.has(name) && value !== undefined ? [[name, value]] : [];
  });
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}

function pick(members: object, names: ReadonlySet<string>): object {
  return Object.fromEntries(Object.entries(members).filter(([name]) => names.has(name)));
}

function toSuccess(outcome: Success, wantsMeta: boolean): Envelope {
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

function toFailed({ error: { message, code, suggestion, example, details } }: Failure): Envelope {
  const advice = [suggestion, example && `a valid call: ${JSON.stringify(example)}`].filter(Boolean).join(' ');
  return { ok: false, error: message, error_code: code, ...(advice && { suggestion: advice }), ...details };
}
