import type { ErrorCode } from './errors.ts';
import type { Failure, Outcome, Success } from './outcome.ts';
import type { ImageBlock, Risk } from './tool.ts';
import type { Visualization } from './visualization.ts';

/** An outcome as the stdio protocol prints it (docs/protocol.md). Members are absent rather than null. */
export interface Envelope {
  readonly ok: boolean;
  readonly result?: string;
  readonly error?: string;
  readonly error_code?: ErrorCode;
  readonly suggestion?: string;
  readonly content?: readonly ImageBlock[];
  /** How a command ended: success, expected_nonzero, error, timeout or signal. */
  readonly classification?: string;
  /** The verdict on a command before it ran. */
  readonly risk?: Risk;
  readonly truncated?: boolean;
  readonly total_count?: number;
  readonly visualization?: Visualization;
  readonly meta?: object;
  readonly request_id?: string | number;
}

/** Words an outcome for the stdio protocol. Warnings go into `meta`. */
export function toEnvelope(outcome: Outcome): Envelope {
  return outcome.ok ? toSuccess(outcome) : toFailed(outcome);
}

function toSuccess({ ok, text, data: _, totalCount, warnings = [], ...rest }: Success): Envelope {
  const meta = warnings.length > 0 ? { ...rest.meta, warnings } : rest.meta;
  return {
    ok,
    ...(text !== undefined && { result: text }),
    ...rest,
    ...(totalCount !== undefined && { total_count: totalCount }),
    ...(meta && { meta }),
  };
}

function toFailed({ error: { message, code, suggestion, example, details } }: Failure): Envelope {
  const advice = [suggestion, example && `a valid call: ${JSON.stringify(example)}`].filter(Boolean).join(' ');
  return { ok: false, error: message, error_code: code, ...(advice && { suggestion: advice }), ...details };
}
