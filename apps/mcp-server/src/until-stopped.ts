const PARENT_CHECK_MS = 1_000;

export interface StopOptions {
  readonly signals: readonly NodeJS.Signals[];
  /** True if the process must end with the one that started it. */
  readonly withParent: boolean;
}

/**
 * Watches for what stops the process. `reached` resolves at the first of the signals, or when the process gets another
 * parent; `again` at the next signal after that.
 */
export function untilStopped({ signals, withParent }: StopOptions) {
  const parent = process.ppid;
  let reach: () => void;
  let reachAgain: () => void;
  let hasStopped = false;
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const again = new Promise<void>((resolve) => {
    reachAgain = resolve;
  });
  const onStop = () => {
    if (hasStopped) reachAgain();
    hasStopped = true;
    reach();
  };
  for (const signal of signals) process.on(signal, onStop);
  const timer = setInterval(() => {
    if (withParent && process.ppid !== parent) reach();
  }, PARENT_CHECK_MS);
  return { reached, again, forget: () => clearInterval(timer) };
}
