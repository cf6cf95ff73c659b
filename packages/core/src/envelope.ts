import type { ErrorCode } from './errors.ts';
import type { Failure, Outcome, Success } from './outcome.ts';
import type { ImageBlock, Risk } from './tool.ts';
import type { Visualization } from './visualization.ts';

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

/** Words an outcome for the stdio protocol. Warnings go into `meta`. */
export function toEnvelope(outcome: Outcome): Envelope {
  return outcome.ok ? toSuccess(outcome) : toFailed(outcome);
}

function toSuccess(outcome: Success): Envelope {
  const { warnings = [], meta } = outcome;
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
