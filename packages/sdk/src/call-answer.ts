import type { Outcome, Success } from '@jinn/core';

/** The answer of a call. Absent members are undefined. */
export interface CallAnswer<Data> extends Omit<Success, 'ok' | 'text' | 'data' | 'picture'> {
  /** The text for a model. Empty if there are only images. */
  readonly text: string;
  /** The data that the text is the JSON of, or undefined for a tool that answers with only text. */
  readonly data: Data;
}

/**
 * Returns the answer of a call that went well, and throws the error of one that failed. It names each member: a copy
 * takes longer.
 */
export function toAnswer<Data>(outcome: Outcome): Required<CallAnswer<Data>> {
  if (!outcome.ok) {
    // The lines of the caller say more than those of the tool.
    Error.captureStackTrace(outcome.error, toAnswer);
    throw outcome.error;
  }
  return {
    text: outcome.text ?? '',
    data: outcome.data as Data,
    content: outcome.content,
    classification: outcome.classification,
    risk: outcome.risk,
    truncated: outcome.truncated,
    totalCount: outcome.totalCount,
    visualization: outcome.visualization,
    warnings: outcome.warnings,
    meta: outcome.meta,
  };
}
