import { toFailure } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import type { ServerContext } from '@modelcontextprotocol/server';
import type { Results } from '../results/results.ts';
import type { CallRecord } from './audit.ts';

/** Writes each read of a long result, like a call that reads. */
export function recordedResults(results: Results, begin: (ctx: ServerContext) => CallRecord): Results {
  return {
    ...results,
    read: (uri, ctx) => {
      const start = performance.now();
      const found = results.read(uri, ctx);
      begin(ctx).end({
        args: { uri },
        root: undefined,
        outcome: found ? { ok: true } : toFailure(new ToolError('not_found', 'there is no such result')),
        bytes: found ? Buffer.byteLength(found.text) : 0,
        ms: performance.now() - start,
      });
      return found;
    },
  };
}
