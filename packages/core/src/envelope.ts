import type { ErrorCode } from './errors.ts';
import type { ImageBlock, Risk } from './tool.ts';

/** The answer to a request, as the stdio protocol prints it (design section 3). Fields are absent rather than null. */
export interface Envelope {
  readonly ok: boolean;
  readonly result?: string;
  readonly error?: string;
  readonly error_code?: ErrorCode;
  readonly suggestion?: string;
  readonly content?: readonly ImageBlock[];
  /** How a command ended: success, expected_nonzero, error, timeout or signal. */
  readonly classification?: string;
  /** What a command was judged to be before it ran. */
  readonly risk?: Risk;
  readonly truncated?: boolean;
  readonly total_count?: number;
  readonly meta?: object;
  readonly request_id?: string | number;
}
