import { ToolError } from './errors.ts';

/** Most calls end within the first slice. A turn of the event loop would take a millisecond of each. */
const FIRST_SLICE_MS = 25;
const SLICE_MS = 12;

/**
 * Makes a function that long work awaits in its loops. It lets the event loop turn after 25 ms and then about every
 * 12 ms. It throws `canceled` if `signal` has aborted, and `timeout` if `limitMs` have passed since it was made.
 */
export function createCheckpoint(limitMs: number, signal: AbortSignal | undefined): () => Promise<void> {
  const start = now();
  let sliceEnd = start + FIRST_SLICE_MS;
  const free = Promise.resolve();
  return () => (now() < sliceEnd ? free : pause());

  async function pause(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    const sliceStart = now();
    sliceEnd = sliceStart + SLICE_MS;
    if (signal?.aborted) throw new ToolError('canceled', 'the request was canceled');
    if (sliceStart - start <= limitMs) return;
    throw new ToolError('timeout', `timed out after ${Math.round(limitMs / 1000)} seconds`, {
      suggestion: 'ask for less: a narrower path or pattern',
    });
  }
}

/** Returns milliseconds on a clock that only goes forward. `performance` would load node:perf_hooks. */
function now(): number {
  return process.uptime() * 1000;
}
