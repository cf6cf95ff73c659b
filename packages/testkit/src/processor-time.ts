/**
 * Starts to count the processor time of this process and its threads. Returns a function that reads it, in
 * milliseconds. Other work on the machine does not change it.
 */
export function countProcessorTime(): () => number {
  const begun = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / 1_000;
  };
}
