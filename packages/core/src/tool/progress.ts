const HEARTBEAT_MS = 2_000;
/** The shortest time between two reports, so that a tool may report each file. */
const MIN_GAP_MS = 100;

export interface Report {
  readonly progress: number;
  readonly total?: number;
  readonly message: string;
}

/** Reports the progress of a tool to the host, and until there is any, the seconds: some hosts give up without them. */
export function createProgress(notify: (report: Report) => void) {
  const start = performance.now();
  let last = Number.NEGATIVE_INFINITY;
  let lastTime = -MIN_GAP_MS;

  const heartbeat = setInterval(() => {
    const seconds = Math.round((performance.now() - start) / 1000);
    // A fraction, so that the first count of the tool is larger.
    last = seconds / 1000;
    notify({ progress: last, message: `running for ${seconds} s` });
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
