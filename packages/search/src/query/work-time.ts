/**
 * Adds up the time of pieces of work: the elapsed time, but no more than the processor time of the process. Other work
 * of the process between the pieces does not count.
 */
export class WorkTime {
  ms = 0;

  /** Does a piece of work. */
  run<T>(work: () => T): T {
    const end = this.begin();
    try {
      return work();
    } finally {
      end();
    }
  }

  /** Begins a piece of work. Returns a function that ends it. */
  begin(): () => void {
    const start = performance.now();
    const cpu = process.cpuUsage();
    return () => {
      const { user, system } = process.cpuUsage(cpu);
      this.ms += Math.min(performance.now() - start, (user + system) / 1_000);
    };
  }
}
