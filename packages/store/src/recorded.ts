import { ToolError } from '@jinn/core';
import { reasonOf } from './sqlite-fault.ts';

/** Runs work that writes to the history; throws `write_failed` when that fails. */
export function recorded<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new ToolError('write_failed', `the change cannot be recorded for undo: ${reasonOf(cause, 'state.db')}`, {
      suggestion: 'tell the user; --no-history changes files without undo',
      cause,
    });
  }
}
