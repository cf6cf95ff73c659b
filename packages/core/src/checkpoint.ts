import { ToolError } from './errors.ts';

const SLICE_MS = 12;

/**
 * Makes the function that long work awaits in its loops: it lets the event loop turn about every 12 ms, and throws
 * when the caller has canceled or `limitMs` have passed since it was made.
 */
export function createCheckpoint(limitMs: number, signal: AbortSignal | undefined): () => Promise<void> {
  const start = now();
  let sliceStart = start;
  const free = Promise.resolve();
  return () => (now() - sliceStart < SLICE_MS ? free : pause());

  async function pause(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    sliceStart = now();
    if (signal?.aborted) throw new ToolError('canceled', 'the request was canceled');
    if (sliceStart - start <= limitMs) return;
    throw new ToolError('timeout', `timed out after ${Math.round(limitMs / 1000)} seconds`, {
      suggestion: 'ask for less: a narrower path or pattern',
    });
  }
}

/** Milliseconds on a clock that only goes forward; `performance` would load node:perf_hooks. */
function now(): number {
  return process.uptime() * 1000;
}
