/** How often the host hears of a call that says nothing itself. */
const HEARTBEAT_MS = 2_000;
/** The least time between two reports, so that a tool may report each file. */
const MIN_GAP_MS = 100;

export interface Report {
  readonly progress: number;
  readonly total?: number;
  readonly message: string;
}

/**
 * Reports to the host while a call runs: what the tool tells of its progress, and until it tells anything the seconds
 * that have passed, so that a host which waits for a sign of life does not give up.
 */
export function createProgress(notify: (report: Report) => void) {
  const start = performance.now();
  let last = 0;
  let lastTime = -MIN_GAP_MS;

  const heartbeat = setInterval(() => {
    const seconds = Math.round((performance.now() - start) / 1000);
    // A fraction, so that what the tool counts is always more.
    notify({ progress: seconds / 1000, message: `running for ${seconds} s` });
  }, HEARTBEAT_MS);

  return {
    report(message: string, done: number, total?: number): void {
      const now = performance.now();
      clearInterval(heartbeat);
      if (now - lastTime < MIN_GAP_MS || done <= last) return;
      lastTime = now;
      last = done;
      notify({ progress: done, message, ...(total !== undefined && { total }) });
    },
    stop: () => clearInterval(heartbeat),
  };
}
