/** Work that gets no processor time ends after this many times its limit. */
const MAX_STRETCH = 5;

/**
 * Starts a clock that runs no faster than time, and no faster than the process gets processor time, so that a limit
 * does not depend on other work of the machine. Returns a function that reads the milliseconds since then.
 */
export function startClock(): () => number {
  const begin = process.uptime();
  const cpu = process.cpuUsage();
  return () => {
    const wall = 1000 * (process.uptime() - begin);
    const { user, system } = process.cpuUsage(cpu);
    return Math.max(wall / MAX_STRETCH, Math.min(wall, (user + system) / 1000));
  };
}
